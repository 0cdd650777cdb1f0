// `npm run generate`: writes all generated files. Tests fail if one of them is out of date.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { WritableDatabase } from '../packages/server/src/engine/database.ts';
import { migrate } from '../packages/server/src/engine/migration.ts';
import { openPostgresWriter } from '../packages/server/src/engine/postgres/postgres.ts';
import { openSqliteWriter } from '../packages/server/src/engine/sqlite/sqlite.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { describeSchema } from '../test/support/schema.ts';
import { referencePages } from './reference.ts';

const ROOT = join(import.meta.dirname, '..');

function write(path: string, content: string): void {
  mkdirSync(dirname(join(ROOT, path)), { recursive: true });
  writeFileSync(join(ROOT, path), content);
  console.log(path);
}

async function writeSchema(database: WritableDatabase): Promise<void> {
  await migrate(database);
  const schema = await database.transaction((tx) => describeSchema(tx, database.dialect.engine));
  await database.close();
  write(`packages/server/src/admin/schema/${database.dialect.engine}.txt`, schema);
}

for (const [path, content] of referencePages()) write(path, content);

const folder = mkdtempSync(join(tmpdir(), 'cairn-generate-'));
const postgres = await startPostgres();
try {
  await writeSchema(openSqliteWriter(join(folder, 'cairn.db')));
  await writeSchema(openPostgresWriter(postgres.url));
} finally {
  await postgres.stop();
  rmSync(folder, { recursive: true });
}
