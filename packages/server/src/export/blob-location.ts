// The setting that says where blobs are.
import { resolve } from 'node:path';

export type BlobLocation = FolderLocation | S3Location;

interface FolderLocation {
  readonly kind: 'folder';
  readonly folder: string;
}

export interface S3Location {
  readonly kind: 's3';
  readonly bucket: string;
  /** Before each key; empty, or ends with a slash. */
  readonly prefix: string;
  readonly endpoint: string;
  readonly region: string;
  /** Whether the bucket stands in the path of an address, or before its host. */
  readonly pathStyle: boolean;
  readonly credentials: S3Credentials;
}

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export type BlobSetting = FolderLocation | Omit<S3Location, 'credentials'>;

const FORMS =
  'file:FOLDER, or s3://BUCKET/PREFIX?region=REGION, with &endpoint=URL for another storage than AWS and &style=virtual where the bucket belongs into its host name';
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const PREFIX = /^[A-Za-z0-9._/-]{0,200}$/;
const REGION = /^[a-z0-9-]{1,50}$/;
const PARAMETERS = new Set(['endpoint', 'region', 'style']);

/** Throws an Error that says what the setting takes. */
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
