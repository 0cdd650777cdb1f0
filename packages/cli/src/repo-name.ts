// How a repository is named on the command line: ORG/REPO.
import { UsageError } from './exit-codes.ts';

export interface RepoName {
  readonly orgName: string;
  readonly repoName: string;
}

const REPO_NAME = /^[^/\s]+\/[^/\s]+$/;

export const isRepoName = (text: string) => REPO_NAME.test(text);

export function parseRepoName(text: string): RepoName {
  if (!isRepoName(text)) throw new UsageError(`${text} is not the name of a repository. Write it as ORG/REPO.`);
  const [orgName = '', repoName = ''] = text.split('/');
  return { orgName, repoName };
}
