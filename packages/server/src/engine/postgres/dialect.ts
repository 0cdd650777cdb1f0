import type { Dialect } from '../database.ts';

// An arbitrary number, but the same in every Cairn.
const MIGRATION_LOCK = 7_265_113_001;

export const postgresDialect: Dialect = {
  engine: 'postgres',
  // A new table needs a page of its own. An updated row could fit into an existing page, even on a full disk.
  probe: [
    'create temporary table write_probe (filling text) on commit drop',
    `insert into write_probe (filling) values ('x')`,
  ],
  words: {
    identity: 'bigint generated always as identity primary key',
    // Names compare byte for byte, whatever the locale of the server.
    text: 'text collate "C"',
    int: 'bigint',
    bytes: 'bytea',
    table: '',
    clustered: '',
    json_each: 'jsonb_array_elements',
    as_json: '::jsonb',
    // Unlogged tables skip the write-ahead log: they are fast, and empty after a crash.
    unlogged: 'unlogged',
  },
  // On Citus, the setting changes shards one after the other, on connections that see the earlier changes.
  lockMigrations: `select pg_advisory_xact_lock(${MIGRATION_LOCK}),
    set_config('citus.multi_shard_modify_mode', 'sequential', true)`,
  tableExists: `select table_name as name from information_schema.tables where table_schema = current_schema() and table_name = $1`,
  hex: (column) => `encode(${column}, 'hex')`,
  greatest: 'greatest',
  least: 'least',
  data: {
    matchesGlob: (name, glob, add) => `${name} ~ ${add(globPattern(glob))}`,
    value: {
      number: (path) =>
        `case when json_typeof(${valueAt(path)}) = 'number' then (${textAt(path)})::double precision end`,
      string: (path) => `case when json_typeof(${valueAt(path)}) = 'string' then (${textAt(path)}) collate "C" end`,
      boolean: (path) =>
        `case when json_typeof(${valueAt(path)}) = 'boolean' then case ${textAt(path)} when 'true' then 1 else 0 end end`,
    },
    exists: (path) => `coalesce(json_typeof(${valueAt(path)}), 'null') <> 'null'`,
    path: (tokens, add) => `${add(tokens.map(withoutNul))}::text[]`,
    text: withoutNul,
    isOneOf: (id, ids, add) => `${id} = any(${add(ids)}::bigint[])`,
    holds: (text, part) => `strpos(${text}, ${part}) > 0`,
    cast: { number: '::double precision', string: '::text collate "C"', boolean: '::bigint' },
  },
};

/** PostgreSQL text cannot hold U+0000, so compared values escape it with U+0001, which keeps equality and order. */
function withoutNul(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these two characters are what this is about.
  return text.replaceAll(/[\u0000\u0001]/g, (character) => (character === '\u0000' ? '\u0001\u0001' : '\u0001\u0002'));
}

// A backslash that is itself escaped does not begin an escape: `\\\\u0000` is a backslash and text.
const UNESCAPED = '(?<!\\\\)((?:\\\\\\\\)*)';
const DATA = `case when strpos(v.data, '\\u000') = 0 then v.data else regexp_replace(
  regexp_replace(v.data, '${UNESCAPED}\\\\u0001', '\\1\\\\u0001\\\\u0002', 'g'), '${UNESCAPED}\\\\u0000', '\\1\\\\u0001\\\\u0001', 'g') end`;

const valueAt = (path: string) => `((${DATA})::json #> ${path})`;
const textAt = (path: string) => `((${DATA})::json #>> ${path})`;

function globPattern(glob: string): string {
  const parts = glob.split(/(\*+)/).map((part) => {
    if (part === '*') return '[^/]*';
    return part === '**' ? '.*' : part.replaceAll(/[^\p{L}\p{N}/_-]/gu, '\\$&');
  });
  return `^${parts.join('')}$`;
}
