// Uses a credential set in one transaction: binds it to its first origin, unbinds it for another, records the use.

import { randomBytes } from 'node:crypto';
import type { Reader, Transaction } from '../../engine/database.ts';
import type { SealedKey } from './credential-set.sql.ts';

export type UseRefusal = 'revoked' | 'unbound' | 'missing';

interface CredentialSetUse extends CredentialChange {
  /** For a command, the secret signs and is not sent itself. */
  readonly target: 'webhook' | 'fallback' | 'command';
  readonly origin: string;
  readonly wanted: readonly string[];
}

/** All sealed values: those that are not sent are needed to recognize them in answers. */
type UsedCredentialSet = { readonly values: readonly SealedKey[] } | { readonly refusal: UseRefusal };

interface BindingRow {
  readonly bound_origin: string | null;
  readonly bound_fallback_origin: string | null;
  readonly unbound_at: number | null;
  readonly revoked_at: number | null;
}

export async function useCredentialSet(tx: Transaction, use: CredentialSetUse): Promise<UsedCredentialSet> {
  const seen = await findBinding(tx, use);
  if (seen === undefined) return { refusal: 'missing' };
  if (seen.revoked_at !== null) return { refusal: 'revoked' };
  if (seen.unbound_at !== null) return { refusal: 'unbound' };
  const values = await findValues(tx, use);
  const sent = values.filter(({ key }) => use.wanted.includes(key));
  // A set that is named for a webhook must sign or authenticate it. Keys for the fallback are optional.
  if (sent.length === 0) return use.target === 'fallback' ? { values } : { refusal: 'missing' };
  if (!(await mayGoTo(tx, use, seen))) return { refusal: 'unbound' };
  await recordCredentialEvent(tx, { ...use, action: 'use', details: { ...use.details, origin: use.origin } });
  return { values };
}

/** A signature names its host and is useless elsewhere, so commands bind nothing. */
async function mayGoTo(tx: Transaction, use: CredentialSetUse, seen: BindingRow): Promise<boolean> {
  return use.target === 'command' || boundTo(seen, use) === use.origin || (await bind(tx, use));
}

function boundTo(row: BindingRow, { target }: CredentialSetUse): string | null {
  return target === 'webhook' ? row.bound_origin : row.bound_fallback_origin;
}

async function findBinding(
  tx: Transaction,
  { homeId, credentialSetId }: CredentialSetKey,
  lock = '',
): Promise<BindingRow | undefined> {
  const [row] = await tx.query<BindingRow>(
    `select bound_origin, bound_fallback_origin, unbound_at, revoked_at from credential_set
     where repo_id = $1 and credential_set_id = $2 ${lock}`,
    [homeId, credentialSetId],
  );
  return row;
}

async function findValues(tx: Transaction, { homeId, credentialSetId }: CredentialSetKey): Promise<SealedKey[]> {
  return await tx.query<SealedKey>(
    'select key, value from credential_key where repo_id = $1 and credential_set_id = $2',
    [homeId, credentialSetId],
  );
}

/** Looks again under a lock, so that only one of two first uses binds. */
async function bind(tx: Transaction, use: CredentialSetUse): Promise<boolean> {
  const { homeId, credentialSetId, origin, target, now } = use;
  const row = await findBinding(tx, use, tx.forUpdate);
  if (row === undefined || row.revoked_at !== null || row.unbound_at !== null) return false;
  const bound = boundTo(row, use);
  if (bound === origin) return true;
  if (bound !== null) {
    await unbindCredentialSet(tx, { ...use, details: { ...use.details, origin, boundOrigin: bound } });
    return false;
  }
  const column = target === 'webhook' ? 'bound_origin' : 'bound_fallback_origin';
  await tx.query(
    `update credential_set set ${column} = $3, updated_at = $4 where repo_id = $1 and credential_set_id = $2`,
    [homeId, credentialSetId, origin, now],
  );
  await recordCredentialEvent(tx, { ...use, action: 'bind', details: { target, origin } });
  return true;
}

/** Blocks the set until its keys are set anew. An unused set has no origin to lose and stays as it is. */
export async function unbindCredentialSet(tx: Transaction, unbinding: CredentialChange): Promise<void> {
  const { homeId, credentialSetId, now } = unbinding;
  const rows = await tx.query(
    `update credential_set set unbound_at = $3, updated_at = $3
     where repo_id = $1 and credential_set_id = $2 and unbound_at is null and revoked_at is null
       and (bound_origin is not null or bound_fallback_origin is not null)
     returning credential_set_id`,
    [homeId, credentialSetId, now],
  );
  if (rows.length > 0) await recordCredentialEvent(tx, { ...unbinding, action: 'unbind' });
}

type CredentialAction = 'create' | 'setKeys' | 'unsetKey' | 'revoke' | 'delete' | 'bind' | 'unbind' | 'use';

export interface CredentialSetKey {
  readonly homeId: number;
  readonly credentialSetId: string;
}

interface CredentialChange extends CredentialSetKey {
  readonly now: number;
  readonly actor: string;
  /** Names of keys, never values. */
  readonly details: Readonly<Record<string, unknown>>;
}

export interface NewCredentialEvent extends CredentialChange {
  readonly action: CredentialAction;
}

export async function recordCredentialEvent(tx: Transaction, event: NewCredentialEvent): Promise<void> {
  const { homeId, credentialSetId, now, action, actor, details } = event;
  await tx.query(
    `insert into credential_event (repo_id, credential_set_id, event_id, at, action, actor, details)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [homeId, credentialSetId, newEventId(), now, action, actor, JSON.stringify(details)],
  );
}

/** Ids increase, so that events within one millisecond keep their order. */
function newEventId(): string {
  return process.hrtime.bigint().toString(16).padStart(16, '0') + randomBytes(6).toString('hex');
}

interface CredentialEventPage extends CredentialSetKey {
  readonly before: readonly [at: number, eventId: string] | undefined;
  readonly limit: number;
}

interface FoundCredentialEvent {
  readonly eventId: string;
  readonly at: number;
  readonly action: CredentialAction;
  readonly actor: string;
  readonly details: Record<string, unknown>;
}

export async function listCredentialEvents(
  reader: Reader,
  { homeId, credentialSetId, before = [Number.MAX_SAFE_INTEGER, ''], limit }: CredentialEventPage,
): Promise<FoundCredentialEvent[]> {
  const rows = await reader.query<Omit<FoundCredentialEvent, 'details'> & { readonly details: string }>(
    `select event_id as "eventId", at, action, actor, details from credential_event
     where repo_id = $1 and credential_set_id = $2 and (at, event_id) < ($3, $4)
     order by at desc, event_id desc limit $5`,
    [homeId, credentialSetId, ...before, limit],
  );
  return rows.map((row) => ({ ...row, details: JSON.parse(row.details) }));
}
