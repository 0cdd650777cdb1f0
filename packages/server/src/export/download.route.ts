// Files by a signed link: whole, or one range of them, as programs that go on with a cut download ask for.
import { fail } from '@cairn/protocol/errors';
import { answer, answerJson } from '../http/answer.ts';
import { type ByteRange, readRange } from '../http/byte-range.ts';
import { type EdgeContext, operationContext, type RouteHandler } from '../http/env.ts';
import { streamOf } from '../http/stream.ts';
import { type DownloadRequest, type OpenBlob, openDownload } from './export-access.ts';

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

/** Anything that is missing, malformed or added makes another link than the one that was signed. */
function requestIn(c: EdgeContext): DownloadRequest {
  const { blob: key = '', name: fileName = '' } = c.req.param() as { blob?: string; name?: string };
  const given = [...new URL(c.req.url).searchParams];
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

/** A range of what the client has the beginning of, or of nothing: another file is sent whole. */
function rangeIn(c: EdgeContext, { size, etag }: { size: number; etag: string }): ReturnType<typeof readRange> {
  const known = c.req.header('if-range');
  return known !== undefined && known !== etag ? undefined : readRange(c.req.header('range'), size);
}

interface Bytes {
  readonly status?: number;
  readonly range: ByteRange;
  readonly headers: Record<string, string>;
}

async function answerBytes(c: EdgeContext, opened: OpenBlob, { status = 200, range, headers }: Bytes) {
  const all = { ...headers, 'content-length': String(range.last - range.first + 1) };
  const isHead = c.req.method === 'HEAD';
  if (isHead) await opened.close();
  const body = isHead ? null : streamOf(c, opened.read(range));
  return await answer(c, { status, body, contentType: 'application/x-ndjson', headers: all });
}

function answerUnsatisfiable(c: EdgeContext, size: number): Response | Promise<Response> {
  const error = fail('RANGE_NOT_SATISFIABLE', { message: `The file has ${size} bytes. Ask for a range within them.` });
  return answerJson(
    c,
    { error: error.fields },
    { status: error.status, headers: { 'content-range': `bytes */${size}` } },
  );
}
