// `cairn admin restore` puts a backup into a data folder without a database.
import { existsSync, linkSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fail } from '@cairn/protocol/errors';
import { findSecret, fingerprintOf, KEY_FILE, SecretError } from '../keys/secret.ts';
import type { BackupRequest, BackupResult, OnProgress } from './backup.ts';
import {
  BLOB_FOLDER,
  checkSqliteCopy,
  copyFile,
  DATABASE_FILE,
  damaged,
  type Manifest,
  newestSchemaVersion,
  onFiles,
  readManifest,
  readSqliteCopy,
  refuseNewer,
  syncFile,
  syncFolders,
  totalBytes,
} from './backup-file.ts';

export interface RestoreResult extends Omit<BackupResult, 'folder' | 'secretIncluded' | 'integrity'> {
  readonly data: string;
  readonly secretNeeded: boolean;
}

export async function restore(request: BackupRequest): Promise<RestoreResult> {
  return await onFiles(async () => {
    const { data, blobs } = request;
    const source = resolve(request.folder);
    const manifest = readManifest(source);
    refuseNewer(manifest, newestSchemaVersion());
    refuseBucket(manifest, blobs);
    refuseOccupied(data, blobs);
    checkSizes(source, manifest);
    const partial = { data: makePartial(data), blobs: makePartial(blobs ?? data) };
    try {
      await copyChecked({ manifest, source, partial, onProgress: request.onProgress });
      await checkSqliteCopy(join(partial.data, DATABASE_FILE));
      const secretNeeded = await checkSecretOf(request, partial.data);
      place(partial, { data, blobs: blobs ?? data });
      return resultOf({ manifest, data, secretNeeded });
    } finally {
      for (const folder of Object.values(partial)) rmSync(folder, { recursive: true, force: true });
    }
  });
}

interface Places {
  readonly data: string;
  readonly blobs: string;
}

function makePartial(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return mkdtempSync(join(folder, 'restore-'));
}

function resultOf({ manifest, data, secretNeeded }: { manifest: Manifest; data: string; secretNeeded: boolean }) {
  const { engine, schemaVersion, createdAt, files, blobsIncluded } = manifest;
  const size = { files: files.length, bytes: totalBytes(files) };
  return { data, engine, schemaVersion, createdAt, ...size, secretNeeded, blobsIncluded };
}

function refuseBucket({ files }: Manifest, blobs: string | undefined): void {
  if (blobs !== undefined || !files.some(({ path }) => path.startsWith(BLOB_FOLDER))) return;
  throw fail('VALIDATION_ERROR', {
    message:
      'The backup contains blobs, but CAIRN_BLOBS names a bucket. Restore without CAIRN_BLOBS, copy the files in the folder blobs of CAIRN_DATA to the bucket, and set CAIRN_BLOBS again.',
  });
}

const OCCUPYING = ['cairn.db', 'usage.db', 'search.db'].flatMap((name) => [name, `${name}-wal`, `${name}-shm`]);

function refuseOccupied(data: string, blobs: string | undefined): void {
  const found = OCCUPYING.map((name) => join(data, name)).filter((file) => existsSync(file));
  if (blobs !== undefined && existsSync(blobs) && readdirSync(blobs).length > 0) found.push(blobs);
  if (found.length === 0) return;
  throw fail('CONFLICT', {
    message: `The folder already contains the data of a server: ${found.join(', ')}. Set CAIRN_DATA to an empty folder, or stop the server that uses this folder and move the data away.`,
  });
}

function checkSizes(source: string, { files }: Manifest): void {
  for (const { path, bytes } of files) {
    const file = join(source, path);
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined) throw damaged(file, 'it is missing');
    if (found.size !== bytes) throw damaged(file, `it has ${found.size} bytes instead of ${bytes}`);
  }
}

interface CopyChecked {
  readonly manifest: Manifest;
  readonly source: string;
  readonly partial: Places;
  readonly onProgress: OnProgress;
}

/** Checks the copied bytes, because the source could change after a separate check. */
async function copyChecked({ manifest: { files }, source, partial, onProgress }: CopyChecked): Promise<void> {
  const total = totalBytes(files);
  let done = 0;
  const onBytes = (count: number) => {
    done += count;
    onProgress('copying and checking', done / total);
  };
  for (const { path, sha256 } of files) {
    const copied = await copyFile({ source: join(source, path), target: partialOf(path, partial), onBytes });
    if (copied.sha256 !== sha256) throw damaged(join(source, path), 'its SHA-256 does not match the manifest');
  }
}

function partialOf(path: string, { data, blobs }: Places): string {
  const [first, ...rest] = path.split('/');
  return first === BLOB_FOLDER ? join(blobs, ...rest) : join(data, path);
}

async function checkSecretOf({ data, secret }: BackupRequest, partial: string): Promise<boolean> {
  const { secretFingerprint } = await readSqliteCopy(join(partial, DATABASE_FILE));
  if (secretFingerprint === undefined) return false;
  const present = findSecret({ given: secret, folder: data }) ?? findSecret({ given: undefined, folder: partial });
  if (present === undefined) return true;
  if (fingerprintOf(present) === secretFingerprint) return false;
  const wrong = secret === undefined ? `The ${KEY_FILE} in ${data}` : 'CAIRN_SECRET';
  throw new SecretError(
    `Nothing was restored, because ${wrong} is not the secret of the server in the backup. Use that secret, or remove this one if the backup has its own ${KEY_FILE}.`,
  );
}

// Links do not overwrite files that a server has created meanwhile. The database comes last, because with it a server
// can start.
function place(partial: Places, { data, blobs }: Places): void {
  for (const folder of Object.values(partial)) syncFolders(folder);
  for (const name of readdirSync(partial.blobs)) renameSync(join(partial.blobs, name), join(blobs, name));
  syncFile(blobs);
  const hasKey = existsSync(join(partial.data, KEY_FILE)) && !existsSync(join(data, KEY_FILE));
  for (const name of [...(hasKey ? [KEY_FILE] : []), DATABASE_FILE])
    linkSync(join(partial.data, name), join(data, name));
  syncFile(data);
}
