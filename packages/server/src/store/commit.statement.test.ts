// On PostgreSQL the number of statements of a commit does not depend on how many operations it has.
import { expect, it, onTestFinished } from 'vitest';
import { addTestRepository, commitInput } from '../../../../test/support/repository.ts';
import { testLocation } from '../../../../test/support/store.ts';
import { commit } from './commit.ts';
import type { Transaction } from './database.ts';
import { openPostgresWriter } from './postgres.ts';
import { openStore } from './store.ts';
import { WriterMemory } from './writer-memory.ts';

it('a commit of any size takes the same number of statements', async () => {
  const location = await testLocation('postgres');
  if (location.engine !== 'postgres') throw new Error('asked for postgres');
  const store = await openStore(location);
  const { grant } = await addTestRepository(store, 'acme');
  const writer = openPostgresWriter(location.url);
  onTestFinished(async () => {
    await writer.close();
    await store.close();
  });
  const memory = new WriterMemory();
  const statementsOf = async (operations: unknown[]) => {
    let statements = 0;
    await writer.transaction(async (tx) => {
      const counting: Transaction = {
        ...tx,
        query: (...args) => {
          statements++;
          return tx.query(...args);
        },
        bulk: (statement, rows) => {
          if (rows.rows.length > 0) statements++;
          return tx.bulk(statement, rows);
        },
      } as Transaction;
      await commit(counting, commitInput(grant, operations), memory);
    });
    return statements;
  };
  const fields = { n: { type: 'number', indexed: true } };
  await statementsOf([{ kind: 'shape', name: 'T', data: { fields } }]);
  const adds = (count: number, prefix: string) =>
    Array.from({ length: count }, (_, n) => ({ name: `T/${prefix}${n}`, data: { n } }));
  const mixed = (count: number, prefix: string, n: number) => [
    ...adds(count, `${prefix}new`),
    ...Array.from({ length: count }, (_, at) => ({
      operation: 'revise',
      name: `T/${prefix}${at}`,
      data: { n: at + n },
    })),
  ];
  const small = await statementsOf(adds(10, 'a'));
  const large = await statementsOf(adds(2_000, 'b'));
  expect(large).toBe(small);
  expect(await statementsOf(mixed(1_000, 'b', 0.5))).toBe(await statementsOf(mixed(5, 'a', 0.5)));
});
