// The number of statements that a write takes on PostgreSQL.
import { onTestFinished } from 'vitest';
import { WriterMemory } from '../../packages/server/src/commit/record-set.sql.ts';
import type { Transaction } from '../../packages/server/src/engine/database.ts';
import { openPostgresWriter } from '../../packages/server/src/engine/postgres/postgres.ts';
import { openStore } from '../../packages/server/src/store.ts';
import { addTestRepository } from './repository.ts';
import { testLocation } from './store.ts';

export async function openCountedStore() {
  const location = await testLocation('postgres');
  if (location.engine !== 'postgres') throw new Error('asked for postgres');
  const store = await openStore(location);
  const near = await addTestRepository(store, 'acme');
  const far = await addTestRepository(store, 'far');
  const writer = openPostgresWriter(location.url);
  onTestFinished(async () => {
    await writer.close();
    await store.close();
  });
  const memory = new WriterMemory();
  const countOf = async (write: (tx: Transaction, memory: WriterMemory) => Promise<unknown>) => {
    let statements = 0;
    await writer.transaction(async (tx) => {
      const counting: Transaction = {
        now: () => tx.now(),
        forUpdate: tx.forUpdate,
        isDistributed: tx.isDistributed,
        query: (...args) => {
          statements++;
          return tx.query(...args);
        },
        bulk: (statement, rows) => {
          if (rows.rows.length > 0) statements++;
          return tx.bulk(statement, rows);
        },
      } as Transaction;
      // With an empty cache, every count includes the reads of shapes.
      memory.forgetShapes();
      await write(counting, memory);
    });
    return statements;
  };
  return { store, near, far, countOf };
}
