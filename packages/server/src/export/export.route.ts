// The export route of the REST API (spec 4.2), and downloads of built files by signed links.

import { fail } from '@cairn/protocol/errors';
import { type ExportStatus, exportQuery } from '@cairn/protocol/export';
import { z } from 'zod';
import { answerJson, answerPieces, openAnswer } from '../http/answer.ts';
import { refreshedContext } from '../http/arrival.ts';
import { ANSWERED, type Answered, type Exchange, operationContext, type RouteHandler } from '../http/exchange.ts';
import { addressIn, readParameters } from '../http/query.ts';
import type { ByteRange, OpenBlob } from './blob-store.ts';
import { type DownloadRequest, openDownload, openExport } from './export.ts';

/** Unknown values of prefer and mode, and parameters beside a token, are conflicts: no default may hide them. */
const parameters = exportQuery.extend({
  prefer: z.string().optional(),
  mode: z.string().optional(),
  sinceRepoSeq: exportQuery.shape.sinceRepoSeq.unwrap().optional(),
});

const HEADERS = { 'cache-control': 'private, no-cache', vary: 'Authorization' };
const NDJSON = 'application/x-ndjson';
const RETRY_AFTER_S = '1';

export const exportRepository: RouteHandler = async (c) => {
  // Callers who may not export get no errors about parameters.
  const given = () => parameters.parse(readParameters(c, parameters));
  const refresh = () => refreshedContext(c);
  const opened = await openExport(operationContext(c), { address: addressIn(c), parameters: given, refresh });
  if (opened.kind === 'minted') return await answerWaiting(c, opened.minted);
  if (opened.kind === 'redeemed') return await answerStatus(c, opened.status);
  return await answerPieces(c, opened.lines, { contentType: NDJSON, headers: HEADERS });
};

function answerWaiting(c: Exchange, body: object): Answered | Promise<Answered> {
  return answerJson(c, body, { status: 202, headers: { ...HEADERS, 'retry-after': RETRY_AFTER_S } });
}

function answerStatus(c: Exchange, status: ExportStatus): Answered | Promise<Answered> {
  if (status.state !== 'complete') return answerWaiting(c, { state: status.state });
  const { state: _, ...complete } = status;
  return answerJson(c, complete, { headers: HEADERS });
}

export const download: RouteHandler = async (c) => {
  const request = requestIn(c);
  const opened = await openDownload(operationContext(c), request);
  const { size } = opened;
  const etag = `"${request.sha256}"`;
  const headers = {
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-cache',
    'content-disposition': `attachment; filename="${request.fileName}"`,
    etag,
  };
  const range = rangeIn(c, { size, etag });
  if (range === 'unsatisfiable') {
    await opened.close();
    return await answerUnsatisfiable(c, size);
  }
  if (range === undefined) return await answerBytes(c, opened, { range: { first: 0, last: size - 1 }, headers });
  const contentRange = `bytes ${range.first}-${range.last}/${size}`;
  return await answerBytes(c, opened, { status: 206, range, headers: { ...headers, 'content-range': contentRange } });
};

const PARAMETERS = ['digest', 'expires', 'signature'];

function requestIn(c: Exchange): DownloadRequest {
  const { blob: key = '', name: fileName = '' } = c.params as { blob?: string; name?: string };
  const given = [...c.searchParams];
  const { digest: sha256 = '', expires = '', signature = '' } = Object.fromEntries(given);
  const names = given.map(([name]) => name);
  const isOurs = names.length === PARAMETERS.length && PARAMETERS.every((name) => names.includes(name));
  return {
    key,
    fileName,
    sha256,
    signature: isOurs ? signature : '',
    until: /^[1-9]\d{0,15}$/.test(expires) ? Number(expires) : 0,
  };
}

/** `If-Range` with another tag means another file, which is sent whole. */
function rangeIn(c: Exchange, { size, etag }: { size: number; etag: string }): ReturnType<typeof readRange> {
  const known = c.header('if-range');
  return known !== undefined && known !== etag ? undefined : readRange(c.header('range'), size);
}

async function answerBytes(
  c: Exchange,
  opened: OpenBlob,
  { status = 200, range, headers }: { status?: number; range: ByteRange; headers: Record<string, string> },
) {
  const all = { ...headers, 'content-length': String(range.last - range.first + 1) };
  const given = { status, contentType: NDJSON, headers: all };
  if (c.method !== 'HEAD') return await answerPieces(c, opened.read(range), given);
  await opened.close();
  openAnswer(c, given).end();
  return ANSWERED;
}

function answerUnsatisfiable(c: Exchange, size: number): Answered | Promise<Answered> {
  const error = fail('RANGE_NOT_SATISFIABLE', { message: `The file has ${size} bytes. Ask for a range within them.` });
  return answerJson(
    c,
    { error: error.fields },
    { status: error.status, headers: { 'content-range': `bytes */${size}` } },
  );
}

const ONE_RANGE = /^bytes=(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))$/;

/** The Range header (RFC 9110, section 14). Several ranges and malformed ones are ignored, as the RFC allows. */
export function readRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | undefined {
  const [matched, from, to = '', suffix] = ONE_RANGE.exec(header?.replaceAll(' ', '') ?? '') ?? [];
  if (matched === undefined) return undefined;
  if (from === undefined) return suffixOf(Number(suffix), size);
  const [first, asked] = [Number(from), to === '' ? size - 1 : Number(to)];
  if (to !== '' && asked < first) return undefined;
  return first >= size ? 'unsatisfiable' : { first, last: Math.min(asked, size - 1) };
}

function suffixOf(length: number, size: number): ByteRange | 'unsatisfiable' {
  if (length === 0 || size === 0) return 'unsatisfiable';
  return { first: Math.max(0, size - length), last: size - 1 };
}
