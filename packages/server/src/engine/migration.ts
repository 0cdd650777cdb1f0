// Brings a database to this server's schema with numbered SQL files. Each file is applied once, in order, and never
// changes afterwards.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fillChecksums } from '../commit/row-checksum-fill.write.ts';
import type { Dialect, Reader, Transaction, WritableDatabase } from './database.ts';

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

export class SchemaError extends Error {}

export function readMigrations(folder = join(import.meta.dirname, 'migrations')): Migration[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'));
  return files.sort().map((file, index) => {
    const [number = '', name = ''] = file.replace('.sql', '').split(/-(.*)/);
    if (Number(number) !== index + 1) throw new SchemaError(`Migration ${file} is out of order.`);
    const sql = readFileSync(join(folder, file), 'utf8');
    return { version: index + 1, name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
  });
}

/** Applies all missing migrations in one transaction, so that a failed start leaves the database as it was. */
export async function migrate(database: WritableDatabase, migrations = readMigrations()): Promise<number> {
  await database.transaction(async (tx) => {
    const { dialect } = database;
    if (dialect.lockMigrations !== null) await tx.query(dialect.lockMigrations);
    const applied = await appliedMigrations(tx, dialect);
    refuseForeignHistory(applied, migrations);
    if (applied.length === 0) await createHistory(tx, dialect);
    for (const migration of migrations.slice(applied.length)) await apply(tx, dialect, migration);
  });
  return migrations.length;
}

export async function checkMigrations(
  reader: Reader,
  dialect: Dialect,
  migrations: Migration[] = readMigrations(),
): Promise<void> {
  refuseForeignHistory(await appliedMigrations(reader, dialect), migrations);
}

interface AppliedMigration {
  version: number;
  name: string;
  checksum: string;
}

async function appliedMigrations(tx: Reader, dialect: Dialect): Promise<AppliedMigration[]> {
  if ((await tx.query(dialect.tableExists, ['schema_migration'])).length === 0) return [];
  return await tx.query<AppliedMigration>('select version, name, checksum from schema_migration order by version');
}

function refuseForeignHistory(applied: AppliedMigration[], migrations: Migration[]): void {
  if (applied.length > migrations.length) {
    throw new SchemaError(
      `The database has schema version ${applied.length}, but this server knows only versions up to ${migrations.length}. Start a newer Cairn, or use another database.`,
    );
  }
  for (const [index, row] of applied.entries()) {
    const known = migrations[index];
    if (row.version !== index + 1 || known?.checksum !== row.checksum) {
      throw new SchemaError(
        `Migration ${row.version} (${row.name}) of the database differs from the one in this server, because another build of Cairn created it. Start that build, or restore a backup.`,
      );
    }
  }
}

async function createHistory(tx: Transaction, dialect: Dialect): Promise<void> {
  const table = `create table schema_migration (
  version {int} not null primary key, name {text} not null, checksum {text} not null, applied_at {int} not null
) {table}`;
  await tx.query(inDialect(dialect, table));
}

const FILLS: Readonly<Record<string, (tx: Transaction) => Promise<void>>> = { 'row-checksums': fillChecksums };

async function apply(tx: Transaction, dialect: Dialect, migration: Migration): Promise<void> {
  for (const statement of statements(migration.sql, dialect)) await tx.query(inDialect(dialect, statement));
  await FILLS[migration.name]?.(tx);
  await tx.query('insert into schema_migration (version, name, checksum, applied_at) values ($1, $2, $3, $4)', [
    migration.version,
    migration.name,
    migration.checksum,
    Date.now(),
  ]);
}

function inDialect(dialect: Dialect, sql: string): string {
  return sql.replaceAll(/\{(\w+)\}/g, (_, word: string) => {
    const meaning = dialect.words[word];
    if (meaning === undefined) throw new SchemaError(`A migration uses {${word}}, which the dialect does not define.`);
    return meaning;
  });
}

/** Statements end with `;` at the end of a line. A prefix `{postgres}` or `{sqlite}` limits one to an engine. */
function statements(sql: string, { engine }: Dialect): string[] {
  const code = sql.replaceAll(/^\s*--.*$/gm, '');
  return code.split(/;\s*$/m).flatMap((text) => {
    const [, only = engine, statement = ''] = /^\s*(?:\{(sqlite|postgres)\})?(.*)$/s.exec(text) ?? [];
    return only === engine && statement.trim() !== '' ? [statement.trim()] : [];
  });
}

export async function schemaVersion(reader: Reader): Promise<number> {
  const [row] = await reader.query<{ version: number }>('select max(version) as version from schema_migration');
  return row?.version ?? 0;
}
