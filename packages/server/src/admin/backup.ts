// `cairn admin backup` copies the whole SQLite server into one folder while it runs. Decision 31 explains the method.
import { chmodSync, existsSync, lstatSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { fail } from '@cairn/protocol/errors';
import { VERSION } from '@cairn/protocol/version';
import { isDamage } from '../engine/sqlite/connection.ts';
import { findSecret, fingerprintOf, KEY_FILE, SecretError } from '../keys/secret.ts';
import {
  type BackedUpFile,
  BLOB_FOLDER,
  copyFile,
  copySqlite,
  DATABASE_FILE,
  type Digest,
  digestFile,
  type FileCopy,
  filesBelow,
  findSqliteDamage,
  immutableFile,
  newestSchemaVersion,
  onFiles,
  readManifest,
  readSqliteCopy,
  refuseNewer,
  syncFile,
  syncFolders,
  totalBytes,
  writeManifest,
} from './backup-file.ts';

export type OnProgress = (step: string, doneShare?: number) => void;

export interface BackupRequest {
  readonly data: string;
  /** If CAIRN_SECRET is set, the backup does not contain the secret. */
  readonly secret: string | undefined;
  /** `undefined` if the blobs are in a bucket. */
  readonly blobs: string | undefined;
  readonly folder: string;
  readonly onProgress: OnProgress;
}

export interface BackupResult {
  readonly folder: string;
  readonly engine: 'sqlite';
  readonly schemaVersion: number;
  readonly createdAt: number;
  readonly files: number;
  readonly bytes: number;
  readonly secretIncluded: boolean;
  readonly blobsIncluded: boolean;
  readonly integrity: 'ok';
}

/** Fills a temporary folder and renames it at the end, so that a folder with the final name is complete. */
export async function backUp(request: BackupRequest): Promise<BackupResult> {
  return await onFiles(async () => {
    const folder = resolve(request.folder);
    refusePlace(folder, request.blobs);
    const partial = mkdtempSync(`${folder}.partial-`);
    try {
      const made = await fill({ ...request, folder: partial });
      syncFolders(partial);
      renameSync(partial, folder);
      syncFile(dirname(folder));
      return { folder, ...made };
    } finally {
      rmSync(partial, { recursive: true, force: true });
    }
  });
}

function refusePlace(folder: string, blobs: string | undefined): void {
  if (lstatSync(folder, { throwIfNoEntry: false }) !== undefined) {
    throw fail('ALREADY_EXISTS', {
      message: `${folder} exists already. Choose a new folder: each backup needs its own.`,
    });
  }
  if (!existsSync(dirname(folder))) {
    throw fail('VALIDATION_ERROR', {
      message: `The folder ${dirname(folder)} for ${basename(folder)} does not exist. Create it, or check that its disk is mounted.`,
    });
  }
  if (blobs !== undefined && folder.startsWith(join(blobs, sep))) {
    throw fail('VALIDATION_ERROR', {
      message: `${folder} is inside the files to back up. Choose a folder elsewhere.`,
    });
  }
}

// Blobs are copied before the database, and new ones again after it, because a blob is written before its reference and
// deleted after it. So no referenced blob is missing, unless its export came and went in between.
async function fill(request: BackupRequest): Promise<Omit<BackupResult, 'folder'>> {
  const { data, secret, folder, onProgress } = request;
  const early = await copyBlobs(request);
  const createdAt = Date.now();
  const database = await copyDatabase(request);
  const { schemaVersion, secretFingerprint } = await readSqliteCopy(join(folder, DATABASE_FILE));
  refuseOtherSecret(findSecret({ given: secret, folder: data }), secretFingerprint);
  const key = secret === undefined ? await copyFiles({ paths: [KEY_FILE], from: data, to: folder, onProgress }) : [];
  const late = await copyBlobs(request, early);
  const files = [database, ...key, ...early, ...late];
  const state = { schemaVersion, createdAt, blobsIncluded: request.blobs !== undefined };
  writeManifest(folder, { cairnVersion: VERSION, ...state, files });
  const size = { files: files.length, bytes: totalBytes(files) };
  return { engine: 'sqlite', ...state, ...size, secretIncluded: key.length > 0, integrity: 'ok' };
}

async function copyDatabase({ data, folder, onProgress }: BackupRequest): Promise<BackedUpFile> {
  const file = join(data, DATABASE_FILE);
  const target = join(folder, DATABASE_FILE);
  const damage = await damageIn(async () => {
    await copySqlite(file, target, (doneShare) => onProgress('copying the database', doneShare));
    onProgress('checking the copy');
    return await findSqliteDamage(target);
  });
  if (damage !== undefined) {
    throw fail('CONFLICT', {
      message: `No backup was created, because ${file} is damaged: ${damage}. Keep your backups, check the disk, and restore the newest backup.`,
    });
  }
  chmodSync(target, 0o600);
  syncFile(target);
  return { path: DATABASE_FILE, ...(await digestFile(target)) };
}

async function damageIn(check: () => Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await check();
  } catch (error) {
    if (isDamage(error)) return (error as Error).message;
    throw error;
  }
}

