// The repository that a path names.
import { ORGANIZATION_NAME, REPOSITORY_NAME } from '@cairn/protocol/names';
import type { RepositoryAddress } from '../repository/repository.sql.ts';
import type { EdgeContext } from './env.ts';

/** What cannot be a name is looked for like any other, and not found. */
export function addressIn(c: EdgeContext): RepositoryAddress {
  // The specification spells its parameters in two ways.
  const given: Readonly<Record<string, string>> = c.req.param();
  const { org = '', repo = '', orgName = org, repoName = repo } = given;
  const isPossible = ORGANIZATION_NAME.test(orgName) && REPOSITORY_NAME.test(repoName);
  return isPossible ? { orgName, repoName } : { orgName: '', repoName: '' };
}
