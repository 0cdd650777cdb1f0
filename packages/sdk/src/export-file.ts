// An export into a file, by a job. The one file of the SDK that needs Node (or Bun, or Deno), and only once it is called:
// bundlers for browsers are told to leave its imports alone.
import type { FileHandle } from 'node:fs/promises';
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { ExportComplete, ExportHeader } from '@cairn/protocol/export';
import { type ExportJob, type ExportRange, mintExport, type RepositoryName, redeemExport } from './export.ts';
import { bodyOf, type Http } from './http.ts';
import { type Bytes, splitFirst, textLines } from './line.ts';
import { createTries } from './retry.ts';

const files = () => import(/* webpackIgnore: true */ 'node:fs/promises');
const crypto = () => import(/* webpackIgnore: true */ 'node:crypto');

/** How far an export into a file is. */
export interface ExportProgress {
  readonly state: 'pending' | 'running' | 'downloading';
  readonly bytes: number;
  /** Known once the download has begun. */
  readonly totalBytes?: number;
}

/** What a download can be told. */
export interface DownloadOptions {
  /** Goes on with what an earlier call left in `FILE.part`. */
  readonly resume?: boolean | undefined;
  readonly onProgress?: ((progress: ExportProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What an export into a file can be told. */
export interface ExportToFile extends DownloadOptions, ExportRange {
  /** Of a job that was minted before, instead of minting one. */
  readonly exportToken?: string | undefined;
}

/** A file that an export was written to. */
export interface ExportedFile {
  readonly path: string;
  readonly bytes: number;
  readonly atRepoSeq: number;
  readonly recordCount: number;
  readonly contentSha256: string;
}

type OnProgress = (progress: ExportProgress) => void;

interface Target {
  readonly http: Http;
  readonly repo: RepositoryName;
  readonly path: string;
}

export async function exportToFile({ http, repo, path }: Target, options: ExportToFile): Promise<ExportedFile> {
  const { signal, onProgress = () => {} } = options;
  const part = `${path}.part`;
  const left = options.resume ? await headerIn(part) : undefined;
  // A job for the same as what is left of an earlier one shares its file, if that is still there.
  const { exportToken = (await mintExport(http, repo, { ...(left ?? options), signal })).exportToken } = options;
  const onState: ExportJob['onState'] = (state) => onProgress({ state, bytes: 0 });
  const job = { http, repo, exportToken, signal, onState };
  const complete = await redeemExport(job);
  const { bytes, digest } = await fill(job, complete, { part, isBegun: left !== undefined, onProgress });
  const { rename, rm } = await files();
  const { atRepoSeq, recordCount, contentSha256 } = complete;
  if (digest !== contentSha256) {
    await rm(part);
    throw otherContent(contentSha256, digest);
  }
  await rename(part, path);
  return { path, bytes, atRepoSeq, recordCount, contentSha256 };
}

interface PartFile {
  readonly part: string;
  readonly isBegun: boolean;
  readonly onProgress: OnProgress;
}

/** The digest is that of what is on the disk. */
async function fill(job: ExportJob, complete: ExportComplete, { part, isBegun, onProgress }: PartFile) {
  const { open } = await files();
  await using file = await open(part, isBegun ? 'r+' : 'w+');
  await download({ job, complete, file, onProgress });
  await file.sync();
  return { bytes: (await file.stat()).size, digest: await digestOf(file) };
}

async function headerIn(path: string): Promise<ExportHeader | undefined> {
  const { open } = await files();
  try {
    await using file = await open(path);
    return JSON.parse(textLines(await firstLineOf(file)).join(''));
  } catch {
    // Not there, or not even a header: there is nothing to go on with.
    return undefined;
  }
}

const HEADER_BYTES_MAX = 4_096;

async function firstLineOf(file: FileHandle): Promise<Bytes> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER_BYTES_MAX), 0, HEADER_BYTES_MAX, 0);
  return splitFirst(buffer.subarray(0, bytesRead))[0];
}

