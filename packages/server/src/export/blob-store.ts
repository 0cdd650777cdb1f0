// Storage for large files outside the database: a folder or an S3-compatible bucket. A blob is written once, completely
// or not at all.
import type { KeyObject } from 'node:crypto';
import { resolve } from 'node:path';
import { openFolderStore } from './folder-store.ts';
import { openS3Store } from './s3-store.ts';

export interface BlobStore {
  /** The caller may reuse a piece after requesting the next one. A key is never written twice. */
  write(key: string, bytes: AsyncIterable<Uint8Array<ArrayBuffer>>, signal?: AbortSignal): Promise<void>;
  sign(link: BlobLink): Promise<string>;
  /** Also removes the remains of an interrupted write. Removing a missing blob succeeds. */
  remove(key: string): Promise<void>;
  readonly downloads?: Downloads;
}

export interface BlobLink {
  readonly key: string;
  readonly fileName: string;
  readonly sha256: string;
  readonly until: number;
}

interface Downloads {
  check(link: BlobLink, signature: string): boolean;
  /** `undefined` if missing. The caller must read it or close it. */
  open(key: string): Promise<OpenBlob | undefined>;
}

export interface OpenBlob {
  readonly size: number;
  /** Both ends are included. Closes the file at its end or on `return`. */
  read(range: ByteRange): BlobPieces;
  close(): Promise<void>;
}

/** Each piece has its own memory, which the consumer may free after sending. */
export type BlobPieces = Pick<AsyncGenerator<Uint8Array<ArrayBuffer>>, 'next' | 'return'>;

export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

export interface BlobStoreOptions {
  readonly key: KeyObject;
  readonly publicUrl: string;
}

export function openBlobStore(location: BlobLocation, options: BlobStoreOptions): BlobStore {
  return location.kind === 'folder' ? openFolderStore(location.folder, options) : openS3Store(location);
}

const BLOB_KEY = /^[a-z0-9][a-z0-9-]{0,199}$/;

export function checkBlobKey(key: string): string {
  if (!isBlobKey(key)) throw new Error(`not a blob key: ${key}`);
  return key;
}

export function isBlobKey(key: string): boolean {
  return BLOB_KEY.test(key);
}

export type BlobLocation = FolderLocation | S3Location;

interface FolderLocation {
  readonly kind: 'folder';
  readonly folder: string;
}

export interface S3Location {
  readonly kind: 's3';
  readonly bucket: string;
  readonly prefix: string;
  readonly endpoint: string;
  readonly region: string;
  readonly pathStyle: boolean;
  readonly credentials: { accessKeyId: string; secretAccessKey: string };
}

export type BlobSetting = FolderLocation | Omit<S3Location, 'credentials'>;

const FORMS =
  'file:FOLDER, or s3://BUCKET/PREFIX?region=REGION, with &endpoint=URL for storage other than AWS, and &style=virtual if the host name contains the bucket';
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const PREFIX = /^[A-Za-z0-9._/-]{0,200}$/;
const REGION = /^[a-z0-9-]{1,50}$/;
const PARAMETERS = new Set(['endpoint', 'region', 'style']);

export function parseBlobSetting(text: string): BlobSetting {
  const setting = text.startsWith('file:') ? parseFolder(text) : parseS3(text);
  if (setting === undefined) throw new Error(`takes ${FORMS}`);
  return setting;
}

function parseFolder(text: string): FolderLocation | undefined {
  const path = text.replace(/^file:(\/\/(?=\/))?/, '');
  // Two slashes would name another machine.
  return path === '' || path.startsWith('//') ? undefined : { kind: 'folder', folder: resolve(path) };
}

function parseS3(text: string): BlobSetting | undefined {
  const url = URL.parse(text);
  if (url === null || url.protocol !== 's3:' || url.username !== '' || url.port !== '' || url.hash !== '')
    return undefined;
  const { searchParams } = url;
  if ([...searchParams.keys()].some((name) => !PARAMETERS.has(name))) return undefined;
  const prefix = url.pathname.replace(/^\/+|\/+$/g, '');
  const region = searchParams.get('region') ?? 'us-east-1';
  const endpoint = searchParams.get('endpoint') ?? `https://s3.${region}.amazonaws.com`;
  const style = searchParams.get('style') ?? 'path';
  const good =
    [BUCKET.test(url.host), PREFIX.test(prefix), REGION.test(region), isEndpoint(endpoint)].every(Boolean) &&
    ['path', 'virtual'].includes(style);
  if (!good) return undefined;
  return {
    kind: 's3',
    bucket: url.host,
    prefix: prefix === '' ? '' : `${prefix}/`,
    endpoint,
    region,
    pathStyle: style === 'path',
  };
}

function isEndpoint(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '' && url.username === '';
}
