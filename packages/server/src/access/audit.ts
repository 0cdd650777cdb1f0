// Builds and lists audit entries, and names the author of a change.

import type { AuditAction } from '@cairn/protocol/audit-action';
import { authorOf } from './access.ts';
import { type AuditEntry, type AuditPlace, listAudit as findAudit } from './audit.sql.ts';
import type { Context, Operation, Origin } from './context.ts';
import { openList } from './cursor.ts';
import type { Grant } from './grant.rule.ts';
import { authorizeOrganization } from './organization-access.ts';

export interface Audited {
  readonly action: AuditAction;
  readonly target: string;
  /** Admins of the organization see the details, so they must hold no secrets. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly places: readonly AuditPlace[];
}

export function audited({ principal, origin }: Pick<Context, 'principal' | 'origin'>, entry: Audited): AuditEntry {
  return auditedBy(authorOf(principal), origin, entry);
}

export function auditedIn(
  context: Context,
  { repository, orgId }: Grant,
  action: AuditAction,
  details: Audited['details'] = {},
  name?: string,
): AuditEntry {
  const place = `${repository.orgName}/${repository.name}`;
  const target = name === undefined ? place : `${place}/${name}`;
  return audited(context, { action, target, details, places: [{ orgId }] });
}

export function auditedBy(actor: string, { address, requestId }: Origin, entry: Audited): AuditEntry {
  return { details: {}, ...entry, actor, address, requestId, at: Date.now() };
}

/** Audits what users do to their own account. Before the account has an id, its personal organization stands for it. */
export function auditedByUser(
  { handle, accountId }: { handle: string; accountId?: number },
  origin: Origin,
  action: AuditAction,
  details: Audited['details'] = {},
): AuditEntry {
  const places = [accountId === undefined ? { orgName: handle } : { accountId }];
  return auditedBy(`user:${handle}`, origin, { action, target: `user:${handle}`, details, places });
}

export function auditedByOperator(entry: Audited): AuditEntry {
  return auditedBy('operator', {}, entry);
}

export const listAudit: Operation<'audit.list'> = async (context, { orgName, action, cursor, limit }) => {
  const { store } = context;
  const grant = await authorizeOrganization(context, orgName, 'org:configure');
  const list = openList<[number]>(context, 'audit.list', { orgId: grant.orgId, action }, { cursor, limit });
  const [before] = list.after ?? [];
  const found = await findAudit(store.database, grant, { action, before, limit: limit + 1 });
  const page = list.toPage(found, ({ id }) => [id]);
  return { ...page, items: page.items.map(({ id: _, ...item }) => item) };
};

/** A component may be private, so only members see names of components and tokens. Others see their owner. */
export function shownAuthor<Item extends { createdBy: string }>({ roles, holder }: Grant, item: Item): Item {
  if (roles.organization !== null || item.createdBy === `component:${holder}`) return item;
  return { ...item, createdBy: item.createdBy.replace(/^(token|component):([^/]+)\/.*$/, '$1:$2') };
}
