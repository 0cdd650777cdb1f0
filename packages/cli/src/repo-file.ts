// The file `.cairn`: which repository commands in a folder, and below it, are about. It holds a name and nothing else, never an
// address: a file that somebody else put there must not lead a token to another server.
import { lstatSync, readFileSync, rmSync, type Stats, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UsageError } from './exit-codes.ts';
import type { Io } from './io.ts';
import { isRepoName } from './repo-name.ts';

const FILE_NAME = '.cairn';
const BYTES_MAX = 4_096;

export const repoFileIn = (folder: string) => join(folder, FILE_NAME);

export interface RepoFile {
  readonly file: string;
  readonly repo: string;
}

/** The one in this folder, or in the nearest above it; undefined where there is none. */
export function findRepoFile({ folder, userId }: Pick<Io, 'folder' | 'userId'>): RepoFile | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const file = repoFileIn(at);
    if (isFile(file)) return { file, repo: readRepoFile(file, userId) };
    if (dirname(at) === at) return undefined;
  }
}

/** Folders of that name are somebody else's business. */
function isFile(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
}

function readRepoFile(file: string, userId: number | undefined): string {
  refuseOthers(file, lstatSync(file), userId);
  const lines = textOf(file)
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  const [repo] = lines;
  if (lines.length === 1 && repo !== undefined && isRepoName(repo)) return repo;
  throw new UsageError(
    `${file} must hold one line, ORG/REPO, and nothing else. Mend it, or write it anew: cairn use ORG/REPO.`,
  );
}

/** In a folder that many may write to, anybody could have others write into a repository of their own. */
function refuseOthers(file: string, { uid }: Stats, userId: number | undefined): void {
  if (userId === undefined || uid === userId || uid === 0) return;
  throw new UsageError(
    `${file} belongs to another user, so it is not followed. Name the repository with --repo, or write a file of your own: cairn use ORG/REPO.`,
  );
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').slice(0, BYTES_MAX);
  } catch (error) {
    throw new UsageError(`Cannot read ${file}: ${(error as Error).message}. Name the repository with --repo.`);
  }
}

export function writeRepoFile(folder: string, repo: string): string {
  const file = repoFileIn(folder);
  try {
    writeFileSync(file, `${repo}\n`);
  } catch (error) {
    throw new UsageError(`Cannot write ${file}: ${(error as Error).message}. Set CAIRN_REPO instead.`);
  }
  return file;
}

/** Whether there was one in this folder. */
export function removeRepoFile(folder: string): boolean {
  const file = repoFileIn(folder);
  if (!isFile(file)) return false;
  rmSync(file);
  return true;
}
