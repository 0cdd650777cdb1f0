// The audit log. An entry is written in the transaction of its change, so neither exists without the other.

import type { AuditAction } from '@cairn/protocol/audit-action';
import type { AuditItem } from '@cairn/protocol/organization';
import type { Reader, Transaction } from '../engine/database.ts';
import type { OrganizationGrant } from './grant.rule.ts';

export type AuditPlace =
  | { readonly orgId: number }
  | { readonly orgName: string }
  | { readonly accountId: number }
  | ForeignPlace;

/** An organization that a token names. It gets its own details, and only if the token's owner has a role there. */
interface ForeignPlace {
  readonly foreignOrgId: number;
  readonly heldBy: number;
  readonly details: Readonly<Record<string, unknown>>;
}

export interface AuditEntry {
  readonly at: number;
  readonly action: AuditAction;
  readonly actor: string;
  readonly target: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly address?: string | undefined;
  readonly requestId?: string | undefined;
  readonly places: readonly AuditPlace[];
}

const OWNER_COLUMN = { orgId: 'id', orgName: 'name', accountId: 'personal_account_id' } as const;

export async function recordAudit(tx: Transaction, entry: AuditEntry): Promise<void> {
  const { at, action, actor, target, address = null, requestId = null } = entry;
  const told = new Map<number, Readonly<Record<string, unknown>>>();
  for (const place of entry.places) {
    for (const orgId of await findOrganizations(tx, place)) {
      if (!told.has(orgId)) told.set(orgId, 'details' in place ? place.details : entry.details);
    }
  }
  for (const [orgId, details] of told) {
    await tx.query(
      `insert into audit (organization_id, at, action, actor, target, details, address, request_id)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [orgId, at, action, actor, target, JSON.stringify(details), address, requestId],
    );
  }
}

async function findOrganizations(tx: Transaction, place: AuditPlace): Promise<number[]> {
  const rows = await ('foreignOrgId' in place ? findHeld(tx, place) : findOwn(tx, place));
  return rows.map(({ id }) => id);
}

async function findOwn(tx: Transaction, place: Exclude<AuditPlace, ForeignPlace>): Promise<{ id: number }[]> {
  const [[key, value]] = Object.entries(place) as [[keyof typeof OWNER_COLUMN, string | number]];
  return await tx.query<{ id: number }>(`select id from organization where ${OWNER_COLUMN[key]} = $1`, [value]);
}

async function findHeld(tx: Transaction, { foreignOrgId, heldBy }: ForeignPlace): Promise<{ id: number }[]> {
  return await tx.query<{ id: number }>(
    `select id from organization where id = $1 and (
       exists (select 1 from member where organization_id = $1 and account_id = $2)
       or exists (select 1 from repository_role join repository on repository.id = repository_role.repo_id
         where repository.organization_id = $1 and repository_role.account_id = $2))`,
    [foreignOrgId, heldBy],
  );
}

type FoundAudit = AuditItem & { readonly id: number };

interface AuditRow extends Omit<FoundAudit, 'details' | 'address' | 'requestId'> {
  readonly details: string;
  readonly address: string | null;
  readonly requestId: string | null;
}

export async function listAudit(
  reader: Reader,
  { orgId }: OrganizationGrant,
  {
    action,
    before = Number.MAX_SAFE_INTEGER,
    limit,
  }: { action: AuditAction | undefined; before: number | undefined; limit: number },
): Promise<FoundAudit[]> {
  const filter = action === undefined ? '' : 'and action = $4';
  const rows = await reader.query<AuditRow>(
    `select id, at, action, actor, target, details, address, request_id as "requestId" from audit
     where organization_id = $1 and id < $2 ${filter} order by id desc limit $3`,
    [orgId, before, limit, ...(action === undefined ? [] : [action])],
  );
  return rows.map(({ details, address, requestId, ...row }) => ({
    ...row,
    details: JSON.parse(details) as Record<string, unknown>,
    ...(address !== null && { address }),
    ...(requestId !== null && { requestId }),
  }));
}
