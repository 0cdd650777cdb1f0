// A stand-in for Citus if there is no cluster. It implements the functions that `cairn admin distribute` calls, in SQL,
// with the table rules of Citus. It moves no data, but the server treats the database as distributed, so its statements
// for that run and are recorded.
import postgres from 'postgres';

const STAND_IN = `
create table pg_dist_partition (
  logicalrelid regclass not null primary key, partmethod "char" not null, partkey text, colocationid int not null,
  repmodel "char" not null
);

create table pg_dist_node (
  groupid int not null primary key, nodename text not null, nodeport int not null, noderole text not null default 'primary',
  isactive boolean not null default true, shouldhaveshards boolean not null
);
insert into pg_dist_node (groupid, nodename, nodeport, shouldhaveshards)
  values (0, 'coordinator', 5432, false), (1, 'worker-1', 5432, true), (2, 'worker-2', 5432, true);

create function citus_version() returns text language sql as $$ select 'Citus 13.0.0, of which this is a stand-in' $$;

create function create_reference_table(table_name regclass) returns void language plpgsql as $$
begin
  -- Citus would draw a table that refers to it into its care, from where one with an identity column cannot become a
  -- reference table any more; and it refuses references from here to tables elsewhere.
  if exists (select 1 from pg_constraint where contype = 'f' and conrelid <> confrelid and table_name in (conrelid, confrelid)
    and not exists (select 1 from pg_dist_partition where repmodel = 't' and logicalrelid in (conrelid, confrelid) and logicalrelid <> table_name)) then
    raise exception 'the table % has a foreign key from or to one that is no reference table', table_name;
  end if;
  insert into pg_dist_partition (logicalrelid, partmethod, colocationid, repmodel) values (table_name, 'n', 1, 't');
end $$;

create function create_distributed_table(
  table_name regclass, distribution_column text, distribution_type text default 'hash', colocate_with text default 'default'
) returns void language plpgsql as $$
declare
  number int := (select attnum from pg_attribute where attrelid = table_name and attname = distribution_column and attnotnull);
  beside int := 2;
begin
  if number is null then raise exception 'the table % has no column % that is never null', table_name, distribution_column; end if;
  if exists (select 1 from pg_index where indrelid = table_name and indisunique and not number = any (indkey::int2[])) then
    raise exception 'a unique index of % does not have %', table_name, distribution_column;
  end if;
  if exists (select 1 from pg_constraint where contype in ('f', 'x') and table_name in (conrelid, confrelid)) then
    raise exception 'the table % has a foreign key or an exclusion', table_name;
  end if;
  if exists (select 1 from pg_trigger where tgrelid = table_name and not tgisinternal) then
    raise exception 'the table % has a trigger', table_name;
  end if;
  if colocate_with <> 'none' then
    select colocationid into strict beside from pg_dist_partition
      where logicalrelid = colocate_with::regclass and partmethod = 'h';
  end if;
  insert into pg_dist_partition values (table_name, 'h', distribution_column, beside, 's');
end $$;

create function truncate_local_data_after_distributing_table(table_name regclass) returns void language plpgsql as $$
begin
  if not exists (select 1 from pg_dist_partition where logicalrelid = table_name and partmethod = 'h') then
    raise exception 'the table % is not distributed', table_name;
  end if;
end $$;

-- Citus makes a table anew that stays on the coordinator and refers to a reference table. Its counters begin at 1 again.
create function begin_counters_anew() returns event_trigger language plpgsql as $$
declare
  counter text;
begin
  for counter in
    select distinct pg_get_serial_sequence(quote_ident(c.relname), a.attname) from pg_event_trigger_ddl_commands() d
      join pg_constraint k on k.conrelid = d.objid and k.contype = 'f'
      join pg_dist_partition r on r.logicalrelid = k.confrelid and r.repmodel = 't'
      join pg_class c on c.oid = k.conrelid
      join pg_attribute a on a.attrelid = c.oid and a.attidentity <> ''
    where not exists (select 1 from pg_dist_partition p where p.logicalrelid = k.conrelid)
  loop
    perform setval(counter, 1, false);
  end loop;
end $$;
create event trigger counters_anew on ddl_command_end when tag in ('ALTER TABLE') execute function begin_counters_anew();

create function refuse_triggers() returns event_trigger language plpgsql as $$
begin
  if exists (select 1 from pg_event_trigger_ddl_commands() d join pg_trigger t on t.oid = d.objid
      join pg_dist_partition p on p.logicalrelid = t.tgrelid and p.partmethod = 'h') then
    raise exception 'triggers are not supported on distributed tables';
  end if;
end $$;
create event trigger no_triggers on ddl_command_end when tag in ('CREATE TRIGGER') execute function refuse_triggers();

-- Beside PostgreSQL's own of the same names, which makes calls without a type ambiguous.
create function pg_catalog.pg_terminate_backend(global_pid bigint, timeout bigint default 0) returns bool language sql
  as $$ select pg_catalog.pg_terminate_backend(global_pid::int, timeout) $$;
create function pg_catalog.pg_cancel_backend(global_pid bigint) returns bool language sql
  as $$ select pg_catalog.pg_cancel_backend(global_pid::int) $$;

create function get_shard_id_for_distribution_column(table_name regclass, distribution_value bigint) returns bigint language sql
  as $$ select 102000 + abs(hashint8(distribution_value)) % 4 $$;
`;

/** The manual steps of an operator: create the extension, and add the coordinator and the workers. */
export async function installStandIn(url: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  await sql.unsafe(STAND_IN);
  await sql.end();
}
