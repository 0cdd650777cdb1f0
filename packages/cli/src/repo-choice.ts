// Which repository a command is about, where it is given none: `--repo`, then CAIRN_REPO, then the nearest `.cairn` file.
import type { Io } from './io.ts';
import { findRepoFile } from './repo-file.ts';

export interface RepoChoice {
  readonly repo: string;
  readonly from: '--repo' | 'CAIRN_REPO' | '.cairn';
  /** The file that says so. */
  readonly file?: string;
}

export function chooseRepo(io: Io, { repo }: { readonly repo?: string }): RepoChoice | undefined {
  const { CAIRN_REPO } = io.environment;
  if (repo !== undefined) return { repo, from: '--repo' };
  if (CAIRN_REPO !== undefined) return { repo: CAIRN_REPO, from: 'CAIRN_REPO' };
  const found = findRepoFile(io);
  return found && { ...found, from: '.cairn' };
}
