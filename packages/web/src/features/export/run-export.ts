// An export from the first row to the file that was checked.
import type { ExportHeader } from '@cairn/sdk';
import { client } from '../../app/session.ts';
import { createSha256 } from './sha256.ts';
import type { Bytes, Target } from './target.ts';

export interface ExportRequest {
  readonly orgName: string;
  readonly repoName: string;
  readonly atRepoSeq?: number | undefined;
  readonly sinceRepoSeq?: number | undefined;
}

export interface Progress {
  readonly step: 'receiving' | 'checking';
  readonly rows: number;
  readonly bytes: number;
  /** Known once the server has begun to answer. */
  readonly atRepoSeq?: number | undefined;
}

export interface Exported {
  readonly atRepoSeq: number;
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
}

interface Run {
  readonly request: ExportRequest;
  readonly target: Target;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

/** After a cut it goes on by itself. What was saved is read again: only what is whole and as it came counts as exported. */
export async function runExport(run: Run): Promise<Exported> {
  const { target, signal, onProgress } = run;
  try {
    const { header, rows, bytes, sha256 } = await receive(run);
    signal.throwIfAborted();
    onProgress({ step: 'checking', rows, bytes, atRepoSeq: header?.atRepoSeq });
    const saved = await target.finish();
    const found = await digestOf(saved, signal);
    if (header === undefined || found !== sha256) throw new SavedOtherwise();
    return { atRepoSeq: header.atRepoSeq, rows, bytes, sha256 };
  } catch (error) {
    await target.abandon().catch(() => undefined);
    throw error;
  }
}

async function receive({ request, target, signal, onProgress }: Run) {
  const { orgName, repoName, ...range } = request;
  const sha256 = createSha256();
  const came: { header?: ExportHeader; rows: number; bytes: number } = { rows: 0, bytes: 0 };
  for await (const part of client.repo.exportLines(orgName, repoName, { ...range, signal })) {
    if (part.type === 'header') came.header = part.header;
    if (part.type === 'rows') came.rows += part.count;
    came.bytes += part.lines.length;
    sha256.update(part.lines);
    await target.write(part.lines as Bytes);
    onProgress({ step: 'receiving', rows: came.rows, bytes: came.bytes, atRepoSeq: came.header?.atRepoSeq });
  }
  return { header: came.header, rows: came.rows, bytes: came.bytes, sha256: sha256.digest() };
}

async function digestOf(saved: Blob, signal: AbortSignal): Promise<string> {
  const sha256 = createSha256();
  const reader = saved.stream().getReader();
  for (;;) {
    signal.throwIfAborted();
    const { done, value } = await reader.read();
    if (done) return sha256.digest();
    sha256.update(value);
  }
}

class SavedOtherwise extends Error {
  constructor() {
    super('What was saved is not what came. Is the disk full? Make room, and export once more.');
  }
}
