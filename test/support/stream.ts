// Chunks of streams for tests of the store.

import type { PackedLines } from '../../packages/server/src/commit/packed-lines.rule.ts';
import { LineChecker } from '../../packages/server/src/stream/line-checker.rule.ts';
import type { ChunkInput, WrittenChunk } from '../../packages/server/src/stream/stream-chunk.write.ts';
import { commitInput, type TestRepository } from './repository.ts';

export const STREAM = { streamId: 'load', owner: 'user:1' };

export function linesOf(operations: readonly unknown[]): string {
  return operations.map((operation) => `${JSON.stringify(operation)}\n`).join('');
}

/** Lines in the form that the read-ahead thread passes to the writer. */
export function packed(
  { grant }: Pick<TestRepository, 'grant'>,
  lines: string | Uint8Array,
  { checker = new LineChecker(), order = {} }: { checker?: LineChecker; order?: Partial<ChunkInput> } = {},
): PackedLines {
  const bytes = typeof lines === 'string' ? new TextEncoder().encode(lines) : lines;
  const { limits, committer, skipExisting } = { ...commitInput(grant, []), ...order };
  return checker.check({ repoId: grant.repoId, bytes, limits, committer, skipExisting, learned: [] });
}

export function chunkInput(
  repository: Pick<TestRepository, 'grant'>,
  lines: string | Uint8Array,
  options: Partial<ChunkInput> = {},
): ChunkInput {
  const { operations: _, ...order } = commitInput(repository.grant, [], { atomic: false });
  return { ...order, ...STREAM, lines: packed(repository, lines, { order: options }), offset: 0, ...options };
}

export async function applyLines(
  repository: TestRepository,
  lines: string | Uint8Array,
  options: Partial<ChunkInput> = {},
): Promise<WrittenChunk> {
  return await repository.store.write.applyChunk(chunkInput(repository, lines, options));
}
