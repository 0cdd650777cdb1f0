// Files of a backup: copied whole, durable, readable by their owner alone, with their digests.
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
} from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fail } from '@cairn/protocol/errors';

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

/** The digest is that of the bytes that were written. */
export async function copyFile({ source, target, onBytes = () => {} }: FileCopy): Promise<Digest> {
  // Before anything is made at the target: what is no longer there leaves no trace.
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

/** Paths below the folder, with `/` between their names, in a fixed order; none when there is no folder. */
export function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const pathOf = ({ parentPath, name }: Dirent) => relative(folder, join(parentPath, name)).split(sep).join('/');
  return entries
    .filter((entry) => entry.isFile())
    .map(pathOf)
    .sort();
}

/** Names in a folder outlast a loss of power only when the folder itself is on the disk. */
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

const NO_PERMISSION = 'no permission. Run this as the user that the server runs as';
const NO_SPACE = 'no space is left on the disk. Make room, or name a folder on another';
const TAKEN = 'something else is there by now. Stop the server that uses the folder, or name another';

const REASONS: Readonly<Record<string, string>> = {
  EACCES: NO_PERMISSION,
  EPERM: NO_PERMISSION,
  EROFS: 'the disk can only be read. Name a folder on another',
  ENOSPC: NO_SPACE,
  EDQUOT: NO_SPACE,
  EEXIST: TAKEN,
  ENOTEMPTY: TAKEN,
  ENOTDIR: 'a part of the path is not a folder. Check it',
};

type FileError = NodeJS.ErrnoException & { dest?: string; errcode?: number };

/** SQLite numbers what the system refused it, and names no file. */
const SQLITE_REASONS: Readonly<Record<number, string>> = { 13: NO_SPACE, 14: NO_PERMISSION };

/** Work on files, whose likely failures are told in words. */
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
