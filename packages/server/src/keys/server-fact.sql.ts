// Facts about the whole server, among them the fingerprint of its secret and the generations of signing keys.
import { fail } from '@cairn/protocol/errors';
import type { BulkStatement, Reader, Transaction } from '../engine/database.ts';

type ServerFact = 'secret-fingerprint' | 'server-id' | 'setup-code-hash' | 'signing-generations';

export async function findServerFact(reader: Reader, name: ServerFact): Promise<string | undefined> {
  const [row] = await reader.query<{ value: string }>('select value from server_fact where name = $1', [name]);
  return row?.value;
}

/** The first value wins, so that nodes starting at once agree. */
export async function claimServerFact(
  tx: Transaction,
  { name, value }: { name: ServerFact; value: string },
): Promise<string> {
  await tx.query('insert into server_fact (name, value) values ($1, $2) on conflict (name) do nothing', [name, value]);
  const kept = await findServerFact(tx, name);
  return kept ?? value;
}

export async function setServerFact(
  tx: Transaction,
  { name, value }: { name: ServerFact; value: string },
): Promise<void> {
  await tx.query(
    'insert into server_fact (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value',
    [name, value],
  );
}

export async function useUpServerFact(
  tx: Transaction,
  { name, value }: { name: ServerFact; value: string },
): Promise<boolean> {
  const used = await tx.query('delete from server_fact where name = $1 and value = $2 returning name', [name, value]);
  return used.length > 0;
}

const FINGERPRINT: ServerFact = 'secret-fingerprint';

export interface SealedPlace {
  readonly homeId: number;
  readonly credentialSetId: string;
  readonly key: string;
}

interface SealedValue extends SealedPlace {
  readonly value: Uint8Array;
}

export async function listSealedValues(reader: Reader): Promise<SealedValue[]> {
  return await reader.query<SealedValue>(
    'select repo_id as "homeId", credential_set_id as "credentialSetId", key, value from credential_key',
  );
}

export async function listOperatorIds(reader: Reader): Promise<number[]> {
  const rows = await reader.query<{ id: number }>('select id from account where operator = 1 order by id');
  return rows.map(({ id }) => id);
}

interface SecretRotation {
  readonly from: string;
  readonly to: string;
  readonly values: readonly (SealedValue & { readonly sealedAnew: Uint8Array })[];
}

const reseal = (repo: string) => `update credential_key c set value = k.sealed_anew
  from unnest($1::bigint[], $2::text[], $3::text[], $4::bytea[], $5::bytea[])
    with ordinality as k (repo_id, credential_set_id, key, value, sealed_anew, ord)
  where c.repo_id = ${repo} and c.credential_set_id = k.credential_set_id collate "C" and c.key = k.key collate "C"
    and c.value = k.value
  returning k.ord::int as ord`;

const RESEAL: BulkStatement = {
  single: true,
  each: `update credential_key set value = $5
    where repo_id = $1 and credential_set_id = $2 and key = $3 and value = $4 returning 1 as one`,
  set: reseal('k.repo_id'),
  shard: { column: 0, set: reseal('$6') },
};

export async function rotateSecret(tx: Transaction, { from, to, values }: SecretRotation): Promise<void> {
  // Updated first: concurrent seals wait for this row and are then refused.
  const sql = 'update server_fact set value = $3 where name = $1 and value = $2 returning name';
  const taken = await tx.query(sql, [FINGERPRINT, from, to]);
  const rows = values.map((one) => [one.homeId, one.credentialSetId, one.key, one.value, one.sealedAnew]);
  const resealed = rows.length === 0 ? [] : await tx.bulk(RESEAL, { common: [], rows });
  const [all] = await tx.query<{ n: number }>('select count(*) as n from credential_key');
  if (taken.length === 1 && resealed.length === values.length && all?.n === values.length) return;
  throw fail('CONFLICT', {
    message:
      'Nothing was done, because credentials changed in the meantime. Stop all nodes of the server, then run the command again.',
    details: { reason: 'changed_meanwhile' },
  });
}

/** Refuses nodes that started before a rotation, because nobody could open what they seal. */
export async function requireSecret(tx: Transaction, fingerprint: string): Promise<void> {
  const sql = `select value from server_fact where name = $1 ${tx.forUpdate}`;
  const [row] = await tx.query<{ value: string }>(sql, [FINGERPRINT]);
  if (row === undefined || row.value === fingerprint) return;
  throw fail('UNAVAILABLE', {
    message: 'The secret of the server changed after this node started. The operator must restart the node.',
  });
}

const FACT: ServerFact = 'signing-generations';

export interface SigningGeneration {
  readonly generation: number;
  readonly since: number;
}

/** The last one signs. Empty before the first start. */
export async function listSigningGenerations(reader: Reader): Promise<SigningGeneration[]> {
  const kept = await findServerFact(reader, FACT);
  return kept === undefined ? [] : (JSON.parse(kept) as SigningGeneration[]);
}

export async function rotateSigningKey(
  tx: Transaction,
  { from, to }: { from: readonly SigningGeneration[]; to: readonly SigningGeneration[] },
): Promise<void> {
  const sql =
    from.length === 0
      ? 'insert into server_fact (name, value) values ($1, $2) on conflict (name) do nothing returning name'
      : 'update server_fact set value = $2 where name = $1 and value = $3 returning name';
  const before = from.length === 0 ? [] : [JSON.stringify(from)];
  const changed = await tx.query(sql, [FACT, JSON.stringify(to), ...before]);
  if (changed.length === 1) return;
  throw fail('CONFLICT', {
    message: 'The signing key was rotated by someone else in the meantime. It is already new.',
    details: { reason: 'rotated_meanwhile' },
  });
}
