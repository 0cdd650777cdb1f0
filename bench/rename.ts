// What renaming a shape writes, with few records and with many: SQLite counts every row that a commit changes.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commit } from '../packages/server/src/commit/commit.write.ts';
import { WriterMemory } from '../packages/server/src/commit/writer-memory.rule.ts';
import { openSqliteWriter } from '../packages/server/src/engine/sqlite/writer.ts';
import { openStore } from '../packages/server/src/store.ts';
import { addTestRepository, commitInput } from '../test/support/repository.ts';
import type { Figure } from './figure.ts';
import { counted, sized } from './size.ts';

const RECORDS_PER_COMMIT = 5_000;
const FEW = 100;
const MANY = sized({ full: 100_000, quick: 5_000 });

async function rowsWritten(records: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-bench-'));
  const file = join(folder, 'cairn.db');
  const store = await openStore({ engine: 'sqlite', file });
  const repository = await addTestRepository(store, 'bench');
  await repository.commit([{ kind: 'shape', name: 'Reading', data: { fields: { n: 'number' } } }]);
  for (let from = 0; from < records; from += RECORDS_PER_COMMIT) {
    const count = Math.min(RECORDS_PER_COMMIT, records - from);
    await repository.commit(Array.from({ length: count }, (_, n) => ({ name: `Reading/${from + n}`, data: { n } })));
  }
  await store.close();
  const writer = openSqliteWriter(file);
  const rows = await writer.transaction(async (tx) => {
    const changes = async () => {
      const [row] = await tx.query<{ changes: number }>('select total_changes() as changes');
      return row?.changes ?? Number.NaN;
    };
    const before = await changes();
    const operations = [{ operation: 'rename', name: 'Reading', newName: 'Measurement' }];
    await commit(tx, commitInput(repository.grant, operations), new WriterMemory());
    return (await changes()) - before;
  });
  await writer.close();
  rmSync(folder, { recursive: true });
  return rows;
}

export async function renameFigures(): Promise<Figure[]> {
  const figure = async (records: number): Promise<Figure> => ({
    name: `rows written by renaming a shape of ${counted(records, 'records')}`,
    unit: 'rows',
    values: [await rowsWritten(records)],
  });
  return [await figure(FEW), await figure(MANY)];
}