interface Download {
  readonly job: ExportJob;
  readonly complete: ExportComplete;
  readonly file: FileHandle;
  readonly onProgress: OnProgress;
}

/** As many requests as it takes, each for what is still missing, from a URL of its own. */
async function download(first: Download): Promise<void> {
  const { job, file } = first;
  const tryAgain = createTries(job.http.retry, job.signal);
  let isSame = false;
  for (let next = first; ; next = { ...first, complete: await redeemExport(job) }) {
    try {
      // What an earlier call left may be of another file, since each has the time at which it was made in its header.
      if (!isSame && !(await beginsAlike(next))) await file.truncate(0);
      isSame = true;
      return await downloadRest(next);
    } catch (error) {
      await tryAgain(error, (await file.stat()).size);
    }
  }
}

async function beginsAlike({ job: { http, signal }, complete: { url }, file }: Download): Promise<boolean> {
  const beginning = await firstLineOf(file);
  if (beginning.length === 0) return false;
  const answer = await http.download(url, { headers: { range: `bytes=0-${beginning.length - 1}` }, signal });
  if (answer.status !== 206) {
    await answer.body?.cancel();
    if (answer.status === 200) return false;
    throw refused(answer);
  }
  const chunks: Bytes[] = [];
  const cut = (reason: string) => downloadCut(0, reason);
  for await (const chunk of bodyOf(answer, { signal, cut })) chunks.push(chunk);
  return Buffer.concat(chunks).equals(beginning);
}

async function downloadRest({ job, complete, file, onProgress }: Download): Promise<void> {
  const { http, signal } = job;
  const { size: present } = await file.stat();
  const headers = present === 0 ? {} : { range: `bytes=${present}-` };
  const answer = await http.download(complete.url, { headers, signal });
  let bytes = await beginOf(answer, file, present);
  const totalBytes = bytes + Number(answer.headers.get('content-length'));
  const cut = (reason: string) => downloadCut(bytes, reason);
  for await (const chunk of bodyOf(answer, { signal, cut })) {
    await writeAt(file, chunk, bytes);
    bytes += chunk.length;
    onProgress({ state: 'downloading', bytes, totalBytes });
  }
  if (bytes < totalBytes) throw cut('the connection ended');
}

async function writeAt(file: FileHandle, chunk: Bytes, position: number): Promise<void> {
  for (let written = 0; written < chunk.length; ) {
    written += (await file.write(chunk, written, chunk.length - written, position + written)).bytesWritten;
  }
}

/** Where in the file the answer goes. */
async function beginOf(answer: Response, file: FileHandle, present: number): Promise<number> {
  if (answer.status === 206) return present;
  if (answer.status === 200) {
    await file.truncate(0);
    return 0;
  }
  await answer.body?.cancel();
  // Nothing was missing.
  if (answer.status === 416) return present;
  throw refused(answer);
}

/** A URL that has expired is refused; the next try is given another. */
function refused({ status }: Response): CairnError {
  return fail('UNAVAILABLE', { message: `The download was refused with ${status}. Redeem the export once more.` });
}

function downloadCut(bytes: number, reason: string): CairnError {
  return fail('NETWORK_ERROR', {
    message: `The download was cut after ${bytes} bytes: ${reason}.`,
    hint: 'What came is kept in the file that ends with .part: go on with resume.',
  });
}

async function digestOf(file: FileHandle): Promise<string> {
  const hash = (await crypto()).createHash('sha256');
  const buffer = Buffer.alloc(1024 * 1024);
  for (let position = 0; ; ) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) return hash.digest('hex');
    hash.update(buffer.subarray(0, bytesRead));
    position += bytesRead;
  }
}

function otherContent(contentSha256: string, digest: string): CairnError {
  return fail('NETWORK_ERROR', {
    message: `What was downloaded is not what the server made: its SHA-256 is ${digest}, not ${contentSha256}. Nothing of it was kept; export once more. If it happens again, look for a proxy that changes what it carries.`,
  });
}
