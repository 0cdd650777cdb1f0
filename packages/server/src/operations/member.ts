// Who belongs to an organization and in which role, and who has a role of their own in a repository.
import type { Member, RepositoryRoleHolder } from '@cairn/protocol/member';
import type { Page } from '@cairn/protocol/page';
import type { ProcedureArguments, ProcedureOutput } from '@cairn/protocol/procedures';
import { ORGANIZATION_ROLES, type OrganizationRole, REPOSITORY_ROLES } from '@cairn/protocol/roles';
import { listMembers as findMembers, listRepositoryRoles, type MemberPage } from '../store/member.ts';
import { authorize } from './access.ts';
import type { Context } from './context.ts';
import { decodeCursor, encodeCursor, type ListIdentity, toPage } from './cursor.ts';
import { authorizeOrganization } from './organization-access.ts';
import { checkOrgPermission, requireGivable } from './permission.ts';

export async function listMembers(
  context: Context,
  { orgName, cursor, limit }: ProcedureArguments<'org.listMembers'>,
): Promise<Page<Member>> {
  const grant = await authorizeOrganization(context, orgName, 'org:read');
  const list = { procedure: 'org.listMembers', parameters: { orgId: grant.orgId } } as const;
  return await pageByHandle(context, { list, cursor, limit }, (page) =>
    findMembers(context.store.database, grant, page),
  );
}

interface HandlePage {
  readonly list: ListIdentity;
  readonly cursor: string | undefined;
  readonly limit: number;
}

async function pageByHandle<Item extends { handle: string }>(
  { keys }: Context,
  { list, cursor, limit }: HandlePage,
  find: (page: MemberPage) => Promise<Item[]>,
): Promise<Page<Item>> {
  const [after] = cursor === undefined ? [''] : decodeCursor<[string]>(keys.cursor, { ...list, cursor });
  return toPage(await find({ after, limit: limit + 1 }), {
    limit,
    cursorAfter: ({ handle }) => encodeCursor(keys.cursor, { ...list, position: [handle] }),
  });
}

interface MemberRequest {
  readonly orgName: string;
  readonly handle: string;
}

export async function addMember(context: Context, input: ProcedureArguments<'org.addMember'>): Promise<Member> {
  return await changeMember(context, input, { role: input.role, expected: 'new' });
}

export async function setMemberRole(context: Context, input: ProcedureArguments<'org.setMemberRole'>): Promise<Member> {
  return await changeMember(context, input, { role: input.role, expected: 'member' });
}

export async function removeMember(context: Context, input: ProcedureArguments<'org.removeMember'>): Promise<Member> {
  return await changeMember(context, input, { role: null, expected: 'member' });
}

interface MemberChange {
  readonly role: OrganizationRole | null;
  /** Whether the account must be a member already, or must not be. */
  readonly expected: 'new' | 'member';
}

async function changeMember(
  context: Context,
  { orgName, handle }: MemberRequest,
  { role, expected }: MemberChange,
): Promise<Member> {
  const grant = await authorizeOrganization(context, orgName, 'org:configure');
  if (role !== null) requireGivable(context, grant, ORGANIZATION_ROLES[role]);
  const { allowed: mayChangeOwners } = await checkOrgPermission(context, { orgName, permission: 'org:admin' });
  return await context.store.write('setMember', { grant, handle, role, expected, mayChangeOwners, now: Date.now() });
}

export async function listRoles(
  context: Context,
  { cursor, limit, ...address }: ProcedureArguments<'repo.listRoles'>,
): Promise<Page<RepositoryRoleHolder>> {
  const grant = await authorize(context, address, 'repo:admin');
  const list = { procedure: 'repo.listRoles', parameters: { repoId: grant.repoId } } as const;
  const find = (page: MemberPage) => listRepositoryRoles(context.store.database, grant, page);
  return await pageByHandle(context, { list, cursor, limit }, find);
}

export async function setRole(
  context: Context,
  { handle, role, ...address }: ProcedureArguments<'repo.setRole'>,
): Promise<ProcedureOutput<'repo.setRole'>> {
  const grant = await authorize(context, address, 'repo:admin');
  if (role !== null) requireGivable(context, grant, REPOSITORY_ROLES[role]);
  return await context.store.write('setRepositoryRole', { grant, handle, role, now: Date.now() });
}
