import type { Dialect } from '../database.ts';

export const sqliteDialect: Dialect = {
  engine: 'sqlite',
  probe: [
    `insert into server_fact (name, value) values ('write-probe', hex(randomblob(8)))
     on conflict (name) do update set value = excluded.value`,
  ],
  words: {
    // AUTOINCREMENT, because an id must not be reused after a deletion.
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
  tableExists: `select name from sqlite_schema where type = 'table' and name = $1`,
  hex: (column) => `lower(hex(${column}))`,
  greatest: 'max',
  least: 'min',
  data: {
    // A function of ours (connection.ts), because SQLite's GLOB knows no path segments and its running time is
    // unbounded.
    matchesGlob: (name, glob, add) => `matches_glob(${add(glob)}, ${name})`,
    value: {
      // SQLite returns whole numbers as integers. Beyond 2^53 they keep digits that the number (a double) does not
      // have.
      number: (path) =>
        `case when json_type(v.data, ${path}) in ('integer', 'real') then cast(json_extract(v.data, ${path}) as real) end`,
      string: (path) => `case when json_type(v.data, ${path}) = 'text' then json_extract(v.data, ${path}) end`,
      boolean: (path) => `case json_type(v.data, ${path}) when 'true' then 1 when 'false' then 0 end`,
    },
    exists: (path) => `coalesce(json_type(v.data, ${path}), 'null') <> 'null'`,
    path: (tokens, add) => add(`$${tokens.map((token) => `.${JSON.stringify(token)}`).join('')}`),
    text: (value) => value,
    isOneOf: (id, ids, add) => `${id} in (select value from json_each(${add(JSON.stringify(ids))}))`,
    holds: (text, part) => `instr(${text}, ${part}) > 0`,
    cast: { number: '', string: '', boolean: '' },
  },
};

const rewritten = /\$(\d+)/g;

/** SQLite binds `$1` by name and `?1` by position. Our SQL contains `$` and a digit only as a parameter. */
export function toSqliteParameters(sql: string): string {
  return sql.replaceAll(rewritten, '?$1');
}
