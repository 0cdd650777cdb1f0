// Checks that every acknowledged write is in the store.
import { expect } from 'vitest';
import type { StoreLocation } from '../../packages/server/src/engine/database.ts';
import { openStore } from '../../packages/server/src/store.ts';
import { verifyRepository } from '../support/verify.ts';

const inOrder = (a: string, b: string) => (a < b ? -1 : 1);

/**
 * For a store with one repository: each acknowledged write is there exactly once, nothing else is, and all rows agree.
 */
export async function expectAllThere(location: StoreLocation, acknowledged: ReadonlyMap<string, number>) {
  const store = await openStore(location);
  try {
    const rows = await store.database.query<{ name: string; n: number }>(
      `select 'Step/' || record.name as name, count(*) as n from record join version
       on version.repo_id = record.repo_id and version.record_id = record.record_id
       where record.kind = 'thing' group by record.name`,
    );
    expect(rows.filter(({ n }) => Number(n) !== 1)).toEqual([]);
    expect(rows.map(({ name }) => name).toSorted(inOrder)).toEqual([...acknowledged.keys()].toSorted(inOrder));
    const [repository] = await store.database.query<{ id: number }>('select id from repository');
    const sequences = [...acknowledged.values()];
    expect(new Set(sequences).size).toBe(sequences.length);
    expect(await verifyRepository(store, repository?.id ?? 0)).toEqual([]);
  } finally {
    await store.close();
  }
}
