import type { AuditAction } from '@cairn/protocol/audit-action';
import type { Command } from 'commander';
import type { Io } from '../io.ts';
import { addPaging, type PagingFlags, pagingOf } from '../paging.ts';
import { addProfile, type ProfileFlags, requireChange } from '../profile.ts';
import { openSession } from '../session.ts';
import { addMembers } from './member.ts';

const COLUMNS = ['name', 'displayName', 'archived', 'createdAt'];

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
    .action(async (flags: PagingFlags, command: Command) => {
      const { client, printPage } = openSession(io, command);
      printPage(await client.org.list(pagingOf(flags)), COLUMNS);
    });
  org
    .command('view <org>')
    .summary('show an organization')
    .action(async (orgName: string, _flags: object, command: Command) => {
      const { client, print } = openSession(io, command);
      print(await client.org.get(orgName));
    });
}

function addWrites(org: Command, io: Io): void {
  addProfile(org.command('create <org>'))
    .summary('create an organization')
    .action(async (orgName: string, flags: ProfileFlags, command: Command) => {
      const { client, print } = openSession(io, command);
      print(await client.org.create(orgName, flags));
    });
  addProfile(org.command('update <org>'))
    .summary('change what is said about an organization')
    .action(async (orgName: string, flags: ProfileFlags, command: Command) => {
      const { client, print } = openSession(io, command);
      print(await client.org.update(orgName, requireChange(flags)));
    });
  org
    .command('rename <org> <new-name>')
    .summary('rename an organization; nobody else can have the old name for 90 days')
    .action(async (orgName: string, newName: string, _flags: object, command: Command) => {
      const { client, print } = openSession(io, command);
      print(await client.org.rename(orgName, { newName }));
    });
  org
    .command('archive <org>')
    .summary('let an organization and its repositories take no more writes')
    .action(async (orgName: string, _flags: object, command: Command) => {
      const { client, print } = openSession(io, command);
      print(await client.org.archive(orgName));
    });
  org
    .command('unarchive <org>')
    .summary('undo archive')
    .action(async (orgName: string, _flags: object, command: Command) => {
      const { client, print } = openSession(io, command);
      print(await client.org.unarchive(orgName));
    });
}

const AUDIT_COLUMNS = ['at', 'action', 'actor', 'target', 'details', 'address'];

function addAudit(org: Command, io: Io): void {
  addPaging(org.command('audit <org>'))
    .summary('list who did what that decides over access, newest first')
    .option('--action <action>', 'only entries of this action, such as repo.setVisibility')
    .action(async (orgName: string, flags: PagingFlags & { action?: AuditAction }, command: Command) => {
      const { client, printPage } = openSession(io, command);
      const action = flags.action !== undefined && { action: flags.action };
      printPage(await client.audit.list(orgName, { ...pagingOf(flags), ...action }), AUDIT_COLUMNS);
    });
}
