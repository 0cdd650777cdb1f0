// Blobs as objects of an S3-compatible storage, which serves downloads itself by presigned URLs. Failed multipart
// uploads are aborted, so that their parts are not billed.
import type { S3Client } from '@bradenmacdonald/s3-lite-client';
import { type BlobStore, checkBlobKey, type S3Location } from './blob-store.ts';

// A storage takes 10,000 parts, so a blob has at most about 80 GB. Two parts are in memory at once.
const PART_BYTES = 8 * 1024 * 1024;
const ABORT_WITHIN_MS = 3_000;
const CONTENT_TYPE = 'application/x-ndjson';

export function openS3Store(location: S3Location): BlobStore {
  let opened: Promise<S3Client> | undefined;
  const connect = () => {
    opened ??= openClient(location);
    return opened;
  };
  const objectOf = (key: string) => location.prefix + checkBlobKey(key);
  return {
    write: async (key, bytes, signal) => {
      await upload({ client: await connect(), objectName: objectOf(key), signal }, bytes);
    },
    sign: async ({ key, fileName, until }) => {
      const client = await connect();
      const now = new Date();
      return await client.presignedGetObject(objectOf(key), {
        requestDate: now,
        // The storage counts whole seconds from the second of the request date.
        expirySeconds: Math.floor(until / 1_000) - Math.floor(now.getTime() / 1_000),
        responseParams: { 'response-content-disposition': `attachment; filename="${fileName}"` },
      });
    },
    remove: async (key) => await (await connect()).deleteObject(objectOf(key)),
  };
}

async function openClient({ endpoint, region, bucket, pathStyle, credentials }: S3Location): Promise<S3Client> {
  const { S3Client } = await import('@bradenmacdonald/s3-lite-client');
  return new S3Client({
    endPoint: endpoint,
    region,
    bucket,
    pathStyle,
    accessKey: credentials.accessKeyId,
    secretKey: credentials.secretAccessKey,
  });
}

interface S3Target {
  readonly client: S3Client;
  readonly objectName: string;
  readonly signal: AbortSignal | undefined;
}

type UploadPart = Uint8Array<ArrayBuffer>;

interface Upload {
  readonly uploadId: string;
  readonly tags: string[];
}

async function upload(target: S3Target, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  let begun: Upload | undefined;
  let last: UploadPart = new Uint8Array();
  try {
    for await (const part of inParts(bytes)) {
      if (last.length > 0) {
        begun ??= { uploadId: await beginUpload(target), tags: [] };
        await uploadPart(target, begun, last);
      }
      last = part;
    }
    if (begun === undefined) {
      await send(target, { method: 'PUT', headers: typed(), payload: last });
      return;
    }
    await uploadPart(target, begun, last);
    await completeUpload(target, begun);
  } catch (error) {
    if (begun !== undefined) await abort(target, begun);
    throw error;
  }
}

async function uploadPart(target: S3Target, { uploadId, tags }: Upload, payload: UploadPart): Promise<void> {
  const query = { partNumber: String(tags.length + 1), uploadId };
  const { headers } = await send(target, { method: 'PUT', query, payload });
  tags.push(headers.get('etag') ?? '');
}

async function completeUpload(target: S3Target, { uploadId, tags }: Upload): Promise<void> {
  const parts = tags.map((tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${tag}</ETag></Part>`);
  const payload = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`;
  const answer = await send(target, { method: 'POST', query: { uploadId }, payload, returnBody: true });
  // A storage that fails after it began to answer reports the error in a body with status 200.
  const text = await answer.text();
  if (!text.includes('<CompleteMultipartUploadResult')) throw new Error(`an upload was not completed: ${text}`);
}

async function beginUpload(target: S3Target): Promise<string> {
  const answer = await send(target, { method: 'POST', query: 'uploads', headers: typed(), returnBody: true });
  const text = await answer.text();
  const [, uploadId] = /<UploadId>([^<]+)<\/UploadId>/.exec(text) ?? [];
  if (uploadId === undefined) throw new Error(`an upload was not started: ${text}`);
  return uploadId;
}

/** If the storage does not answer, its rule for incomplete uploads removes the parts. */
async function abort({ client, objectName }: S3Target, { uploadId }: Upload): Promise<void> {
  const aborted = client.makeRequest({ method: 'DELETE', objectName, query: { uploadId }, statusCode: 204 });
  const waited = new Promise((over) => setTimeout(over, ABORT_WITHIN_MS).unref());
  await Promise.race([aborted.catch(() => undefined), waited]);
}

type Request = Omit<Parameters<S3Client['makeRequest']>[0], 'objectName'>;

/** The client cannot cancel a request, so an abort only stops the wait. */
async function send({ client, objectName, signal }: S3Target, request: Request): Promise<Response> {
  signal?.throwIfAborted();
  const sent = client.makeRequest({ ...request, objectName });
  if (signal === undefined) return await sent;
  const stopped = Promise.withResolvers<never>();
  const stop = () => stopped.reject(signal.reason);
  signal.addEventListener('abort', stop);
  try {
    return await Promise.race([sent, stopped.promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

const typed = () => new Headers({ 'content-type': CONTENT_TYPE });

/** Storages require parts of equal size, apart from the last. */
async function* inParts(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<UploadPart, undefined> {
  let part = new Uint8Array(PART_BYTES);
  let filled = 0;
  for await (const piece of bytes) {
    for (let taken = 0; taken < piece.length; ) {
      const some = piece.subarray(taken, taken + PART_BYTES - filled);
      part.set(some, filled);
      taken += some.length;
      filled += some.length;
      if (filled < PART_BYTES) continue;
      yield part;
      part = new Uint8Array(PART_BYTES);
      filled = 0;
    }
  }
  if (filled > 0) yield part.subarray(0, filled);
}
