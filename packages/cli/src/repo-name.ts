// How a repository is named on the command line: ORG/REPO.
import { ORGANIZATION_NAME, REPOSITORY_NAME } from '@cairn/protocol/names';
import { UsageError } from './exit-codes.ts';

export interface RepoName {
  readonly orgName: string;
  readonly repoName: string;
}

const REPO_NAME = /^[^/\s]+\/[^/\s]+$/;

export const isRepoName = (text: string) => REPO_NAME.test(text);

export function parseRepoName(text: string): RepoName {
  if (!isRepoName(text))
    throw new UsageError(`${text} is not the name of a repository. Write it as ORG/REPO.${meantBy(text)}`);
  const [orgName = '', repoName = ''] = text.split('/');
  return { orgName, repoName };
}

const CHARACTERS = 'ORG has a-z, 0-9 and -, REPO has A-Z, a-z, 0-9, ., _ and -.';

/** With a minus sign for what stands between words, where that makes a name. */
function meantBy(text: string): string {
  const [org = '', repo, ...more] = text.trim().split('/');
  if (repo === undefined) return '';
  const [orgName, repoName] = [joinedWords(org).toLowerCase(), joinedWords(repo)];
  const isName = more.length === 0 && ORGANIZATION_NAME.test(orgName) && REPOSITORY_NAME.test(repoName);
  return ` ${CHARACTERS}${isName ? ` Did you mean ${orgName}/${repoName}?` : ''}`;
}

const joinedWords = (text: string) => text.trim().replaceAll(/\s+/g, '-');
