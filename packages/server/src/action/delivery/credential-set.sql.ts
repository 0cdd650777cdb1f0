// Credential sets: their sealed keys and bound origins. Their use is in credential-set-use.write.ts.
import { invalidField } from '@cairn/model/operation';
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { BulkStatement, Reader, Transaction } from '../../engine/database.ts';
import { requireSecret } from '../../keys/server-fact.sql.ts';
import { type CredentialSetKey, type NewCredentialEvent, recordCredentialEvent } from './credential-set-use.write.ts';

const KEYS_MAX = 50;
const USERS_NAMED = 10;

interface HeldKey {
  readonly key: string;
  readonly setAt: number;
  readonly setBy: string;
}

export interface FoundCredentialSet {
  readonly credentialSetId: string;
  readonly name: string;
  readonly description: string;
  readonly keys: readonly HeldKey[];
  readonly boundOrigin: string | null;
  readonly boundFallbackOrigin: string | null;
  readonly unboundAt: number | null;
  readonly revokedAt: number | null;
  readonly component: string | null;
  readonly createdBy: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

type SetRow = Omit<FoundCredentialSet, 'keys'> & {
  readonly key: string | null;
  readonly setAt: number | null;
  readonly setBy: string | null;
};

const select = (chosen: string) => `select s.credential_set_id as "credentialSetId", s.name, s.description,
    s.bound_origin as "boundOrigin", s.bound_fallback_origin as "boundFallbackOrigin", s.unbound_at as "unboundAt",
    s.revoked_at as "revokedAt", s.component, s.created_by as "createdBy", s.created_at as "createdAt", s.updated_at as "updatedAt",
    k.key, k.set_at as "setAt", k.set_by as "setBy"
  from (select * from credential_set where ${chosen}) s
  left join credential_key k on k.repo_id = $1 and k.credential_set_id = s.credential_set_id
  order by s.name, k.key`;

function toSets(rows: readonly SetRow[]): FoundCredentialSet[] {
  const sets = new Map<string, FoundCredentialSet & { keys: HeldKey[] }>();
  for (const { key, setAt, setBy, ...row } of rows) {
    const set = sets.get(row.name) ?? { ...row, keys: [] };
    sets.set(row.name, set);
    if (key !== null && setAt !== null && setBy !== null) set.keys.push({ key, setAt, setBy });
  }
  return [...sets.values()];
}

export async function listCredentialSets(
  reader: Reader,
  { homeId, after, limit }: { homeId: number; after: string; limit: number },
): Promise<FoundCredentialSet[]> {
  const sql = select('repo_id = $1 and name > $2 order by name limit $3');
  return toSets(await reader.query<SetRow>(sql, [homeId, after, limit]));
}

export async function findCredentialSet(
  reader: Reader,
  { homeId, name }: { homeId: number; name: string },
): Promise<FoundCredentialSet> {
  const [found] = toSets(await reader.query<SetRow>(select('repo_id = $1 and name = $2'), [homeId, name]));
  if (found === undefined) throw credentialSetNotFound(name);
  return found;
}

export async function findComponentSetId(
  reader: Reader,
  { homeId, name, component }: { homeId: number; name: string; component: string },
): Promise<string | undefined> {
  const [row] = await reader.query<{ credential_set_id: string }>(
    'select credential_set_id from credential_set where repo_id = $1 and name = $2 and component = $3',
    [homeId, name, component],
  );
  return row?.credential_set_id;
}

async function lockCredentialSet(tx: Transaction, change: CredentialSetChange): Promise<FoundCredentialSet> {
  const { homeId, credentialSetId, name } = change;
  const key = [homeId, credentialSetId];
  await tx.query(`select name from credential_set where repo_id = $1 and credential_set_id = $2 ${tx.forUpdate}`, key);
  const [found] = toSets(await tx.query<SetRow>(select('repo_id = $1 and credential_set_id = $2'), key));
  if (found === undefined) throw credentialSetNotFound(name);
  return found;
}

export interface CredentialSetChange extends CredentialSetKey {
  readonly name: string;
  readonly actor: string;
  readonly now: number;
}

interface NewCredentialSet extends CredentialSetChange {
  readonly description: string;
  readonly component?: string | undefined;
}

export async function createCredentialSet(
  tx: Transaction,
  { description, component, ...change }: NewCredentialSet,
): Promise<FoundCredentialSet> {
  const { homeId, credentialSetId, name, actor, now } = change;
  const made = await tx.query(
    `insert into credential_set (repo_id, credential_set_id, name, description, created_by, created_at, updated_at,
       component)
     values ($1, $2, $3, $4, $5, $6, $6, $7) on conflict (repo_id, name) do nothing returning name`,
    [homeId, credentialSetId, name, description, actor, now, component ?? null],
  );
  if (made.length === 0) {
    throw fail('ALREADY_EXISTS', {
      message: `The credential set ${name} exists already. Choose another name, or set the keys of that set.`,
    });
  }
  await recordCredentialEvent(tx, { ...change, action: 'create', details: {} });
  return await lockCredentialSet(tx, change);
}

export interface SealedKey {
  readonly key: string;
  readonly value: Uint8Array;
}

interface KeySetting extends CredentialSetChange {
  readonly fingerprint: string;
  readonly keys: readonly SealedKey[];
  readonly rivals: readonly (readonly [key: string, rival: string])[];
}

const UPSERT = `on conflict (repo_id, credential_set_id, key)
  do update set value = excluded.value, set_by = excluded.set_by, set_at = excluded.set_at`;

const SET_KEY: BulkStatement = {
  each: `insert into credential_key (repo_id, credential_set_id, set_by, set_at, key, value)
    values ($1, $2, $3, $4, $5, $6) ${UPSERT}`,
  set: `insert into credential_key (repo_id, credential_set_id, set_by, set_at, key, value)
    select $1::bigint, $2::text, $3::text, $4::bigint, * from unnest($5::text[], $6::bytea[]) ${UPSERT}`,
};

/** An unbound set loses its old values, or a caller who sets one key could send the unknown others elsewhere. */
export async function setCredentialKeys(tx: Transaction, setting: KeySetting): Promise<FoundCredentialSet> {
  const { homeId, credentialSetId, actor, now } = setting;
  await requireSecret(tx, setting.fingerprint);
  const found = await lockCredentialSet(tx, setting);
  refuseRevoked(found);
  const anew = found.unboundAt !== null;
  requireAccord(setting, anew ? [] : found.keys);
  if (anew) await beginAnew(tx, setting);
  await tx.bulk(SET_KEY, {
    common: [homeId, credentialSetId, actor, now],
    rows: setting.keys.map(({ key, value }) => [key, value]),
  });
  const keys = setting.keys.map(({ key }) => key);
  const erased = anew ? found.keys.map(({ key }) => key).filter((key) => !keys.includes(key)) : [];
  const details = { keys, ...(erased.length > 0 && { erased }) };
  return await changed(tx, setting, { action: 'setKeys', details });
}

async function beginAnew(tx: Transaction, { homeId, credentialSetId }: CredentialSetKey): Promise<void> {
  await eraseValues(tx, { homeId, credentialSetId });
  await tx.query(
    `update credential_set set bound_origin = null, bound_fallback_origin = null, unbound_at = null
     where repo_id = $1 and credential_set_id = $2`,
    [homeId, credentialSetId],
  );
}

async function eraseValues(tx: Transaction, { homeId, credentialSetId }: CredentialSetKey): Promise<void> {
  await tx.query('delete from credential_key where repo_id = $1 and credential_set_id = $2', [homeId, credentialSetId]);
}

function requireAccord({ keys, rivals, name }: KeySetting, before: readonly HeldKey[]): void {
  const held = new Set([...before, ...keys].map(({ key }) => key));
  if (held.size > KEYS_MAX) {
    throw invalidField(
      'keys',
      `A credential set has at most ${KEYS_MAX} keys. Unset some keys of ${name}, or create another set.`,
    );
  }
  const [clash] = rivals.filter(([key, rival]) => held.has(key) && held.has(rival));
  if (clash === undefined) return;
  const [key, rival] = clash;
  throw invalidField(`keys.${key}`, `${key} and ${rival} both set the header Authorization. Unset one of them first.`);
}

export async function unsetCredentialKey(
  tx: Transaction,
  { key, ...change }: CredentialSetChange & { key: string },
): Promise<FoundCredentialSet> {
  const { homeId, credentialSetId, name } = change;
  refuseRevoked(await lockCredentialSet(tx, change));
  const gone = await tx.query(
    'delete from credential_key where repo_id = $1 and credential_set_id = $2 and key = $3 returning key',
    [homeId, credentialSetId, key],
  );
  if (gone.length === 0) {
    throw fail('NOT_FOUND', {
      message: `The credential set ${name} has no key ${key}. credential.get lists its keys.`,
    });
  }
  return await changed(tx, change, { action: 'unsetKey', details: { key } });
}

export async function revokeCredentialSet(tx: Transaction, change: CredentialSetChange): Promise<FoundCredentialSet> {
  const { homeId, credentialSetId, now } = change;
  const found = await lockCredentialSet(tx, change);
  if (found.revokedAt !== null) return found;
  await eraseValues(tx, change);
  await tx.query('update credential_set set revoked_at = $3 where repo_id = $1 and credential_set_id = $2', [
    homeId,
    credentialSetId,
    now,
  ]);
  return await changed(tx, change, { action: 'revoke', details: { keys: found.keys.map(({ key }) => key) } });
}

export async function deleteCredentialSet(tx: Transaction, change: CredentialSetChange): Promise<FoundCredentialSet> {
  const { homeId, credentialSetId } = change;
  const found = await lockCredentialSet(tx, change);
  await refuseUsed(tx, change);
  await eraseValues(tx, change);
  await tx.query('delete from credential_set where repo_id = $1 and credential_set_id = $2', [homeId, credentialSetId]);
  await recordCredentialEvent(tx, { ...change, action: 'delete', details: {} });
  return found;
}

async function refuseUsed(tx: Transaction, { homeId, credentialSetId, name }: CredentialSetChange): Promise<void> {
  const limit = USERS_NAMED + 1;
  const subscriptions = await tx.query<{ name: string }>(
    'select name from subscription where repo_id = $1 and credential_set_id = $2 order by name limit $3',
    [homeId, credentialSetId, limit],
  );
  // Calls of these components would silently lose their signature.
  const components = await tx.query<{ name: string }>(
    `select name from component where organization_id = $1 and credential_set_id = $2 and unregistered_at is null
     order by name limit $3`,
    [-homeId, credentialSetId, limit],
  );
  const users = [...subscriptions, ...components].map((user) => user.name);
  if (users.length === 0) return;
  const more = users.length > USERS_NAMED ? ' and others' : '';
  throw fail('CONFLICT', {
    message: `The credential set ${name} is used by ${users.slice(0, USERS_NAMED).join(', ')}${more}. Bind another set to them first, or revoke this one.`,
    details: {
      reason: 'in_use',
      subscriptions: subscriptions.slice(0, USERS_NAMED).map((user) => user.name),
      ...(components.length > 0 && { components: components.slice(0, USERS_NAMED).map((user) => user.name) }),
    },
  });
}

async function changed(
  tx: Transaction,
  change: CredentialSetChange,
  event: Pick<NewCredentialEvent, 'action' | 'details'>,
): Promise<FoundCredentialSet> {
  const { homeId, credentialSetId, now } = change;
  await tx.query('update credential_set set updated_at = $3 where repo_id = $1 and credential_set_id = $2', [
    homeId,
    credentialSetId,
    now,
  ]);
  await recordCredentialEvent(tx, { ...change, ...event });
  return await lockCredentialSet(tx, change);
}

function refuseRevoked({ name, revokedAt }: FoundCredentialSet): void {
  if (revokedAt === null) return;
  throw fail('CONFLICT', {
    message: `The credential set ${name} was revoked for good. Create another set, and bind the subscriptions to it.`,
    details: { reason: 'revoked' },
  });
}

function credentialSetNotFound(name: string): CairnError {
  return fail('NOT_FOUND', {
    message: `There is no credential set ${name}. List the credential sets to see their names.`,
  });
}
