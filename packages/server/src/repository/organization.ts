import type { AuditAction } from '@cairn/protocol/audit-action';
import { fail } from '@cairn/protocol/errors';
import { RESERVED_ORGANIZATION_NAMES } from '@cairn/protocol/names';
import type { AuditEntry } from '../access/audit.sql.ts';
import { type Audited, audited } from '../access/audit.ts';
import type { Context, Operation } from '../access/context.ts';
import { openList } from '../access/cursor.ts';
import type { OrganizationGrant } from '../access/grant.rule.ts';
import {
  authorizeCreation,
  authorizeOrganization,
  authorizeProfile,
  ORGANIZATION_LISTED_BY,
  reachOf,
} from '../access/organization-access.ts';
import { listOrganizations } from './organization.sql.ts';

export const getOrg: Operation<'org.get'> = async (context, { orgName }) => {
  const grant = await authorizeProfile(context, orgName);
  return grant.organization;
};

export const listOrgs: Operation<'org.list'> = async ({ principal, store, keys }, { limit, cursor }) => {
  const list = openList<[string]>({ keys }, 'org.list', {}, { cursor, limit });
  const [after] = list.after ?? [''];
  const reach = reachOf(principal, ORGANIZATION_LISTED_BY);
  const found = await listOrganizations(store.database, { reach, after, limit: limit + 1 });
  return list.toPage(found, ({ name }) => [name]);
};

export const createOrg: Operation<'org.create'> = async (context, form) => {
  const { accountId: ownerId } = authorizeCreation(context);
  refuseReservedName(form.name, 'name');
  const { name } = form;
  const audit = audited(context, { action: 'org.create', target: name, places: [{ orgName: name }] });
  return await context.store.write.createOrganization({ ...form, ownerId, now: Date.now() }, audit);
};

export const updateOrg: Operation<'org.update'> = async (context, { orgName, ...update }) => {
  const grant = await authorizeOrganization(context, orgName, 'org:configure');
  return await context.store.write.updateOrganization({ grant, ...update });
};

export const renameOrg: Operation<'org.rename'> = async (context, { orgName, newName }) => {
  const grant = await authorizeOrganization(context, orgName, 'org:admin');
  refuseReservedName(newName, 'newName');
  const audit = auditOrganization(context, grant, 'org.rename', { newName });
  return await context.store.write.renameOrganization({ grant, newName, now: Date.now() }, audit);
};

export const archiveOrg: Operation<'org.archive'> = async (context, { orgName }) => {
  const grant = await authorizeOrganization(context, orgName, 'org:admin');
  const audit = auditOrganization(context, grant, 'org.archive');
  return await context.store.write.setOrganizationArchived({ grant, archived: true, now: Date.now() }, audit);
};

export const unarchiveOrg: Operation<'org.unarchive'> = async (context, { orgName }) => {
  const grant = await authorizeOrganization(context, orgName, 'org:admin');
  const audit = auditOrganization(context, grant, 'org.unarchive');
  return await context.store.write.setOrganizationArchived({ grant, archived: false, now: Date.now() }, audit);
};

function auditOrganization(
  context: Context,
  { organization, orgId }: OrganizationGrant,
  action: AuditAction,
  details: Audited['details'] = {},
): AuditEntry {
  return audited(context, { action, target: organization.name, details, places: [{ orgId }] });
}

export function refuseReservedName(name: string, path: string): void {
  if (!RESERVED_ORGANIZATION_NAMES.has(name)) return;
  throw fail('RESERVED_NAME', { message: `The name ${name} is reserved. Choose another.`, details: [{ path }] });
}
