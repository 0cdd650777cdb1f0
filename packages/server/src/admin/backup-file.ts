// The files of a backup and its manifest. Copies are durable, and readable only by their owner.
import { createHash } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  createWriteStream,
  type Dirent,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';
import { fail } from '@cairn/protocol/errors';
import { z } from 'zod';
import { checkMigrations, readMigrations, schemaVersion } from '../engine/migration.ts';
import { readerOn, SqliteConnection } from '../engine/sqlite/connection.ts';
import { sqliteDialect } from '../engine/sqlite/dialect.ts';
import { KEY_FILE } from '../keys/secret.ts';
import { findServerFact } from '../keys/server-fact.sql.ts';

export interface Digest {
  readonly bytes: number;
  readonly sha256: string;
}

export async function digestFile(file: string): Promise<Digest> {
  const tally = createTally();
  for await (const chunk of createReadStream(file)) tally.add(chunk as Uint8Array);
  return tally.digest();
}

export interface FileCopy {
  readonly source: string;
  readonly target: string;
  readonly onBytes?: (count: number) => void;
}

export async function copyFile({ source, target, onBytes = () => {} }: FileCopy): Promise<Digest> {
  // The source is opened first, so that a missing one leaves nothing at the target.
  const opened = await open(source);
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
  const tally = createTally();
  await pipeline(
    opened.createReadStream(),
    async function* (chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        tally.add(chunk);
        onBytes(chunk.length);
        yield chunk;
      }
    },
    createWriteStream(target, { mode: 0o600, flags: 'wx', flush: true }),
  );
  return tally.digest();
}

function createTally() {
  const hash = createHash('sha256');
  let bytes = 0;
  return {
    add: (chunk: Uint8Array) => {
      hash.update(chunk);
      bytes += chunk.length;
    },
    digest: (): Digest => ({ bytes, sha256: hash.digest('hex') }),
  };
}

export function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const pathOf = ({ parentPath, name }: Dirent) => relative(folder, join(parentPath, name)).split(sep).join('/');
  return entries
    .filter((entry) => entry.isFile())
    .map(pathOf)
    .sort();
}

/** File names are durable only after their folder is synced. */
export function syncFolders(folder: string): void {
  const below = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isDirectory());
  for (const path of [...below.map(({ parentPath, name }) => join(parentPath, name)), folder]) syncFile(path);
}

export function syncFile(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

const NO_PERMISSION = 'no permission. Run the command as the user of the server';
const NO_SPACE = 'no space left on the disk. Free some space, or choose a folder on another disk';
const TAKEN = 'the file exists already. Stop the server that uses the folder, or choose another folder';

const REASONS: Readonly<Record<string, string>> = {
  EACCES: NO_PERMISSION,
  EPERM: NO_PERMISSION,
  EROFS: 'the disk is read-only. Choose a folder on another disk',
  ENOSPC: NO_SPACE,
  EDQUOT: NO_SPACE,
  EEXIST: TAKEN,
  ENOTEMPTY: TAKEN,
  ENOTDIR: 'a part of the path is not a folder. Check the path',
};

type FileError = NodeJS.ErrnoException & { dest?: string; errcode?: number };

/** SQLite reports system errors as numbers, without a file name. */
const SQLITE_REASONS: Readonly<Record<number, string>> = { 13: NO_SPACE, 14: NO_PERMISSION };

export async function onFiles<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const { code = '', path, dest, errcode = 0 } = error as FileError;
    const reason = REASONS[code] ?? SQLITE_REASONS[errcode & 0xff];
    if (reason === undefined) throw error;
    throw fail('VALIDATION_ERROR', { message: `${dest ?? path ?? 'The database'}: ${reason}.`, cause: error });
  }
}

// The manifest is written last, so a folder without it is no backup.
const MANIFEST_FILE = 'manifest.json';
export const DATABASE_FILE = 'cairn.db';
export const BLOB_FOLDER = 'blobs';

const FORMAT_VERSION = 1;

/** Rejects paths that lead out of the folder, because a restore writes to them. */
const path = z.string().refine(isOwnPath, 'not a path in a backup');

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
  cairnVersion: z.string(),
  engine: z.literal('sqlite'),
  schemaVersion: z.int().min(1),
  createdAt: z.int(),
  /** A backup does not include blobs in a bucket. */
  blobsIncluded: z.boolean(),
  files: z.array(backedUpFile),
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

/** Parsing sorts the members in the order of the schema. */
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
      message: `${folder} is not a backup, because it has no ${MANIFEST_FILE}. Choose a folder that cairn admin backup created.`,
    });
  }
}

function parseManifest(text: string, file: string): Manifest {
  const fields = parseJson(text, file);
  if (isOtherVersion(fields)) {
    throw fail('VALIDATION_ERROR', {
      message: `${file} has version ${fields.version}, but this Cairn knows version ${FORMAT_VERSION}. Restore the backup with the Cairn that created it, or a newer one.`,
    });
  }
  const { data, error } = manifest.safeParse(fields);
  if (data !== undefined) {
    // Older backups have no digest.
    const { sha256 = digestOf(data) } = data;
    if (sha256 !== digestOf(data)) throw damaged(file, 'its SHA-256 does not match its content');
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

export function damaged(file: string, reason: string, cause?: unknown): Error {
  return fail('VALIDATION_ERROR', {
    message: `${file} is damaged or was changed: ${reason}. Nothing was restored. Use another backup.`,
    cause,
  });
}

export function refuseNewer({ schemaVersion, cairnVersion }: Manifest, newest: number): void {
  if (schemaVersion <= newest) return;
  throw fail('VALIDATION_ERROR', {
    message: `The backup has schema version ${schemaVersion}, but this Cairn knows only versions up to ${newest}. Use Cairn ${cairnVersion}, which created it, or a newer one.`,
  });
}

/** Read-only and without migrating, because an older server may be using the database. */
export async function copySqlite(file: string, target: string, onProgress: (doneShare: number) => void): Promise<void> {
  using connection = new SqliteConnection(file, { readOnly: true });
  await connection.copyTo(target, onProgress);
}

interface CopyState {
  readonly schemaVersion: number;
  /** `undefined` if no server has ever started on the database. */
  readonly secretFingerprint: string | undefined;
}

export async function readSqliteCopy(file: string): Promise<CopyState> {
  return await onCopy(file, async (connection) => {
    const reader = readerOn(connection);
    const secretFingerprint = await findServerFact(reader, 'secret-fingerprint');
    return { schemaVersion: await schemaVersion(reader), secretFingerprint };
  });
}

export async function findSqliteDamage(file: string): Promise<string | undefined> {
  return await onCopy(file, async (connection) => {
    const [found] = connection.all<{ integrity_check: string }>('pragma integrity_check(1)');
    return found?.integrity_check === 'ok' ? undefined : found?.integrity_check;
  });
}

export async function checkSqliteCopy(file: string): Promise<void> {
  await onCopy(file, (connection) => checkMigrations(readerOn(connection), sqliteDialect));
}

export function newestSchemaVersion(): number {
  return readMigrations().length;
}

/** Nobody else has the file open, and SQLite must not create files beside it. */
export function immutableFile(file: string): string {
  return `${pathToFileURL(file).href}?immutable=1`;
}

async function onCopy<Result>(file: string, work: (connection: SqliteConnection) => Promise<Result>): Promise<Result> {
  using connection = new SqliteConnection(immutableFile(file), { readOnly: true });
  return await work(connection);
}
