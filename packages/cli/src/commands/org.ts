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
    .summary('list the organizations that you can see')
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
    .summary('change the display name or description of an organization')
    .action(
      printed(io, openSession, ({ client }, orgName: string, flags: ProfileFlags) =>
        client.org.update(orgName, requireChange(flags)),
      ),
    );
  org
    .command('rename <org> <new-name>')
    .summary('rename an organization; the old name stays reserved for 90 days')
    .action(
      printed(io, openSession, ({ client }, orgName: string, newName: string) =>
        client.org.rename(orgName, { newName }),
      ),
    );
  for (const [verb, summary] of [
    ['archive', 'make an organization and its repositories read-only'],
    ['unarchive', 'make an archived organization writable again'],
  ] as const) {
    org
      .command(`${verb} <org>`)
      .summary(summary)
      .action(printed(io, openSession, ({ client }, orgName: string) => client.org[verb](orgName)));
  }
}

const AUDIT = { columns: ['action', 'target', 'details', 'actor', 'at', 'address'] };

function addAudit(org: Command, io: Io): void {
  addPaging(org.command('audit <org>'))
    .summary('list changes to access rights and who made them, newest first')
    .option('--action <action>', 'only entries of this action, such as repo.setVisibility')
    .action(
      listed(io, openSession, AUDIT, ({ client }, paging, orgName: string, { action }: { action?: AuditAction }) =>
        client.audit.list(orgName, { ...paging, action }),
      ),
    );
}

const MEMBERS = { columns: ['handle', 'email', 'role', 'createdAt', 'expiresAt'] };

const adviceOn = ({ mailed = false }: { readonly mailed?: boolean | undefined }) =>
  mailed
    ? 'The server also mails the link. It is shown only once, and works once.'
    : 'This server sends no mail, so send the link yourself. It is shown only once, and works once.';

function addMembers(org: Command, io: Io): void {
  addPaging(org.command('members <org>'))
    .summary('list the members of an organization')
    .action(
      listed(io, openSession, MEMBERS, ({ client }, paging, orgName: string) =>
        client.org.listMembers(orgName, paging),
      ),
    );
  for (const [verb, procedure, summary] of [
    ['add-member', 'addMember', 'add an account as a member, or invite an email address'],
    ['set-role', 'setMemberRole', 'change the role of a member, or of a pending invitation'],
  ] as const) {
    org
      .command(`${verb} <org> <handle-or-email>`)
      .addArgument(new Argument('<role>', 'role in the organization').choices(Object.keys(ORGANIZATION_ROLES)))
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
    .summary('remove a member, with every role in the repositories, or cancel an invitation')
    .action(
      printed(io, openSession, ({ client }, orgName: string, person: string) =>
        client.org.removeMember(orgName, person),
      ),
    );
}

export function addRoles(repo: Command, io: Io): void {
  addPaging(repo.command('roles [org/repo]'))
    .summary('list the accounts that have their own role in a repository')
    .action(listed(io, openRepo, MEMBERS, ({ repo }, paging) => repo().listRoles(paging)));
  repo
    .command('set-role <org/repo> <handle-or-email>')
    .addArgument(
      new Argument('<role>', 'role in the repository; none removes it').choices([
        ...Object.keys(REPOSITORY_ROLES),
        'none',
      ]),
    )
    .summary(
      'set the role of an account in one repository, which overrides its organization role; or invite an email address',
    )
    .action(async (_: string, person: string, role: RepositoryRole | 'none', _flags: object, command: Command) => {
      const { repo, print, say } = openRepo(io, command);
      const result = await repo().setRole(person, role === 'none' ? null : role);
      print(result);
      if (result.link !== undefined) say(adviceOn(result));
    });
}
