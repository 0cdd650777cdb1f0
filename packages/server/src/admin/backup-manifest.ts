// What a backup says of itself: `manifest.json`, written last. A folder without it is no backup.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fail } from '@cairn/protocol/errors';
import { z } from 'zod';
import { KEY_FILE } from '../keys/secret.ts';

export const MANIFEST_FILE = 'manifest.json';
export const DATABASE_FILE = 'cairn.db';
/** In a backup: files of exports and checkpoints. */
export const BLOB_FOLDER = 'blobs';

const FORMAT_VERSION = 1;

/** Nothing that leads out of the folder: restore writes to these paths. */
const path = z.string().refine(isOwnPath, 'not a path of a backup');

function isOwnPath(text: string): boolean {
  const [first = '', ...rest] = text.split('/');
  if (rest.length === 0) return [DATABASE_FILE, KEY_FILE].includes(first);
  return first === BLOB_FOLDER && rest.every((name) => !['', '.', '..'].includes(name) && !/[\\\0]/.test(name));
}

const backedUpFile = z.strictObject({
  path,
  bytes: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

const manifest = z.strictObject({
  format: z.literal('cairn-backup'),
  version: z.literal(FORMAT_VERSION),
  /** Of the Cairn that made the backup. */
  cairnVersion: z.string(),
  engine: z.literal('sqlite'),
  schemaVersion: z.int().min(1),
  /** The moment whose state the database has. */
  createdAt: z.int(),
  /** Blobs of a bucket are not in a backup. */
  blobsIncluded: z.boolean(),
  files: z.array(backedUpFile),
  /** Of all the rest, as `digestOf` writes it. */
  sha256: z.string().optional(),
});

export type BackedUpFile = z.infer<typeof backedUpFile>;
export type Manifest = z.infer<typeof manifest>;

export function totalBytes(files: readonly BackedUpFile[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

export function writeManifest(
  folder: string,
  content: Omit<Manifest, 'format' | 'version' | 'engine' | 'sha256'>,
): void {
  const rest: Manifest = { format: 'cairn-backup', version: FORMAT_VERSION, engine: 'sqlite', ...content };
  const text = `${JSON.stringify({ ...rest, sha256: digestOf(rest) }, null, 2)}\n`;
  writeFileSync(join(folder, MANIFEST_FILE), text, { mode: 0o600, flag: 'wx', flush: true });
}

/** In the order of the form, whatever the order was. */
function digestOf({ sha256: _, ...rest }: Manifest): string {
  return createHash('sha256')
    .update(JSON.stringify(manifest.parse(rest)))
    .digest('hex');
}

export function readManifest(folder: string): Manifest {
  const file = join(folder, MANIFEST_FILE);
  const content = parseManifest(readManifestText(folder, file), file);
  if (content.files.some(({ path }) => path === DATABASE_FILE)) return content;
  throw damaged(file, `it does not list ${DATABASE_FILE}`);
}

function readManifestText(folder: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw fail('VALIDATION_ERROR', {
      message: `${folder} is not a backup: there is no ${MANIFEST_FILE} in it. Name a folder that cairn admin backup has made.`,
    });
  }
}

function parseManifest(text: string, file: string): Manifest {
  const fields = parseJson(text, file);
  if (isOtherVersion(fields)) {
    throw fail('VALIDATION_ERROR', {
      message: `${file} is of version ${fields.version}, and this Cairn knows version ${FORMAT_VERSION}. Restore the backup with the Cairn that made it, or a newer one.`,
    });
  }
  const { data, error } = manifest.safeParse(fields);
  if (data !== undefined) {
    // Those that were made before there was one are taken as they are.
    const { sha256 = digestOf(data) } = data;
    if (sha256 !== digestOf(data)) throw damaged(file, 'its SHA-256 is not that of its content');
    return data;
  }
  const [issue] = error.issues;
  throw damaged(file, `${issue?.path.join('.') || 'it'}: ${issue?.message}`);
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw damaged(file, 'it is not JSON', error);
  }
}

function isOtherVersion(fields: unknown): fields is { version: number } {
  const { format, version } = (fields ?? {}) as { format?: unknown; version?: unknown };
  return format === 'cairn-backup' && typeof version === 'number' && version !== FORMAT_VERSION;
}

/** A file of a backup that is not what was written. */
export function damaged(file: string, reason: string, cause?: unknown): Error {
  return fail('VALIDATION_ERROR', {
    message: `${file} is damaged or was changed: ${reason}. Nothing was restored; use another backup.`,
    cause,
  });
}

export function refuseNewer({ schemaVersion, cairnVersion }: Manifest, newest: number): void {
  if (schemaVersion <= newest) return;
  throw fail('VALIDATION_ERROR', {
    message: `The backup has schema version ${schemaVersion}; this Cairn knows only up to ${newest}. Use Cairn ${cairnVersion}, which made it, or a newer one.`,
  });
}
