// How PostgreSQL spells what the engines do not share.
import type { Dialect } from './database.ts';

// Any number, as long as every Cairn uses the same one.
const MIGRATION_LOCK = 7_265_113_001;

export const postgresDialect: Dialect = {
  engine: 'postgres',
  words: {
    identity: 'bigint generated always as identity primary key',
    // Names compare byte for byte, whatever locale the server was initialised with.
    text: 'text collate "C"',
    int: 'bigint',
    bytes: 'bytea',
    table: '',
    clustered: '',
    json_each: 'jsonb_array_elements',
    as_json: '::jsonb',
    // Not in the write-ahead log: fast, and empty after a crash.
    unlogged: 'unlogged',
  },
  lockMigrations: `select pg_advisory_xact_lock(${MIGRATION_LOCK})`,
  describeSchema: `
    select ddl from (
      select 1 as part, c.relname as place, a.attnum as position,
        format('column %s.%s %s%s%s%s;', c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
          case when co.collname is null or co.collname = 'default' then '' else ' collate ' || quote_ident(co.collname) end,
          case when a.attnotnull then ' not null' else '' end,
          case when a.attidentity <> '' then ' identity' when d.adbin is not null then ' default ' || pg_get_expr(d.adbin, d.adrelid) else '' end) as ddl
      from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      left join pg_collation co on co.oid = a.attcollation
      left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
      where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace
      union all
      select 2, conrelid::regclass::text || conname, 0, format('constraint %s on %s %s;', conname, conrelid::regclass, pg_get_constraintdef(oid))
      from pg_constraint where connamespace = current_schema()::regnamespace and contype <> 'n'
      union all
      select 3, indexname, 0, indexdef || ';' from pg_indexes where schemaname = current_schema()
        and indexname not in (select conname from pg_constraint where connamespace = current_schema()::regnamespace)
    ) as parts order by part, place collate "C", position`,
  tableExists: `select table_name as name from information_schema.tables where table_schema = current_schema() and table_name = $1`,
  greatest: 'greatest',
  least: 'least',
};
