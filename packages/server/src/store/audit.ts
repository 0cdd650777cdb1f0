// The audit log. An entry is written in the transaction of what it tells of: neither is there without the other.
import type { AuditAction, AuditItem } from '@cairn/protocol/audit';
import type { Reader, Transaction } from './database.ts';
import type { OrganizationGrant } from './grant.ts';

/** In whose log: an organization's, or, for what concerns an account, its personal organization's. */
export type AuditPlace = { readonly orgId: number } | { readonly orgName: string } | { readonly accountId: number };

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
  const { at, action, actor, target, details, address = null, requestId = null } = entry;
  const told = [at, action, actor, target, JSON.stringify(details), address, requestId];
  // An account's own organization may be one that the entry is about: one entry is enough there.
  const orgIds = new Set<number>();
  for (const place of entry.places) for (const orgId of await findOrganizations(tx, place)) orgIds.add(orgId);
  for (const orgId of orgIds) {
    await tx.query(
      `insert into audit (organization_id, at, action, actor, target, details, address, request_id)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [orgId, ...told],
    );
  }
}

async function findOrganizations(tx: Transaction, place: AuditPlace): Promise<number[]> {
  const [[key, value]] = Object.entries(place) as [[keyof typeof OWNER_COLUMN, string | number]];
  const rows = await tx.query<{ id: number }>(`select id from organization where ${OWNER_COLUMN[key]} = $1`, [value]);
  return rows.map(({ id }) => id);
}

interface AuditRow {
  readonly id: number;
  readonly at: number;
  readonly action: AuditAction;
  readonly actor: string;
  readonly target: string;
  readonly details: string;
  readonly address: string | null;
  readonly request_id: string | null;
}

export interface AuditPage {
  readonly action: AuditAction | undefined;
  /** Entries before this one, newest first. */
  readonly before: number | undefined;
  readonly limit: number;
}

export type FoundAudit = AuditItem & { readonly id: number };

export async function listAudit(
  reader: Reader,
  { orgId }: OrganizationGrant,
  { action, before = Number.MAX_SAFE_INTEGER, limit }: AuditPage,
): Promise<FoundAudit[]> {
  const filter = action === undefined ? '' : 'and action = $4';
  const rows = await reader.query<AuditRow>(
    `select id, at, action, actor, target, details, address, request_id from audit
     where organization_id = $1 and id < $2 ${filter} order by id desc limit $3`,
    [orgId, before, limit, ...(action === undefined ? [] : [action])],
  );
  return rows.map(({ details, address, request_id, ...row }) => ({
    ...row,
    details: JSON.parse(details) as Record<string, unknown>,
    ...(address !== null && { address }),
    ...(request_id !== null && { requestId: request_id }),
  }));
}
