// Exports. A stream that ends without its end mark was interrupted, and the next one resumes after the last whole row.
// The resulting bytes equal those of a single uninterrupted stream. An export job instead builds a file on the server,
// for download from a signed URL.
import { CairnError, fail } from '@cairn/protocol/errors';
import type {
  ExportComplete,
  ExportEnd,
  ExportHeader,
  ExportMinted,
  ExportPending,
  ExportRow,
  ExportStatus,
} from '@cairn/protocol/export';
import { bodyOf, type Http, jsonOf } from './http.ts';
import { type Bytes, countLines, splitFirst, splitLast, textLines, wholeLines } from './line.ts';
import { createTries, isRetryable, pause, stopIfAborted, until } from './retry.ts';
import type { CallOptions } from './transport.ts';

export interface RepositoryName {
  readonly orgName: string;
  readonly repoName: string;
}

/** Position after which an export resumes. All fields but `recordCount` come from the received header and rows. */
export interface ExportPosition {
  readonly atRepoSeq: number;
  readonly formatVersion: number;
  readonly afterDurableId: string;
  /** Version of the last row, if that row was a version of a shape. */
  readonly afterVersion?: number | undefined;
  /** Number of rows received so far. The end mark counts them too. */
  readonly recordCount?: number | undefined;
}

/** Range of a repository to export. */
export interface ExportRange {
  /** Exports only changes after this sequence. */
  readonly sinceRepoSeq?: number | undefined;
  /** Exports the repository as of this sequence. Defaults to the current one. */
  readonly atRepoSeq?: number | undefined;
}

/** Options of an export. */
export interface ExportOptions extends ExportRange {
  /** Resumes an interrupted export. The header part then has no lines, since they were received before. */
  readonly resume?: ExportPosition | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A part of an export, with its lines as the server sent them. */
export type ExportPart =
  | { readonly type: 'header'; readonly lines: Bytes; readonly header: ExportHeader }
  | { readonly type: 'rows'; readonly lines: Bytes; readonly count: number }
  | { readonly type: 'end'; readonly lines: Bytes; readonly recordCount: number };

interface ExportSource {
  readonly http: Http;
  readonly repo: RepositoryName;
  readonly options: ExportOptions;
}

interface Received {
  header: ExportHeader | undefined;
  position: ExportPosition | undefined;
  recordCount: number;
}

const exportPath = ({ orgName, repoName }: RepositoryName) =>
  `api/repos/${encodeURIComponent(orgName)}/${encodeURIComponent(repoName)}/export`;

export async function* exportParts(source: ExportSource): AsyncGenerator<ExportPart, void> {
  const { http, options } = source;
  const { resume, signal } = options;
  const received: Received = { header: undefined, position: resume, recordCount: resume?.recordCount ?? 0 };
  const tryAgain = createTries(http.retry, signal);
  for (;;) {
    try {
      return yield* oneStream(source, received);
    } catch (error) {
      await tryAgain(withPosition(error, source, received), received.recordCount);
    }
  }
}

async function* oneStream(source: ExportSource, received: Received): AsyncGenerator<ExportPart, void> {
  const { http, repo, options } = source;
  const answer = await http.get(exportPath(repo), parametersOf(options, received), { signal: options.signal });
  const before = received.recordCount;
  let opened = false;
  for await (const lines of wholeLines(bodyOf(answer, { signal: options.signal, cut }))) {
    const [first, others] = opened ? [undefined, lines] : splitFirst(lines);
    if (first !== undefined) yield* openedBy(first, received);
    opened = true;
    stopIfAborted(options.signal);
    const { rows, end } = endOf(others);
    if (rows.length > 0) yield receivedRows(rows, received);
    if (end === undefined) continue;
    if (received.recordCount - before !== end.recordCount) throw countsOtherwise(end, received.recordCount - before);
    return yield endMark(received);
  }
  throw cut('it ended without its last line');
}

function parametersOf({ sinceRepoSeq, atRepoSeq }: ExportOptions, { header, position }: Received) {
  if (position === undefined) return { sinceRepoSeq, atRepoSeq: header?.atRepoSeq ?? atRepoSeq };
  const { recordCount: _, ...after } = position;
  return { sinceRepoSeq, ...after };
}

const cut = (reason: string) => fail('NETWORK_ERROR', { message: `${reason}.` });

/** Adds the position from which to resume to the error of an interrupted export. */
function withPosition(error: unknown, { repo }: ExportSource, { header, position, recordCount }: Received): unknown {
  if (header === undefined || !(error instanceof CairnError) || !isRetryable(error)) return error;
  const { code, retryAfter } = error;
  return fail(code, {
    message: `The export of ${repo.orgName}/${repo.repoName} was interrupted after ${recordCount} rows: ${error.message}`,
    ...(position !== undefined && { details: { resume: position } }),
    ...(retryAfter !== undefined && { retryAfter }),
    cause: error,
  });
}

/** All streams of one export start with the same header. Only the first one is part of the result. */
function* openedBy(line: Bytes, received: Received): Generator<ExportPart, void> {
  const header = parsedLine<ExportHeader>(line);
  if (header.type !== 'header') throw unreadable();
  if (received.header === undefined) {
    received.header = header;
    const lines = received.position === undefined ? line : new Uint8Array();
    yield { type: 'header', lines, header };
  } else if (header.commitId !== received.header.commitId || header.formatVersion !== received.header.formatVersion) {
    throw fail('CONFLICT', {
      message: `The repository ${header.repo} was replaced during the export. Start the export again.`,
    });
  }
}

/** The end mark is the last line of the export, so only the last line of a chunk can be it. */
function endOf(lines: Bytes): { rows: Bytes; end?: ExportEnd } {
  if (lines.length === 0) return { rows: lines };
  const [before, last] = splitLast(lines);
  const end = parsedLine<ExportEnd | ExportRow>(last);
  return end.type === 'end' ? { rows: before, end } : { rows: lines };
}

function receivedRows(lines: Bytes, received: Received): ExportPart {
  const [, last] = splitLast(lines);
  const { type, kind, durableId, version } = parsedLine<ExportRow>(last);
  const { header } = received;
  if (type !== 'record' || header === undefined) throw unreadable();
  const count = countLines(lines);
  received.recordCount += count;
  received.position = {
    atRepoSeq: header.atRepoSeq,
    formatVersion: header.formatVersion,
    afterDurableId: durableId,
    afterVersion: kind === 'shape' ? version : undefined,
    recordCount: received.recordCount,
  };
  return { type: 'rows', lines, count };
}

/** Each stream counts only its own rows, but the end mark must count the rows of all streams. */
function endMark({ recordCount }: Received): ExportPart {
  const end: ExportEnd = { type: 'end', recordCount };
  return { type: 'end', lines: new TextEncoder().encode(`${JSON.stringify(end)}\n`), recordCount };
}

function countsOtherwise({ recordCount }: ExportEnd, came: number): CairnError {
  return fail('INTERNAL_ERROR', {
    message: `The last line of the export counts ${recordCount} rows, but ${came} arrived. Start the export again, and report this error.`,
  });
}

function parsedLine<Line>(line: Bytes): Line {
  try {
    return JSON.parse(textLines(line).join(''));
  } catch (cause) {
    throw unreadable(cause);
  }
}

function unreadable(cause?: unknown): CairnError {
  return fail('NETWORK_ERROR', { message: 'The response is not an export. Is there a proxy that changes it?', cause });
}

/** Options of `export.mint`: the range to export. */
export interface MintExport extends ExportRange {
  readonly signal?: AbortSignal | undefined;
}

export interface ExportJob {
  readonly http: Http;
  readonly repo: RepositoryName;
  readonly exportToken: string;
  readonly signal: AbortSignal | undefined;
  /** Called with the state of the job, each time the job is not complete yet. */
  readonly onState: (state: ExportPending['state']) => void;
}

export async function mintExport(
  http: Http,
  repo: RepositoryName,
  { sinceRepoSeq, atRepoSeq, signal }: MintExport,
): Promise<ExportMinted> {
  // Equal jobs share one file, so minting twice is safe and can be retried.
  return await until(createTries(http.retry, signal), 0, async () =>
    jsonOf<ExportMinted>(await http.get(exportPath(repo), { prefer: 'async', sinceRepoSeq, atRepoSeq }, { signal })),
  );
}

const POLL_SECONDS = 1;

/** Waits until the job is complete. Each call gets its own URL, which is valid for some minutes. */
export async function redeemExport(job: ExportJob): Promise<ExportComplete> {
  const tryAgain = createTries(job.http.retry, job.signal);
  for (let answers = 0; ; answers += 1) {
    const { answered, retryAfter } = await until(tryAgain, answers, () => poll(job));
    if ('url' in answered) return answered;
    job.onState(answered.state);
    await pause(retryAfter * 1_000, job.signal);
  }
}

async function poll({ http, repo, exportToken, signal }: ExportJob) {
  const answer = await http.get(exportPath(repo), { token: exportToken }, { signal });
  const retryAfter = Number(answer.headers.get('retry-after') ?? POLL_SECONDS);
  return { answered: await jsonOf<ExportComplete | ExportPending>(answer), retryAfter };
}

/**
 * Rows of an export, in order. It resumes by itself after an interruption, and can be iterated once.
 *
 * @example
 * const stream = client.repo.export('acme', 'world');
 * const { atRepoSeq } = await stream.header;
 * for await (const row of stream) console.log(row.name, row.version);
 * await client.repo.export('acme', 'world').cancel();
 */
export class ExportStream implements AsyncIterable<ExportRow> {
  readonly #parts: AsyncGenerator<ExportPart, void>;
  #header: Promise<ExportHeader> | undefined;

