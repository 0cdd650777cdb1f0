// What happened to a credential set, and every use of it: written in the transaction of what it tells of.
import { randomBytes } from 'node:crypto';
import type { Reader, Transaction } from '../../engine/database.ts';

export type CredentialAction = 'create' | 'setKeys' | 'unsetKey' | 'revoke' | 'delete' | 'bind' | 'unbind' | 'use';

export interface CredentialSetKey {
  readonly homeId: number;
  readonly credentialSetId: string;
}

export interface NewCredentialEvent extends CredentialSetKey {
  readonly now: number;
  readonly action: CredentialAction;
  readonly actor: string;
  /** Names of keys, never values. */
  readonly details: Readonly<Record<string, unknown>>;
}

export async function recordCredentialEvent(tx: Transaction, event: NewCredentialEvent): Promise<void> {
  const { homeId, credentialSetId, now, action, actor, details } = event;
  await tx.query(
    `insert into credential_event (repo_id, credential_set_id, event_id, at, action, actor, details)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [homeId, credentialSetId, newEventId(), now, action, actor, JSON.stringify(details)],
  );
}

/** Later ones are greater, so that what happens within a millisecond keeps its order. */
function newEventId(): string {
  return process.hrtime.bigint().toString(16).padStart(16, '0') + randomBytes(6).toString('hex');
}

export interface CredentialEventPage extends CredentialSetKey {
  /** Those before this one, newest first. */
  readonly before: readonly [at: number, eventId: string] | undefined;
  readonly limit: number;
}

export interface FoundCredentialEvent {
  readonly eventId: string;
  readonly at: number;
  readonly action: CredentialAction;
  readonly actor: string;
  readonly details: Record<string, unknown>;
}

interface EventRow {
  readonly event_id: string;
  readonly at: number;
  readonly action: CredentialAction;
  readonly actor: string;
  readonly details: string;
}

export async function listCredentialEvents(
  reader: Reader,
  { homeId, credentialSetId, before = [Number.MAX_SAFE_INTEGER, ''], limit }: CredentialEventPage,
): Promise<FoundCredentialEvent[]> {
  const rows = await reader.query<EventRow>(
    `select event_id, at, action, actor, details from credential_event
     where repo_id = $1 and credential_set_id = $2 and (at, event_id) < ($3, $4)
     order by at desc, event_id desc limit $5`,
    [homeId, credentialSetId, ...before, limit],
  );
  return rows.map(({ event_id, details, ...row }) => ({ ...row, eventId: event_id, details: JSON.parse(details) }));
}
