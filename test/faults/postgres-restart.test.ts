// PostgreSQL crashes and returns while a server writes to it. The server recovers by itself, and all acknowledged
// writes are there.
import { expect, it, onTestFinished } from 'vitest';
import { openStore, type Store } from '../../packages/server/src/store.ts';
import { startPostgres } from '../support/postgres.ts';
import { addTestRepository } from '../support/repository.ts';
import { amount } from '../support/suite.ts';

const ROUNDS = amount('RESTART_ROUNDS', { short: 1, long: 5 });
const WRITERS = 12;

it(`recovers from a PostgreSQL that crashes under writes, ${ROUNDS} times over`, async () => {
  const postgres = await startPostgres(['fsync=on']);
  onTestFinished(() => postgres.stop());
  const store = await openStore({ engine: 'postgres', url: postgres.url });
  onTestFinished(() => store.close());
  const { commit, grant } = await addTestRepository(store, 'acme');
  await commit([{ kind: 'shape', name: 'T', data: { fields: { n: 'number' } } }]);
  const acknowledged: string[] = [];
  let last = 0;
  let writing = true;
  const write = async () => {
    while (writing) {
      const name = `T/r${++last}`;
      const done = await commit([{ name, data: { n: last } }]).then(
        () => true,
        () => false,
      );
      if (done) acknowledged.push(name);
      else await new Promise((later) => setTimeout(later, 20));
    }
  };
  const writers = Array.from({ length: WRITERS }, write);
  for (let round = 0; round < ROUNDS; round++) {
    await writtenSince(acknowledged);
    await postgres.crash();
    await postgres.restart();
    await writtenSince(acknowledged);
  }
  writing = false;
  await Promise.all(writers);
  expect(await namesIn(store, grant.repoId)).toEqual(expect.arrayContaining(acknowledged.map((name) => name.slice(2))));
  const [log] = await store.database.query('select count(*) as n, max(repo_seq) as last from "commit"');
  expect(log?.n).toBe(log?.last);
});

async function writtenSince(acknowledged: readonly string[]): Promise<void> {
  const before = acknowledged.length;
  await expect.poll(() => acknowledged.length).toBeGreaterThan(before + WRITERS);
}

async function namesIn(store: Store, repoId: number): Promise<unknown[]> {
  const rows = await store.database.query('select name from record where repo_id = $1', [repoId]);
  return rows.map(({ name }) => name);
}
