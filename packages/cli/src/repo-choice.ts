// Chooses the repository of a command: ORG/REPO from `--repo`, CAIRN_REPO, or the nearest `.cairn` file. That file
// contains only a name and never an address: a file from somebody else must not lead a token to another server.
import { lstatSync, readFileSync, rmSync, type Stats, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ORGANIZATION_NAME, REPOSITORY_NAME } from '@cairn/protocol/names';
import { UsageError } from './exit-codes.ts';
import type { Io } from './io.ts';

export interface RepoName {
  readonly orgName: string;
  readonly repoName: string;
}

/** Next step if a repository is not found. */
export const LIST_REPOSITORIES = 'To list the repositories that you can see: cairn repo list.';

const REPO_NAME = /^[^/\s]+\/[^/\s]+$/;

const isRepoName = (text: string) => REPO_NAME.test(text);

export function parseRepoName(text: string): RepoName {
  if (!isRepoName(text))
    throw new UsageError(`${text} is not the name of a repository. Write it as ORG/REPO.${meantBy(text)}`);
  const [orgName = '', repoName = ''] = text.split('/');
  return { orgName, repoName };
}

const CHARACTERS = 'ORG takes a-z, 0-9 and -; REPO takes A-Z, a-z, 0-9, ., _ and -.';

/** Joins words with hyphens if that gives a valid name. */
function meantBy(text: string): string {
  const [org = '', repo, ...more] = text.trim().split('/');
  if (repo === undefined) return '';
  const [orgName, repoName] = [joinedWords(org).toLowerCase(), joinedWords(repo)];
  const isName = more.length === 0 && ORGANIZATION_NAME.test(orgName) && REPOSITORY_NAME.test(repoName);
  return ` ${CHARACTERS}${isName ? ` Did you mean ${orgName}/${repoName}?` : ''}`;
}

const joinedWords = (text: string) => text.trim().replaceAll(/\s+/g, '-');

const FILE_NAME = '.cairn';
const BYTES_MAX = 4_096;

export const repoFileIn = (folder: string) => join(folder, FILE_NAME);

interface RepoFile {
  readonly file: string;
  readonly repo: string;
}

function findRepoFile({ folder, userId }: Pick<Io, 'folder' | 'userId'>): RepoFile | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const file = repoFileIn(at);
    if (isFile(file)) return { file, repo: readRepoFile(file, userId) };
    if (dirname(at) === at) return undefined;
  }
}

/** Folders of that name belong to other programs. */
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
    `${file} must contain one line, ORG/REPO, and nothing else. Correct it, or write a new one: cairn use ORG/REPO.`,
  );
}

/** In a shared folder anybody could redirect the writes of others to their own repository. */
function refuseOthers(file: string, { uid }: Stats, userId: number | undefined): void {
  if (userId === undefined || uid === userId || uid === 0) return;
  throw new UsageError(
    `${file} belongs to another user and is not trusted. Name the repository with --repo, or write your own file: cairn use ORG/REPO.`,
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

export function removeRepoFile(folder: string): boolean {
  const file = repoFileIn(folder);
  if (!isFile(file)) return false;
  rmSync(file);
  return true;
}

interface RepoChoice {
  readonly repo: string;
  readonly from: '--repo' | 'CAIRN_REPO' | '.cairn';
  readonly file?: string;
}

export function chooseRepo(io: Io, { repo }: { readonly repo?: string }): RepoChoice | undefined {
  const { CAIRN_REPO } = io.environment;
  if (repo !== undefined) return { repo, from: '--repo' };
  if (CAIRN_REPO !== undefined) return { repo: CAIRN_REPO, from: 'CAIRN_REPO' };
  const found = findRepoFile(io);
  return found && { ...found, from: '.cairn' };
}
