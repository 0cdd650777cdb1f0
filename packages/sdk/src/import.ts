// Reads an export from a file in groups of rows that fit into one request, sends them, and resumes after interruptions.
// The server reports the number of rows it has.
import { CairnError, fail } from '@cairn/protocol/errors';
import type { ExportEnd, ExportHeader } from '@cairn/protocol/export';
import type { ProcedureInput, ProcedureOutput } from '@cairn/protocol/procedures';
import type { RepositoryName } from './export.ts';
import { type Bytes, chunksOf, textLines, wholeLines } from './line.ts';
import { createTries, type RetryOptions, stopIfAborted, type TryAgain, until } from './retry.ts';
import type { CallOptions } from './transport.ts';

/** Rows of an import, and the number of rows sent before them. */
export type AppendImport = Pick<ProcedureInput<'import.append'>, 'offset' | 'lines'> & CallOptions;
/** Options of `import.abort`: the import to abort, by default the current one. */
export type AbortImport = Pick<ProcedureInput<'import.abort'>, 'importId'> & CallOptions;

/**
 * Imports, call by call. `client.repo.import` makes all these calls, and resumes after interruptions.
 *
 * @example
 * const { importId, offset } = await client.import.begin('acme', 'copy', header);
 * await client.import.append('acme', 'copy', importId, { offset, lines });
 * const { state } = await client.import.finish('acme', 'copy', importId, end);
 * if (state !== 'complete') await client.import.abort('acme', 'copy', { importId });
 */
export interface ImportSurface {
  /**
   * Starts an import into an empty repository, or an increment into an imported one. Returns the running import if
   * there is one.
   */
  begin(
    orgName: string,
    repoName: string,
    header: ExportHeader,
    options?: CallOptions,
  ): Promise<ProcedureOutput<'import.begin'>>;
  /** Sends rows, in order. Returns the number of rows that the server has. */
  append(
    orgName: string,
    repoName: string,
    importId: string,
    options: AppendImport,
  ): Promise<ProcedureOutput<'import.append'>>;
  /** Checks all rows in steps, and then makes them visible. Call it until the state is `complete`. */
  finish(
    orgName: string,
    repoName: string,
    importId: string,
    end: ExportEnd,
    options?: CallOptions,
  ): Promise<ProcedureOutput<'import.finish'>>;
  /** Deletes the sent rows in steps. Call it until `done` is true. */
  abort(orgName: string, repoName: string, options?: AbortImport): Promise<ProcedureOutput<'import.abort'>>;
}

/** The bytes of an export, such as those of an export file. */
export type ExportBytes = AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>;

export type ReadPart =
  | { readonly type: 'header'; readonly header: ExportHeader }
  | RowGroup
  | { readonly type: 'end'; readonly end: ExportEnd };

interface RowGroup {
  readonly type: 'rows';
  readonly rows: readonly string[];
}

const ROWS_MAX = 1_000;
const CHARACTERS_MAX = 1024 * 1024;
/** Every row is longer than this, because of its identities and hashes. An end mark is shorter. */
const END_CHARACTERS_MAX = 100;

export async function* readExport(source: ExportBytes): AsyncGenerator<ReadPart, void> {
  let line = 0;
  let end: ExportEnd | undefined;
  const group = createGroup();
  for await (const texts of linesOf(source)) {
    for (const text of texts) {
      line += 1;
      if (line === 1) yield { type: 'header', header: headerOf(text) };
      if (line === 1 || text === '') continue;
      if (end !== undefined) throw wrongLine(line, 'comes after the end of the export');
      end = endOf(text);
      if (end === undefined) yield* group.add(text);
    }
  }
  yield* group.rest();
  if (end === undefined) throw noEnd(line);
  yield { type: 'end', end };
}

/** Collects rows until they fill a request. A larger row is sent by itself. */
function createGroup() {
  let rows: string[] = [];
  let characters = 0;
  function* rest(): Generator<RowGroup, void> {
    if (rows.length > 0) yield { type: 'rows', rows };
    [rows, characters] = [[], 0];
  }
  function* add(row: string): Generator<RowGroup, void> {
    if (rows.length === ROWS_MAX || characters + row.length > CHARACTERS_MAX) yield* rest();
    rows.push(row);
    characters += row.length;
  }
  return { add, rest };
}

