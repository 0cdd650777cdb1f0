import postgres from 'postgres';
import { expect, it } from 'vitest';
import { addTestRepository } from '../../../../test/support/repository.ts';
import { testLocation } from '../../../../test/support/store.ts';
import { openStore } from '../store.ts';

it('a busy repository leaves connections of PostgreSQL for the others', async () => {
  const location = await testLocation('postgres');
  if (location.engine !== 'postgres') throw new Error('asked for postgres');
  const store = await openStore(location);
  const [busy, quiet] = [await addTestRepository(store, 'busy'), await addTestRepository(store, 'quiet')];
  const shape = { kind: 'shape', name: 'T', data: { fields: { n: 'number' } } };
  await busy.commit([shape]);
  const sql = postgres(location.url, { max: 1 });
  let waiting: Promise<unknown>[] = [];
  await sql.begin(async (holding) => {
    await holding`select repo_seq from repo_sequence where repo_id = ${busy.grant.repoId} for update`;
    waiting = Array.from({ length: 40 }, (_, n) => busy.commit([{ name: `T/w${n}`, data: { n } }]));
    expect(await quiet.commit([shape])).toMatchObject({ repoSeq: 1 });
  });
  await Promise.all(waiting);
  await sql.end();
  await store.close();
});
