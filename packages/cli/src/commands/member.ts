// Members of organizations under `org`, and roles for single repositories under `repo`.
import {
  ORGANIZATION_ROLES,
  type OrganizationRole,
  REPOSITORY_ROLES,
  type RepositoryRole,
} from '@cairn/protocol/roles';
import { Argument, type Command } from 'commander';
import type { Io } from '../io.ts';
import { addPaging, type PagingFlags, pagingOf } from '../paging.ts';
import { openSession, repoOf } from '../session.ts';

const COLUMNS = ['handle', 'role', 'createdAt'];
const memberRole = () => new Argument('<role>').choices(Object.keys(ORGANIZATION_ROLES));
const repositoryRole = () =>
  new Argument('<role>', 'none takes it away').choices([...Object.keys(REPOSITORY_ROLES), 'none']);

export function addMembers(org: Command, io: Io): void {
  addPaging(org.command('members <org>'))
    .summary('list the members of an organization')
    .action(async (orgName: string, flags: PagingFlags, command: Command) => {
      const { client, printPage } = openSession(io, command);
      printPage(await client.org.listMembers(orgName, pagingOf(flags)), COLUMNS);
    });
  for (const [verb, procedure, summary] of [
    ['add-member', 'addMember', 'make an account a member'],
    ['set-role', 'setMemberRole', "change a member's role"],
  ] as const) {
    org
      .command(`${verb} <org> <handle>`)
      .addArgument(memberRole())
      .summary(summary)
      .action(async (orgName: string, handle: string, role: OrganizationRole, _flags: object, command: Command) => {
        const { client, print } = openSession(io, command);
        print(await client.org[procedure](orgName, handle, role));
      });
  }
  org
    .command('remove-member <org> <handle>')
    .summary('end a membership, and every role in the repositories')
    .action(async (orgName: string, handle: string, _flags: object, command: Command) => {
      const { client, print } = openSession(io, command);
      print(await client.org.removeMember(orgName, handle));
    });
}

export function addRoles(repo: Command, io: Io): void {
  addPaging(repo.command('roles [org/repo]'))
    .summary('list those who have a role of their own in a repository')
    .action(async (given: string | undefined, flags: PagingFlags, command: Command) => {
      const { orgName, repoName } = repoOf(io, command, given);
      const { client, printPage } = openSession(io, command);
      printPage(await client.repo.listRoles(orgName, repoName, pagingOf(flags)), COLUMNS);
    });
  repo
    .command('set-role <org/repo> <handle>')
    .addArgument(repositoryRole())
    .summary('give an account a role in one repository, in place of what its organization role gives')
    .action(async (given: string, handle: string, role: RepositoryRole | 'none', _flags: object, command: Command) => {
      const { orgName, repoName } = repoOf(io, command, given);
      const { client, print } = openSession(io, command);
      print(await client.repo.setRole(orgName, repoName, handle, role === 'none' ? null : role));
    });
}
