// The schema as text, which a test compares with the committed one for each engine.
import type { Engine, Reader } from '../../packages/server/src/engine/database.ts';

export async function describeSchema(reader: Reader, engine: Engine): Promise<string> {
  const rows = await reader.query<{ ddl: string }>(DESCRIBE[engine]);
  return `${rows.map(({ ddl }) => ddl).join('\n')}\n`;
}

const DESCRIBE: Readonly<Record<Engine, string>> = {
  postgres: `
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
      select 3, indexname, 0, replace(indexdef, ' ON ' || current_schema() || '.', ' ON ') || ';' from pg_indexes
      where schemaname = current_schema()
        and indexname not in (select conname from pg_constraint where connamespace = current_schema()::regnamespace)
    ) as parts order by part, place collate "C", position`,
  sqlite: `select sql || ';' as ddl from sqlite_schema
    where sql is not null and name not like 'sqlite_%' order by type desc, name`,
};
