import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeSchema } from '../../../../test/support/schema.ts';
import { ENGINES, testLocation } from '../../../../test/support/store.ts';
import { openStore } from '../store.ts';
import type { StoreLocation, WritableDatabase } from './database.ts';
import { type Migration, migrate, readMigrations, SchemaError } from './migration.ts';
import { openPostgresWriter } from './postgres/postgres.ts';
import { openSqliteWriter } from './sqlite/sqlite.ts';

function openWriter(location: StoreLocation): WritableDatabase {
  return location.engine === 'sqlite' ? openSqliteWriter(location.file) : openPostgresWriter(location.url);
}

const future: Migration = { version: 0, name: 'future', sql: 'create table later (id {int} not null);', checksum: 'f' };

describe.each(ENGINES)('migrations on %s', (engine) => {
  it('bring an empty database to the schema that is committed', async () => {
    const database = openWriter(await testLocation(engine));
    await migrate(database);
    const schema = await database.transaction((tx) => describeSchema(tx, database.dialect.engine));
    await database.close();
    const committed = readFileSync(join(import.meta.dirname, '../admin/schema', `${engine}.txt`), 'utf8');
    expect(schema, 'run `npm run generate`').toBe(committed);
  });

  it('are applied once, also when several servers start at once', async () => {
    const location = await testLocation(engine);
    const stores = await Promise.all(Array.from({ length: 4 }, () => openStore(location)));
    const rows = await stores[0]?.database.query('select version from schema_migration order by version');
    expect(rows).toEqual(readMigrations().map(({ version }) => ({ version })));
    await Promise.all(stores.map((store) => store.close()));
  });

  it('add what is new to a database that exists', async () => {
    const database = openWriter(await testLocation(engine));
    const known = readMigrations();
    await migrate(database, known);
    await migrate(database, [...known, { ...future, version: known.length + 1 }]);
    expect(await database.transaction((tx) => tx.query('select id from later'))).toEqual([]);
    await database.close();
  });

  it('keep the sequences of repositories that were there before subscriptions were, and nobody watches them', async () => {
    const database = openWriter(await testLocation(engine));
    await migrate(
      database,
      readMigrations().filter(({ version }) => version < 16),
    );
    await database.transaction((tx) =>
      tx.query('insert into repo_sequence (repo_id, repo_seq, last_record_id) values (1, 42, 7)'),
    );
    await migrate(database);
    const sequence = 'select repo_id, repo_seq, last_record_id, watched from repo_sequence';
    expect(await database.transaction((tx) => tx.query(sequence))).toEqual([
      { repo_id: 1, repo_seq: 42, last_record_id: 7, watched: 0 },
    ]);
    await database.close();
  });

  it('refuse a database of a newer version, and leave it as it is', async () => {
    const location = await testLocation(engine);
    const database = openWriter(location);
    const known = readMigrations();
    await migrate(database, [...known, { ...future, version: known.length + 1 }]);
    await expect(migrate(database, known)).rejects.toThrow(SchemaError);
    await database.close();
    await expect(openStore(location)).rejects.toThrow(
      `The database has schema version ${known.length + 1}, but this server knows only versions up to ${known.length}. Start a newer Cairn`,
    );
  });

  it('refuse a database whose history is another', async () => {
    const database = openWriter(await testLocation(engine));
    const known = readMigrations();
    await migrate(database, known);
    const changed = known.map((migration) => ({ ...migration, checksum: 'other' }));
    await expect(migrate(database, changed)).rejects.toThrow('differs from the one in this server');
    await database.close();
  });

  it('leave nothing behind when one fails', async () => {
    const database = openWriter(await testLocation(engine));
    const broken = { ...future, sql: `${future.sql}\ncreate nonsense;`, version: 1 };
    await expect(migrate(database, [broken])).rejects.toThrow();
    const found = await database.transaction((tx) => tx.query(database.dialect.tableExists, ['later']));
    expect(found).toEqual([]);
    await database.close();
  });
});

it('never change once they are published', () => {
  expect(readMigrations().map(({ name, checksum }) => [name, checksum.slice(0, 16)])).toMatchSnapshot();
});
