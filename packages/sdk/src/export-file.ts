// Downloads an export job into a file. Only this SDK file needs Node (or Bun, or Deno), and only when it is called. The
// hints below tell bundlers for browsers to leave its imports alone.
import type { FileHandle } from 'node:fs/promises';
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { ExportComplete, ExportHeader } from '@cairn/protocol/export';
import { type ExportJob, type ExportRange, mintExport, type RepositoryName, redeemExport } from './export.ts';
import { bodyOf, type Http } from './http.ts';
import { type Bytes, splitFirst, textLines } from './line.ts';
import { createTries } from './retry.ts';

const files = () => import(/* webpackIgnore: true */ 'node:fs/promises');
const crypto = () => import(/* webpackIgnore: true */ 'node:crypto');

/** Progress of an export into a file. */
export interface ExportProgress {
  readonly state: 'pending' | 'running' | 'downloading';
  readonly bytes: number;
  /** Set once the download has started. */
  readonly totalBytes?: number;
}

/** Options of a download. */
export interface DownloadOptions {
  /** Resumes from the `FILE.part` that an earlier call left behind. */
  readonly resume?: boolean | undefined;
  readonly onProgress?: ((progress: ExportProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Options of an export into a file. */
export interface ExportToFile extends DownloadOptions, ExportRange {
  /** Token of an existing export job, to use instead of minting one. */
  readonly exportToken?: string | undefined;
}

/** A completed export file. */
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
  // A job with the same range as the partial file shares the file of the earlier job, if that still exists.
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
    // There is no file, or no complete header in it, so there is nothing to resume.
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

/** Makes as many requests as needed. Each one gets its own URL and asks for the missing bytes. */
async function download(first: Download): Promise<void> {
  const { job, file } = first;
  const tryAgain = createTries(job.http.retry, job.signal);
  let isSame = false;
  for (let next = first; ; next = { ...first, complete: await redeemExport(job) }) {
    try {
      // The partial file may belong to another export file: each header contains its creation time.
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

async function beginOf(answer: Response, file: FileHandle, present: number): Promise<number> {
  if (answer.status === 206) return present;
  if (answer.status === 200) {
    await file.truncate(0);
    return 0;
  }
  await answer.body?.cancel();
  // The file is already complete.
  if (answer.status === 416) return present;
  throw refused(answer);
}

/** An expired URL is refused. The next try gets a new one. */
function refused({ status }: Response): CairnError {
  return fail('UNAVAILABLE', { message: `The download was refused with status ${status}. Redeem the export again.` });
}

function downloadCut(bytes: number, reason: string): CairnError {
  return fail('NETWORK_ERROR', {
    message: `The download was interrupted after ${bytes} bytes: ${reason}.`,
    hint: 'The received part is in the file that ends with .part. Use resume to continue.',
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
    message: `The downloaded file is corrupt and was discarded: its SHA-256 is ${digest}, not ${contentSha256}. Export again. If this happens again, look for a proxy that changes responses.`,
  });
}
