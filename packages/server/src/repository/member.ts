// Members and roles. Giving a role and inviting to it follow the same rules.

import { utcTimeText } from '@cairn/model/time-text';
import type { AuditAction } from '@cairn/protocol/audit-action';
import type { Member, MemberResult, Person, RepositoryRoleHolder } from '@cairn/protocol/organization';
import type { Page } from '@cairn/protocol/page';
import { ORGANIZATION_ROLES, type OrganizationRole, REPOSITORY_ROLES } from '@cairn/protocol/scopes';
import { authorize, authorOf } from '../access/access.ts';
import { audited, auditedIn } from '../access/audit.ts';
import type { Context, Operation } from '../access/context.ts';
import { openList } from '../access/cursor.ts';
import { authorizeOrganization } from '../access/organization-access.ts';
import { checkOrgPermission, placesOfRole, requireGivable } from '../access/whoami.ts';
import { hashCode, mintCode } from '../keys/secret.ts';
import { type Inviter, inOrganization, inRepository, listInvitations } from './invitation.sql.ts';
import { listMembers as findMembers, listRepositoryRoles, type MemberPage } from './member.sql.ts';

export const listMembers: Operation<'org.listMembers'> = async (context, { orgName, cursor, limit }) => {
  const { database } = context.store;
  const grant = await authorizeOrganization(context, orgName, 'org:read');
  const { allowed: seesInvitations } = await checkOrgPermission(context, { orgName, permission: 'org:configure' });
  const list = openList<string[]>(context, 'org.listMembers', { orgId: grant.orgId }, { cursor, limit });
  return await pageOfHolders<Member>(list, limit, [
    (page) => findMembers(database, grant, page),
    async (page) =>
      seesInvitations ? await listInvitations(database, inOrganization(grant), { ...page, now: Date.now() }) : [],
  ]);
};

type FindHolders<Item> = (page: MemberPage) => Promise<Item[]>;

async function pageOfHolders<Item extends Pick<Member, 'handle' | 'email'>>(
  { after, toPage }: ReturnType<typeof openList<string[]>>,
  limit: number,
  [findHolders, findInvited]: readonly [FindHolders<Item>, FindHolders<Item>],
): Promise<Page<Item>> {
  const [handle = '', email] = after ?? [];
  const holders = email === undefined ? await findHolders({ after: handle, limit: limit + 1 }) : [];
  const missing = limit + 1 - holders.length;
  const invited = missing > 0 ? await findInvited({ after: email ?? '', limit: missing }) : [];
  return toPage([...holders, ...invited], (last) =>
    last.handle === undefined ? ['', last.email ?? ''] : [last.handle],
  );
}

interface MemberRequest extends PersonInput {
  readonly orgName: string;
}

interface PersonInput {
  readonly handle?: string | undefined;
  readonly email?: string | undefined;
}

function personOf({ handle, email }: PersonInput): Person {
  return email === undefined ? { handle: handle ?? '' } : { email };
}

export const addMember: Operation<'org.addMember'> = async (context, input) => {
  return await changeMember(context, input, { action: 'org.addMember', role: input.role, expected: 'new' });
};

export const setMemberRole: Operation<'org.setMemberRole'> = async (context, input) => {
  return await changeMember(context, input, { action: 'org.setMemberRole', role: input.role, expected: 'member' });
};

export const removeMember: Operation<'org.removeMember'> = async (context, input) => {
  return await changeMember(context, input, { action: 'org.removeMember', role: null, expected: 'member' });
};

async function changeMember(
  context: Context,
  { orgName, ...input }: MemberRequest,
  { action, role, expected }: { action: AuditAction; role: OrganizationRole | null; expected: 'new' | 'member' },
): Promise<MemberResult> {
  const grant = await authorizeOrganization(context, orgName, 'org:configure');
  if (role !== null) requireGivable(context, await placesOfRole(context, grant), ORGANIZATION_ROLES[role]);
  const { allowed: mayChangeOwners } = await checkOrgPermission(context, { orgName, permission: 'org:admin' });
  const { link, inviter } = prepareInvitation(context);
  const person = personOf(input);
  const change = { grant, person, role, expected, mayChangeOwners, inviter, now: Date.now() };
  const { orgId, organization } = grant;
  const details = { ...person, role };
  const audit = audited(context, { action, target: organization.name, details, places: [{ orgId }] });
  const { holder, invited } = await context.store.write.setMember(change, audit);
  if (!invited) return holder;
  return { ...holder, link, mailed: mailInvitation(context, { ...holder, link, place: organization.name }) };
}

/** Only the code's hash is stored, so the link is shown once. */
function prepareInvitation({ principal, publicUrl }: Context): { link: string; inviter: Inviter } {
  if (!('accountId' in principal)) throw new Error('a caller without an account was allowed to give a role');
  const code = mintCode();
  return {
    link: `${publicUrl}/auth/invite?code=${code}`,
    inviter: { accountId: principal.accountId, codeHash: hashCode(code) },
  };
}

export const listRoles: Operation<'repo.listRoles'> = async (context, { cursor, limit, ...address }) => {
  const { database } = context.store;
  const grant = await authorize(context, address, 'repo:admin');
  const list = openList<string[]>(context, 'repo.listRoles', { repoId: grant.repoId }, { cursor, limit });
  return await pageOfHolders<RepositoryRoleHolder>(list, limit, [
    (page) => listRepositoryRoles(database, grant, page),
    (page) => listInvitations(database, inRepository(grant), { ...page, now: Date.now() }),
  ]);
};

export const setRole: Operation<'repo.setRole'> = async (context, { handle, email, role, ...address }) => {
  const grant = await authorize(context, address, 'repo:admin');
  if (role !== null) requireGivable(context, [grant], REPOSITORY_ROLES[role]);
  const { link, inviter } = prepareInvitation(context);
  const person = personOf({ handle, email });
  const { repository } = grant;
  const audit = auditedIn(context, grant, 'repo.setRole', { ...person, role });
  const change = { grant, person, role, inviter, now: Date.now() };
  const { holder, invited } = await context.store.write.setRepositoryRole(change, audit);
  if (!invited) return holder;
  const place = `${repository.orgName}/${repository.name}`;
  return { ...holder, link, mailed: mailInvitation(context, { ...holder, link, place }) };
};

interface MailedInvitation {
  readonly email?: string | undefined;
  readonly expiresAt?: number | undefined;
  readonly role: string | null;
  readonly link: string;
  readonly place: string;
}

export function mailInvitation(
  { mail, principal, publicUrl }: Context,
  { email, expiresAt = 0, role, link, place }: MailedInvitation,
): boolean {
  if (mail === undefined || email === undefined) return false;
  const inviter = 'handle' in principal ? principal.handle : authorOf(principal);
  const text = `${inviter} invites you to ${place} on Cairn at ${publicUrl}, as ${role}.

To accept, open this link. It works once, until ${utcTimeText(expiresAt)}:

${link}

If you do not know ${inviter}, or do not want to join, ignore this mail.
`;
  mail.add({ about: 'invitation', to: email, write: () => ({ subject: `${inviter} invites you to ${place}`, text }) });
  return true;
}