  constructor(parts: AsyncGenerator<ExportPart, void>) {
    this.#parts = parts;
  }

  /** Source of the export, and the sequence it is pinned to. Reading this property sends the request. */
  get header(): Promise<ExportHeader> {
    this.#header ??= this.#readHeader();
    return this.#header;
  }

  async #readHeader(): Promise<ExportHeader> {
    const { value } = await this.#parts.next();
    if (value?.type !== 'header') throw unreadable();
    return value.header;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ExportRow, void> {
    await this.header;
    for await (const part of this.#parts) {
      if (part.type === 'rows') yield* rowsIn(part.lines);
    }
  }

  /** Ends the request of an export that is not read to its end. Leaving the loop does the same. */
  async cancel(): Promise<void> {
    await this.#parts.return();
  }
}

function rowsIn(lines: Bytes): ExportRow[] {
  try {
    return textLines(lines).map((line) => JSON.parse(line));
  } catch (cause) {
    throw unreadable(cause);
  }
}

/**
 * Export jobs, call by call. `client.repo.exportToFile` makes all these calls and downloads the file.
 *
 * @example
 * const { exportToken } = await client.export.mint('acme', 'world');
 * const status = await client.export.status('acme', 'world', exportToken);
 * if (status.state === 'complete') console.log(status.url, status.contentSha256);
 */
export interface ExportSurface {
  /** Starts an export job on the server. Equal jobs share a file. */
  mint(orgName: string, repoName: string, options?: MintExport): Promise<ExportMinted>;
  /** State of an export job. Once the job is complete, each answer has its own download URL. */
  status(orgName: string, repoName: string, exportToken: string, options?: CallOptions): Promise<ExportStatus>;
}
