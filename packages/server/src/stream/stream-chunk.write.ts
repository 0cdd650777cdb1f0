// Applies a chunk: its lines become one commit, and the offset moves in the same transaction. Acknowledged lines are
// durable and never applied twice.

import type { Operation } from '@cairn/model/operation';
import { CairnError, fail } from '@cairn/protocol/errors';
import type { RefusedLine, StreamStatus, UndeclaredField } from '@cairn/protocol/stream';
import { lockSequence, writeDraft } from '../commit/commit.write.ts';
import type { Draft, Places } from '../commit/draft.sql.ts';
import { draftOperations, type WriteOrder } from '../commit/drafting.sql.ts';
import {
  LineUnpacker,
  operationOf,
  type PackedLines,
  type PackedOperation,
  sentIn,
} from '../commit/packed-lines.rule.ts';
import type { WriterMemory } from '../commit/record-set.sql.ts';
import type { Transaction } from '../engine/database.ts';
import type { LearnedShape } from './line-checker.rule.ts';
import {
  earlierPlaceholders,
  keepPlaceholders,
  keepRefusals,
  readStream,
  type StreamKey,
  writeStream,
} from './stream.sql.ts';

export interface ChunkInput extends WriteOrder, StreamKey {
  readonly lines: PackedLines;
  readonly skipped?: number;
  readonly operationsMax?: number;
  readonly offset: number;
  readonly submissionId?: string;
}

interface ChunkCounts {
  readonly applied: number;
  readonly noop: number;
  readonly error: number;
}

export interface WrittenChunk extends ChunkCounts {
  readonly repoSeq: number;
  readonly errors: readonly RefusedLine[];
  readonly undeclaredFields: readonly UndeclaredField[];
  /** Ends before the chunk's last line if one commit could not take all. */
  readonly stream: StreamStatus;
  readonly learned: readonly LearnedShape[];
}

export async function applyChunk(tx: Transaction, input: ChunkInput, memory: WriterMemory): Promise<WrittenChunk> {
  const { lines, skipped = 0, operationsMax, offset, submissionId = '', streamId, owner, ...order } = input;
  const { repoId } = order.grant;
  const sequence = await lockSequence(tx, order.grant);
  const stream = await readStream(tx, order.grant, { streamId, owner });
  refuseClosed(stream);
  // Another upload may have moved the stream to where the next chunk of a refused upload begins.
  if (stream.offset > offset) memory.noteLate(submissionId);
  refuseOffset(stream, offset, memory.isLate(submissionId));
  if (order.atomic) refuseUnreadable(lines, offset);
  const packed = new LineUnpacker(lines).unpack().filter(({ line }) => line >= skipped);
  const places = linePlaces(packed, offset - skipped);
  const key = { repoId, streamId, owner };
  const { draft, count } = await draftSome(
    packed.slice(0, operationsMax).map((one) => operationOf(one, order.skipExisting)),
    (operations) =>
      draftOperations(tx, {
        ...{ order: operations.length > 1 ? bounded(order) : order, operations, sequence, memory, places },
        sentAt: (opIndex) => sentIn(packed[opIndex]),
        earlier: earlierPlaceholders(key),
      }),
  );
  const lineCount = (packed[count]?.line ?? lines.lineCount) - skipped;
  const { repoSeq, written } = writeDraft(tx, draft);
  await Promise.all([written, keepPlaceholders(tx, key, draft.placeholders.used())]);
  const counts = countsOf(draft);
  const moved = await writeStream(tx, { repoId, stream, owner, lineCount, repoSeq, counts });
  const errors = errorsOf(draft);
  await keepRefusals(tx, key, { refused: errors, offset: moved.offset });
  const undeclaredFields = undeclaredIn(draft);
  return { repoSeq, ...counts, errors, undeclaredFields, stream: moved, learned: learnedIn(draft, lines) };
}

type Sent = readonly (Operation | CairnError)[];

/** Clients do not choose where chunks are cut, so a large one must not fail. It is halved until it fits. */
async function draftSome(
  operations: Sent,
  draftOf: (operations: Sent) => Promise<Draft>,
): Promise<{ draft: Draft; count: number }> {
  for (let count = operations.length; ; count = Math.ceil(count / 2)) {
    try {
      return { count, draft: await draftOf(operations.slice(0, count)) };
    } catch (error) {
      if (!isTooMuch(error)) throw error;
      if (count === 1) return { count, draft: await draftOf([error]) };
    }
  }
}

