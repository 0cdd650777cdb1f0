import { isJsonObject } from '@cairn/model/json';
import type { RefusedStreamLine, StreamCounts } from '@cairn/sdk';
import { problemOf } from '../../app/problem.ts';
import { client } from '../../app/session.ts';

export type FileKind = 'export' | 'lines' | 'other' | 'empty';

export interface ImportRequest {
  readonly orgName: string;
  readonly repoName: string;
  readonly file: File;
  readonly kind: FileKind;
  readonly skipExisting: boolean;
  readonly message: string;
}

export interface Imported {
  readonly kind: FileKind;
  readonly repoSeq: number;
  readonly applied: number;
  readonly noop: number;
  readonly refused: number;
  readonly refusedLines: readonly Pick<RefusedStreamLine, 'line' | 'code' | 'message'>[];
  readonly stopped?: string;
}

interface Run {
  readonly request: ImportRequest;
  readonly signal: AbortSignal;
  readonly tell: (told: string, part?: number) => void;
}

const LINE_BYTES_MAX = 2 * 1024 * 1024;

export async function kindOf(file: File): Promise<FileKind> {
  if (file.size === 0) return 'empty';
  const [line = ''] = (await file.slice(0, LINE_BYTES_MAX).text()).split('\n', 1);
  try {
    const read: unknown = JSON.parse(line);
    if (!isJsonObject(read)) return 'other';
    return read.type === 'header' ? 'export' : 'lines';
  } catch {
    return 'other';
  }
}

export const runImport = (run: Run): Promise<Imported> =>
  run.request.kind === 'export' ? restore(run) : sendLines(run);

async function restore({ request: { orgName, repoName, file }, signal, tell }: Run): Promise<Imported> {
  const { repoSeq, recordCount } = await client.repo.import(orgName, repoName, file.stream(), {
    signal,
    onProgress: ({ state, rows, totalRows }) =>
      tell(
        `${state === 'checking' ? 'Checked' : 'Sent'} ${rows.toLocaleString('en')} rows`,
        totalRows === undefined ? undefined : rows / totalRows,
      ),
  });
  return { kind: 'export', repoSeq, applied: recordCount, noop: 0, refused: 0, refusedLines: [] };
}

const REFUSED_SHOWN = 100;

/** Lines written before a failure stay. */
async function sendLines({ request, signal, tell }: Run): Promise<Imported> {
  const { orgName, repoName, file, skipExisting, message } = request;
  const refusedLines: Imported['refusedLines'][number][] = [];
  let counts: StreamCounts = { offset: 0, applied: 0, noop: 0, error: 0, repoSeq: 0 };
  let stopped: string | undefined;
  try {
    counts = await client.repo.stream(orgName, repoName, file, {
      signal,
      skipExisting,
      message,
      onProgress: ({ bytes, ...told }) => {
        counts = told;
        tell(`${told.offset.toLocaleString('en')} lines`, bytes / Math.max(1, file.size));
      },
      onRefused: ({ line, code, message: why }) => {
        if (refusedLines.length < REFUSED_SHOWN) refusedLines.push({ line, code, message: why });
      },
    });
  } catch (error) {
    if (signal.aborted || counts.offset === 0) throw error;
    stopped = problemOf(error).advice;
  }
  const { repoSeq, applied, noop, error: refused } = counts;
  return { kind: 'lines', repoSeq, applied, noop, refused, refusedLines, ...(stopped !== undefined && { stopped }) };
}
