// Whether a backup is as it was written: every file of it against the manifest, and the manifest against its own digest.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { OnProgress } from './backup.ts';
import { digestFile, onFiles } from './backup-file.ts';
import { type BackedUpFile, DATABASE_FILE, readManifest, refuseNewer } from './backup-manifest.ts';
import { immutableFile, newestSchemaVersion } from './sqlite-backup.ts';

export interface CheckedBackup {
  /** The database, to be opened without leaving a trace beside it. */
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
  if (found.bytes !== bytes) return [`${path} has ${found.bytes} bytes, and had ${bytes}`];
  return found.sha256 === sha256 ? [] : [`${path} is not what was written: its SHA-256 is not the one in the manifest`];
}