/** Yields whole lines as they arrive. The last line of a file may lack its line end. */
async function* linesOf(source: ExportBytes): AsyncGenerator<string[], void> {
  if (typeof (source as unknown) === 'string') {
    const message = 'An import needs bytes, such as those of createReadStream(path), not a string.';
    throw fail('VALIDATION_ERROR', { message });
  }
  const pieces = wholeLines(chunksOf(source));
  for (;;) {
    const { done, value } = await pieces.next();
    if (value.length > 0) yield decoded(value);
    if (done) return;
  }
}

function decoded(lines: Bytes): string[] {
  try {
    return textLines(lines);
  } catch (cause) {
    throw fail('VALIDATION_ERROR', { message: 'This is not UTF-8 text. Give an unchanged export.', cause });
  }
}

function headerOf(text: string): ExportHeader {
  const header = parsed(text);
  if (header?.type !== 'header') throw wrongLine(1, 'is not the header of an export');
  return header as ExportHeader;
}

function endOf(text: string): ExportEnd | undefined {
  if (text.length > END_CHARACTERS_MAX) return undefined;
  const line = parsed(text);
  return line?.type === 'end' ? (line as ExportEnd) : undefined;
}

function parsed(text: string): { type?: unknown } | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function wrongLine(line: number, what: string): CairnError {
  return fail('VALIDATION_ERROR', {
    message: `Line ${line} ${what}. Give an unchanged export: a header, rows, and a last line of type end.`,
    details: { line },
  });
}

function noEnd(lines: number): CairnError {
  return fail('VALIDATION_ERROR', {
    message: `The export is incomplete: it stops after ${lines} lines, without a last line of type end. Export again, then import that file.`,
  });
}

/** Progress of an import. */
export interface ImportProgress {
  readonly state: 'sending' | 'checking';
  /** Rows that the server has or, in the state `checking`, has checked. */
  readonly rows: number;
  /** Set once all rows are sent. */
  readonly totalRows?: number;
}

/** Options of an import. */
export interface ImportOptions {
  readonly onProgress?: ((progress: ImportProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Result of an import. */
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

/** `offset` is the number of rows that the server has. */
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
  // Read the next rows while these are sent, but no more than that, so that memory use stays flat.
  let sending: Promise<void> = Promise.resolve();
  for await (const part of readExport(source)) {
    stopIfAborted(options.signal);
    await sending;
    if (part.type === 'header') begun = await begin(target, part.header, options);
    if (begun === undefined) break;
    if (part.type === 'end') return await finish(begun, part.end);
    if (part.type === 'rows') {
      sending = send(begun, { first: read, rows: part.rows });
      // The next iteration awaits the promise. Until then, a failure must not count as unhandled.
      sending.catch(() => {});
      read += part.rows.length;
    }
  }
  throw fail('VALIDATION_ERROR', { message: 'This is not an export: it has no header. Give an unchanged export.' });
}

async function begin(target: ImportTarget, header: ExportHeader, options: ImportOptions): Promise<Import> {
  const { surface, repo, retry } = target;
  const { signal } = options;
  const tryAgain = createTries(retry, signal);
  // A repeated call finds the import of the first one.
  const { importId, offset } = await until(tryAgain, 0, () =>
    surface.begin(repo.orgName, repo.repoName, header, { signal }),
  );
  options.onProgress?.({ state: 'sending', rows: offset });
  return { ...target, options, importId, offset, tryAgain };
}

/** `first` is the number of rows before these. */
interface Rows {
  readonly first: number;
  readonly rows: readonly string[];
}

async function send(begun: Import, { first, rows }: Rows): Promise<void> {
  while (begun.offset < first + rows.length) {
    // The server cannot lose rows that it confirmed, so another import must have replaced this one.
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
      // The rows were stored, but the answer was lost.
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
    message: `The server has ${offset} of the ${sent} rows that were sent. Is another import running? Start the import again.`,
  });
}

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

/** Aborts the current import. The server deletes its rows in steps, one per call. */
export async function abortImport({ surface, repo, retry }: ImportTarget, options: CallOptions): Promise<void> {
  const tryAgain = createTries(retry, options.signal);
  let done = false;
  while (!done) ({ done } = await until(tryAgain, 0, () => surface.abort(repo.orgName, repo.repoName, options)));
}
