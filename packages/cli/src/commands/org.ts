// `cairn org`: organizations and their members, and under `repo` the roles of single repositories. People without an
// account get an invitation.
import type { AuditAction } from '@cairn/protocol/audit-action';
import type { MemberResult } from '@cairn/protocol/organization';
import {
  ORGANIZATION_ROLES,
  type OrganizationRole,
  REPOSITORY_ROLES,
  type RepositoryRole,
} from '@cairn/protocol/scopes';
import { Argument, type Command } from 'commander';
import { addPaging, addProfile, listed, type ProfileFlags, requireChange } from '../flags.ts';
import type { Io } from '../io.ts';
import { openRepo, openSession, printed } from '../session.ts';

const ORG_COLUMNS = ['name', 'displayName', 'archived', 'createdAt'];

export function addOrg(program: Command, io: Io): void {
  const org = program.command('org').summary('organizations');
  addReads(org, io);
  addWrites(org, io);
  addMembers(org, io);
  addAudit(org, io);
}

function addReads(org: Command, io: Io): void {
  addPaging(org.command('list'))
    .summary('list the organizations that you may see')
    .action(listed(io, openSession, { columns: ORG_COLUMNS }, ({ client }, paging) => client.org.list(paging)));
  org
    .command('view <org>')
    .summary('show an organization')
    .action(printed(io, openSession, ({ client }, orgName: string) => client.org.get(orgName)));
}

function addWrites(org: Command, io: Io): void {
  addProfile(org.command('create <org>'))
    .summary('create an organization')
    .action(
      printed(io, openSession, ({ client }, orgName: string, flags: ProfileFlags) => client.org.create(orgName, flags)),
    );
  addProfile(org.command('update <org>'))
    .summary('change what is said about an organization')
    .action(
      printed(io, openSession, ({ client }, orgName: string, flags: ProfileFlags) =>
        client.org.update(orgName, requireChange(flags)),
      ),
    );
  org
    .command('rename <org> <new-name>')
    .summary('rename an organization; nobody else can have the old name for 90 days')
    .action(
      printed(io, openSession, ({ client }, orgName: string, newName: string) =>
        client.org.rename(orgName, { newName }),
      ),
    );
  for (const [verb, summary] of [
    ['archive', 'let an organization and its repositories take no more writes'],
    ['unarchive', 'undo archive'],
  ] as const) {
    org
      .command(`${verb} <org>`)
      .summary(summary)
      .action(printed(io, openSession, ({ client }, orgName: string) => client.org[verb](orgName)));
  }
}

const AUDIT = { columns: ['at', 'action', 'actor', 'target', 'details', 'address'] };

interface AuditFlags {
  readonly action?: AuditAction;
}

function addAudit(org: Command, io: Io): void {
  addPaging(org.command('audit <org>'))
    .summary('list who did what that decides over access, newest first')
    .option('--action <action>', 'only entries of this action, such as repo.setVisibility')
    .action(
      listed(io, openSession, AUDIT, ({ client }, paging, orgName: string, { action }: AuditFlags) =>
        client.audit.list(orgName, { ...paging, action }),
      ),
    );
}

const MEMBERS = { columns: ['handle', 'email', 'role', 'createdAt', 'expiresAt'] };
const memberRole = () => new Argument('<role>', 'in the organization').choices(Object.keys(ORGANIZATION_ROLES));
const repositoryRole = () =>
  new Argument('<role>', 'none takes it away').choices([...Object.keys(REPOSITORY_ROLES), 'none']);

const adviceOn = ({ mailed = false }: { readonly mailed?: boolean | undefined }) =>
  mailed
    ? 'The link is mailed to who is invited, too. It is shown only now, and works once.'
    : 'This server sends no mail: send the link to who is invited. It is shown only now, and works once.';

function addMembers(org: Command, io: Io): void {
  addPaging(org.command('members <org>'))
    .summary('list the members of an organization')
    .action(
      listed(io, openSession, MEMBERS, ({ client }, paging, orgName: string) =>
        client.org.listMembers(orgName, paging),
      ),
    );
  for (const [verb, procedure, summary] of [
    ['add-member', 'addMember', 'make an account a member, or invite an email address'],
    ['set-role', 'setMemberRole', "change a member's role, or that of a pending invitation"],
  ] as const) {
    org
      .command(`${verb} <org> <handle-or-email>`)
      .addArgument(memberRole())
      .summary(summary)
      .action(async (orgName: string, person: string, role: OrganizationRole, _flags: object, command: Command) => {
        const { client, print, say } = openSession(io, command);
        const result: MemberResult = await client.org[procedure](orgName, person, role);
        print(result);
        if (result.link !== undefined) say(adviceOn(result));
      });
  }
  org
    .command('remove-member <org> <handle-or-email>')
    .summary('end a membership, and every role in the repositories; or cancel an invitation')
    .action(
      printed(io, openSession, ({ client }, orgName: string, person: string) =>
        client.org.removeMember(orgName, person),
      ),
    );
}

export function addRoles(repo: Command, io: Io): void {
  addPaging(repo.command('roles [org/repo]'))
    .summary('list those who have a role of their own in a repository')
    .action(listed(io, openRepo, MEMBERS, ({ repo }, paging) => repo().listRoles(paging)));
  repo
    .command('set-role <org/repo> <handle-or-email>')
    .addArgument(repositoryRole())
    .summary(
      'give a role in one repository, in place of what the organization role gives; or invite an email address to it',
    )
    .action(async (_: string, person: string, role: RepositoryRole | 'none', _flags: object, command: Command) => {
      const { repo, print, say } = openRepo(io, command);
      const result = await repo().setRole(person, role === 'none' ? null : role);
      print(result);
      if (result.link !== undefined) say(adviceOn(result));
    });
}