function refuseOtherSecret(secret: string | undefined, fingerprint: string | undefined): void {
  if (fingerprint === undefined || (secret !== undefined && fingerprintOf(secret) === fingerprint)) return;
  throw new SecretError(
    'No backup was created, because the database belongs to another secret. Set CAIRN_SECRET to the secret of the server, or put its secret.key into CAIRN_DATA.',
  );
}

const DRAFT = /\.part$/;

async function copyBlobs(request: BackupRequest, copied: readonly BackedUpFile[] = []): Promise<BackedUpFile[]> {
  const { blobs, folder, onProgress } = request;
  if (blobs === undefined) return [];
  const known = new Set(copied.map(({ path }) => path));
  const isNew = (path: string) => !DRAFT.test(path) && !known.has(`${BLOB_FOLDER}/${path}`);
  const copies = await copyFiles({
    paths: filesBelow(blobs).filter(isNew),
    from: blobs,
    to: join(folder, BLOB_FOLDER),
    onProgress,
  });
  return copies.map((file) => ({ ...file, path: `${BLOB_FOLDER}/${file.path}` }));
}

interface FileCopies {
  readonly paths: readonly string[];
  readonly from: string;
  readonly to: string;
  readonly onProgress: OnProgress;
}

async function copyFiles({ paths, from, to, onProgress }: FileCopies): Promise<BackedUpFile[]> {
  const copied: BackedUpFile[] = [];
  for (const [index, path] of paths.entries()) {
    const digest = await copyIfThere({ source: join(from, path), target: join(to, path) });
    if (digest !== undefined) copied.push({ path, ...digest });
    onProgress('copying files', (index + 1) / paths.length);
  }
  return copied;
}

async function copyIfThere(copy: FileCopy): Promise<Digest | undefined> {
  try {
    return await copyFile(copy);
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && path === copy.source) return undefined;
    throw error;
  }
}

interface CheckedBackup {
  readonly database: string;
  readonly damages: readonly string[];
}

export async function checkBackup(request: { folder: string; onProgress: OnProgress }): Promise<CheckedBackup> {
  return await onFiles(async () => {
    const source = resolve(request.folder);
    const manifest = readManifest(source);
    refuseNewer(manifest, newestSchemaVersion());
    const damages: string[] = [];
    for (const [index, file] of manifest.files.entries()) {
      request.onProgress(file.path, index / manifest.files.length);
      damages.push(...(await damagesOf(source, file)));
    }
    return { database: immutableFile(join(source, DATABASE_FILE)), damages };
  });
}

async function damagesOf(source: string, { path, bytes, sha256 }: BackedUpFile): Promise<string[]> {
  const file = join(source, path);
  if (!existsSync(file)) return [`${path} is missing`];
  const found = await digestFile(file);
  if (found.bytes !== bytes) return [`${path} has ${found.bytes} bytes instead of ${bytes}`];
  return found.sha256 === sha256 ? [] : [`${path} was changed: its SHA-256 does not match the manifest`];
}