/** Each takes microseconds of the shared writer. One line may still have as many as a commit. */
const REFERENCES_MAX = 5_000;

function bounded(order: WriteOrder): WriteOrder {
  const commitReferences = Math.min(REFERENCES_MAX, order.limits.commitReferences);
  return { ...order, limits: { ...order.limits, commitReferences } };
}

function isTooMuch(error: unknown): error is CairnError {
  if (!(error instanceof CairnError) || error.code !== 'PAYLOAD_TOO_LARGE') return false;
  return !Object.hasOwn(error.details ?? {}, 'operations');
}

function refuseClosed({ state, streamId }: StreamStatus): void {
  if (state !== 'closed') return;
  throw fail('CONFLICT', {
    message: `The stream ${streamId} is closed. Start another stream with a new id.`,
    details: { reason: 'closed' },
  });
}

/** Another connection may have moved the stream, or lines were lost. */
function refuseOffset({ offset, streamId }: StreamStatus, given: number, isLate: boolean): void {
  if (offset === given && !isLate) return;
  throw fail('CONFLICT', {
    message: `The stream ${streamId} has ${offset} lines, not ${given}. Continue with line ${offset + 1} and offset=${offset}.`,
    details: { reason: 'offset', offset },
  });
}

function refuseUnreadable({ unreadable, lineCount }: PackedLines, offset: number): void {
  if (unreadable === undefined) return;
  const line = offset + lineCount + 1;
  throw fail('VALIDATION_ERROR', { message: `Line ${line}: ${unreadable.message}`, details: { line } });
}

function linePlaces(packed: readonly PackedOperation[], offset: number): Places {
  return {
    numberOf: (opIndex) => offset + (packed[opIndex]?.line ?? 0) + 1,
    nameOf: (line) => `line ${line}`,
    counting: '',
    whole: 'this stream',
    advice: 'Correct the failed lines, or send atomicity=none to apply the others.',
  };
}

function countsOf({ outcomes }: Draft): ChunkCounts {
  const counts = { applied: 0, noop: 0, error: 0 };
  for (const { status } of outcomes) counts[status] += 1;
  return counts;
}

function errorsOf({ outcomes, request: { places } }: Draft): RefusedLine[] {
  return outcomes.flatMap((outcome) =>
    outcome.status === 'error' && outcome.error !== undefined
      ? [{ line: places.numberOf(outcome.opIndex), ...outcome.error }]
      : [],
  );
}

/** Enough to spot a mistyped name, while acknowledgements stay small. */
const UNDECLARED_MAX = 20;
const UNDECLARED_PATH_MAX = 200;

function undeclaredIn({ outcomes, request: { places } }: Draft): UndeclaredField[] {
  const found = new Map<string, UndeclaredField>();
  for (const outcome of outcomes) {
    if (outcome.status === 'error' || outcome.undeclaredFields.length === 0) continue;
    const [shapeName = ''] = outcome.name.split('/');
    const line = places.numberOf(outcome.opIndex);
    for (const path of outcome.undeclaredFields) {
      const key = `${shapeName} ${path}`;
      if (path.length <= UNDECLARED_PATH_MAX && !found.has(key)) found.set(key, { line, shapeName, path });
      if (found.size >= UNDECLARED_MAX) return [...found.values()];
    }
  }
  return [...found.values()];
}

/** Limits the memory of the parsing thread, whose streams may already be over. */
const LEARNED_MAX = 20;
const LEARNED_CHARACTERS_MAX = 100_000;

function learnedIn({ outcomes, shapes }: Draft, { definitions }: PackedLines): LearnedShape[] {
  const names = new Set<string>();
  for (const outcome of outcomes) {
    if (outcome.status === 'error') continue;
    const { operation } = outcome;
    if (operation.operation === 'add' && operation.kind === 'thing') names.add(operation.name.shapeName);
    if (names.size >= LEARNED_MAX) break;
  }
  return [...names].flatMap((shapeName) => {
    const shape = shapes.find(shapeName);
    if (shape === undefined || shape.data.length > LEARNED_CHARACTERS_MAX) return [];
    const { data, dataHash } = shape;
    const isKnown = definitions.some(
      (one) => one.shapeName === shapeName && Buffer.compare(one.dataHash, dataHash) === 0,
    );
    // The digest is copied, because it may be a view of a larger buffer, which would be transferred whole.
    return isKnown ? [] : [{ shapeName, data, dataHash: Uint8Array.from(dataHash) }];
  });
}
