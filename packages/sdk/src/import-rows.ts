// Sends an export to a repository row by row, and goes on after a cut: the server says how many rows it has.
import { CairnError, fail } from '@cairn/protocol/errors';
import type { ExportEnd, ExportHeader } from '@cairn/protocol/export';
import { stopIfAborted } from './abort.ts';
import type { RepositoryName } from './export-part.ts';
import { type ExportBytes, readExport } from './export-reader.ts';
import type { ImportSurface } from './import.ts';
import { createTries, type RetryOptions, type TryAgain, until } from './retry.ts';
import type { CallOptions } from './transport.ts';

/** How far an import is. */
export interface ImportProgress {
  readonly state: 'sending' | 'checking';
  /** How many rows the server has; or, while it checks them, has checked. */
  readonly rows: number;
  /** Known once all of them are there. */
  readonly totalRows?: number;
}

/** What an import can be told. */
export interface ImportOptions {
  readonly onProgress?: ((progress: ImportProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What an import made. */
export interface ImportedRepository {
  readonly repoSeq: number;
  readonly commitId: string;
  readonly recordCount: number;
}

interface ImportTarget {
  readonly surface: ImportSurface;
  readonly repo: RepositoryName;
  readonly retry: RetryOptions;
}

/** An import that was begun, and how many rows the server has of it. */
interface Import extends ImportTarget {
  readonly options: ImportOptions;
  readonly importId: string;
  readonly tryAgain: TryAgain;
  offset: number;
}

export async function importExport(
  target: ImportTarget,
  source: ExportBytes,
  options: ImportOptions,
): Promise<ImportedRepository> {
  let begun: Import | undefined;
  let read = 0;
  // The next rows are read while these are sent; never more, so that memory stays flat.
  let sending: Promise<void> = Promise.resolve();
  for await (const part of readExport(source)) {
    stopIfAborted(options.signal);
    await sending;
    if (part.type === 'header') begun = await begin(target, part.header, options);
    if (begun === undefined) break;
    if (part.type === 'end') return await finish(begun, part.end);
    if (part.type === 'rows') {
      sending = send(begun, { first: read, rows: part.rows });
      // Awaited with the next part; until then its failure is nobody's.
      sending.catch(() => {});
      read += part.rows.length;
    }
  }
  throw fail('VALIDATION_ERROR', { message: 'This is no export: it has no header. Give one as it was made.' });
}

async function begin(target: ImportTarget, header: ExportHeader, options: ImportOptions): Promise<Import> {
  const { surface, repo, retry } = target;
  const { signal } = options;
  const tryAgain = createTries(retry, signal);
  // Begun twice, it is found.
  const { importId, offset } = await until(tryAgain, 0, () =>
    surface.begin(repo.orgName, repo.repoName, header, { signal }),
  );
  options.onProgress?.({ state: 'sending', rows: offset });
  return { ...target, options, importId, offset, tryAgain };
}

/** `first` is how many rows are before them. */
interface Rows {
  readonly first: number;
  readonly rows: readonly string[];
}

/** Sends what the server does not have of these rows. */
async function send(begun: Import, { first, rows }: Rows): Promise<void> {
  while (begun.offset < first + rows.length) {
    // It can have lost none that it confirmed; another import has taken the place of this one.
    if (begun.offset < first) throw replaced(begun.offset, first);
    const { offset } = await append(begun, rows.slice(begun.offset - first));
    if (offset === begun.offset) throw replaced(offset, first + rows.length);
    begun.offset = offset;
    begun.options.onProgress?.({ state: 'sending', rows: offset });
  }
}

async function append({ surface, repo, importId, offset, options, tryAgain }: Import, rows: readonly string[]) {
  const { signal } = options;
  const lines = `${rows.join('\n')}\n`;
  return await until(tryAgain, offset, async () => {
    try {
      return await surface.append(repo.orgName, repo.repoName, importId, { offset, lines, signal });
    } catch (error) {
      // An answer that was lost on its way: the rows are there.
      const stored = offsetIn(error);
      if (stored !== undefined && stored > offset) return { offset: stored };
      throw error;
    }
  });
}

function offsetIn(error: unknown): number | undefined {
  if (!(error instanceof CairnError) || error.code !== 'CONFLICT') return undefined;
  const { offset } = (error.details ?? {}) as { offset?: unknown };
  return typeof offset === 'number' ? offset : undefined;
}

function replaced(offset: number, sent: number): CairnError {
  return fail('CONFLICT', {
    message: `The server has ${offset} of the ${sent} rows that were sent. Is another import under way? Start it again.`,
  });
}

/** Checking goes in steps, and each call is one of them. */
async function finish(begun: Import, end: ExportEnd): Promise<ImportedRepository> {
  const { surface, repo, importId, offset, options, tryAgain } = begun;
  const { signal } = options;
  for (let checked = 0; ; ) {
    stopIfAborted(signal);
    const call = () => surface.finish(repo.orgName, repo.repoName, importId, end, { signal });
    const answer = await until(tryAgain, offset + checked, call);
    if (answer.state === 'complete') {
      const { repoSeq, commitId, recordCount } = answer;
      return { repoSeq, commitId, recordCount };
    }
    checked = answer.checked;
    options.onProgress?.({ state: 'checking', rows: checked, totalRows: end.recordCount });
  }
}

/** Gives up the import that is under way. Clearing away goes in steps too. */
export async function abortImport({ surface, repo, retry }: ImportTarget, options: CallOptions): Promise<void> {
  const tryAgain = createTries(retry, options.signal);
  let done = false;
  while (!done) ({ done } = await until(tryAgain, 0, () => surface.abort(repo.orgName, repo.repoName, options)));
}
