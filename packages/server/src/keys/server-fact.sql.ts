// A few facts about the whole server, by name.
import type { Reader, Transaction } from '../engine/database.ts';

export type ServerFact = 'secret-fingerprint' | 'server-id' | 'setup-code-hash' | 'signing-generations';

export async function findServerFact(reader: Reader, name: ServerFact): Promise<string | undefined> {
  const [row] = await reader.query<{ value: string }>('select value from server_fact where name = $1', [name]);
  return row?.value;
}

/** Keeps the value that was first: of several nodes that start at once, all go on with the same one. */
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

/** Deletes the fact if it has this value; whether it had. */
export async function useUpServerFact(
  tx: Transaction,
  { name, value }: { name: ServerFact; value: string },
): Promise<boolean> {
  const used = await tx.query('delete from server_fact where name = $1 and value = $2 returning name', [name, value]);
  return used.length > 0;
}
