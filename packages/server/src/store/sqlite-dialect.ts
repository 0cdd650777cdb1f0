// How SQLite spells what the engines do not share.
import type { Dialect } from './database.ts';

export const sqliteDialect: Dialect = {
  engine: 'sqlite',
  words: {
    // AUTOINCREMENT, because an id must never come to mean something else after a deletion.
    identity: 'integer primary key autoincrement',
    text: 'text',
    int: 'integer',
    bytes: 'blob',
    table: 'strict',
    clustered: 'strict, without rowid',
    json_each: 'json_each',
    as_json: '',
    unlogged: '',
  },
  // Migrations run inside BEGIN IMMEDIATE, which is the lock.
  lockMigrations: null,
  describeSchema: `select sql || ';' as ddl from sqlite_schema
    where sql is not null and name not like 'sqlite_%' order by type desc, name`,
  tableExists: `select name from sqlite_schema where type = 'table' and name = $1`,
  greatest: 'max',
  least: 'min',
};

const rewritten = /\$(\d+)/g;

/** `$1` binds by name in SQLite, `?1` by position. No SQL text of ours holds a `$` and a digit otherwise. */
export function toSqliteParameters(sql: string): string {
  return sql.replaceAll(rewritten, '?$1');
}
