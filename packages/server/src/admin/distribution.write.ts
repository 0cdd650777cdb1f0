// Distributes the tables over the machines of a Citus cluster, as engine/placement.ts defines.
import type { Transaction, WritableDatabase } from '../engine/database.ts';
import { migrate, SchemaError } from '../engine/migration.ts';
import {
  COORDINATOR_KEYS,
  FIRST_DISTRIBUTED,
  HAS_CITUS,
  PLACEMENTS,
  type Placement,
  SERVER_APPLICATION,
} from '../engine/placement.ts';

/** Without it, Citus uses several connections for one transaction, and each sees only its own changes. */
const SEQUENTIALLY = `select set_config('citus.multi_shard_modify_mode', 'sequential', true)`;
/** The first version that distributes our identity columns on the PostgreSQL versions that Cairn supports. */
const CITUS_MIN = 12;

export interface Distribution {
  readonly distributed: readonly string[];
  readonly reference: readonly string[];
  readonly before: readonly string[];
  readonly workers: number;
}

interface DistributeOptions {
  readonly onTable: (table: string, doneShare: number) => void;
}

/**
 * Reference tables come first and together, because they refer to each other. Every other table has its own
 * transaction, so that an interrupted run resumes.
 */
export async function distribute(database: WritableDatabase, { onTable }: DistributeOptions): Promise<Distribution> {
  const workers = await database.transaction(readCluster);
  await migrate(database);
  const identities = await database.transaction(findIdentities);
  const before: string[] = [];
  const made = { reference: [] as string[], distributed: [] as string[] };
  onTable('reference tables', 0);
  await database.transaction(async (tx) => {
    made.reference = await createReferenceTables(tx);
  });
  for (const key of COORDINATOR_KEYS) await database.transaction((tx) => restoreForeignKey(tx, key));
  const tables = Object.entries(PLACEMENTS).flatMap(([table, placement]) =>
    placement.kind === 'distributed' ? [{ table, by: placement.by }] : [],
  );
  for (const [at, { table, by }] of tables.entries()) {
    onTable(table, at / tables.length);
    const isNew = await database.transaction((tx) => createDistributedTable(tx, { table, by }));
    (isNew ? made.distributed : before).push(table);
    // The local copies of the rows remain on the coordinator, invisible, until they are truncated.
    await database.transaction((tx) =>
      tx.query('select truncate_local_data_after_distributing_table($1::text::regclass)', [quoted(table)]),
    );
  }
  await database.transaction((tx) => restoreIdentities(tx, identities));
  return {
    ...made,
    before: [...tablesOf('reference').filter((name) => !made.reference.includes(name)), ...before],
    workers,
  };
}

const tablesOf = (kind: Placement['kind']) =>
  Object.keys(PLACEMENTS).filter((table) => PLACEMENTS[table]?.kind === kind);

/** Running servers plan statements for a single machine, and their locks delay changes to whole tables. */
export async function refuseOpenServers(database: WritableDatabase): Promise<void> {
  const sql = `select count(*) as n from pg_stat_activity where datname = current_database() and application_name = $1`;
  const [row] = await database.transaction((tx) => tx.query<{ n: number }>(sql, [SERVER_APPLICATION]));
  if ((row?.n ?? 0) === 0) return;
  throw new SchemaError(
    `Cairn has ${row?.n} connections to this database. Stop all its nodes first, then run this command again.`,
  );
}

async function readCluster(tx: Transaction): Promise<number> {
  if ((await tx.query(HAS_CITUS)).length === 0) {
    throw new SchemaError(
      `This PostgreSQL has no Citus. Install it on all machines (version ${CITUS_MIN} or later), then run in this database: create extension citus;`,
    );
  }
  const [{ version } = { version: '' }] = await tx.query<{ version: string }>('select citus_version() as version');
  if (Number(/\d+/.exec(version)?.[0] ?? 0) < CITUS_MIN) {
    throw new SchemaError(`This PostgreSQL has ${version}. Cairn needs Citus ${CITUS_MIN} or later. Update it first.`);
  }
  const [nodes] = await tx.query<{ workers: number; coordinators: number }>(
    `select count(*) filter (where shouldhaveshards) as workers, count(*) filter (where groupid = 0) as coordinators
     from pg_dist_node where noderole = 'primary' and isactive`,
  );
  if ((nodes?.coordinators ?? 0) === 0) {
    throw new SchemaError(
      `Citus does not know its coordinator yet, which stores a copy of the reference tables. Run in this database, with the address of the coordinator: select citus_set_coordinator_host('HOST', 5432);`,
    );
  }
  if ((nodes?.workers ?? 0) === 0) {
    throw new SchemaError(
      `Citus has no workers yet. Run in this database, for each of them: select citus_add_node('HOST', 5432);`,
    );
  }
  return nodes?.workers ?? 0;
}

/** Foreign keys are dropped first: they pull tables into Citus, which does not release those with identity columns. */
async function createReferenceTables(tx: Transaction): Promise<string[]> {
  await tx.query(SEQUENTIALLY);
  const placed = await findPlaced(tx);
  const missing = tablesOf('reference').filter((table) => !placed.has(table));
  if (missing.length === 0) return [];
  const keys = await tx.query<{ table: string; name: string; target: string; definition: string }>(
    `select source.relname as "table", con.conname as name, target.relname as target, pg_get_constraintdef(con.oid) as definition
     from pg_constraint con join pg_class source on source.oid = con.conrelid join pg_class target on target.oid = con.confrelid
     where con.contype = 'f' and con.connamespace = current_schema()::regnamespace order by con.conname`,
  );
  const affected = keys.filter(({ table, target }) => missing.includes(table) || missing.includes(target));
  for (const { table, name } of affected) {
    await tx.query(`alter table ${quoted(table)} drop constraint ${quoted(name)}`);
  }
  for (const table of missing) await tx.query('select create_reference_table($1::text::regclass)', [quoted(table)]);
  const between = affected.filter(({ table }) => PLACEMENTS[table]?.kind === 'reference');
  for (const { table, name, definition } of between) {
    await tx.query(`alter table ${quoted(table)} add constraint ${quoted(name)} ${definition}`);
  }
  return missing;
}

type CoordinatorKey = (typeof COORDINATOR_KEYS)[number];

async function restoreForeignKey(tx: Transaction, { table, column, target }: CoordinatorKey): Promise<void> {
  const name = `${table}_${column}_fkey`;
  const known = await tx.query(
    `select 1 as one from pg_constraint where conname = $1 and connamespace = current_schema()::regnamespace`,
    [name],
  );
  if (known.length > 0) return;
  await tx.query(`alter table ${table} add constraint ${name} foreign key (${column}) references ${target} (id)`);
}

async function createDistributedTable(tx: Transaction, { table, by }: { table: string; by: string }): Promise<boolean> {
  if ((await findPlaced(tx)).has(table)) return false;
  const beside = table === FIRST_DISTRIBUTED ? 'none' : FIRST_DISTRIBUTED;
  await tx.query('select create_distributed_table($1::text::regclass, $2, colocate_with => $3)', [
    quoted(table),
    by,
    beside,
  ]);
  return true;
}

interface IdentityColumn {
  readonly table: string;
  readonly column: string;
  readonly last: number;
}

async function findIdentities(tx: Transaction): Promise<IdentityColumn[]> {
  return await tx.query<IdentityColumn>(
    `select c.relname as "table", a.attname as "column",
       coalesce(pg_sequence_last_value(pg_get_serial_sequence(quote_ident(c.relname), a.attname)::regclass), 0) as last
     from pg_attribute a join pg_class c on c.oid = a.attrelid
     where a.attidentity <> '' and c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'
       and pg_get_serial_sequence(quote_ident(c.relname), a.attname) is not null order by c.relname`,
  );
}

/** Citus recreates some tables with counters at 1, so the next insert would reuse an id. */
async function restoreIdentities(tx: Transaction, before: readonly IdentityColumn[]): Promise<void> {
  for (const { table, column, last } of await findIdentities(tx)) {
    const [row] = await tx.query<{ max: number | null }>(`select max(${column}) as max from ${quoted(table)}`);
    // Rows with higher ids may have been deleted, and ids must not be reused.
    const known = before.find((one) => one.table === table)?.last ?? 0;
    const highest = Math.max(known, row?.max ?? 0);
    if (highest <= last) continue;
    await tx.query('select setval(pg_get_serial_sequence($1, $2)::regclass, $3)', [quoted(table), column, highest]);
  }
}

async function findPlaced(tx: Transaction): Promise<Set<string>> {
  const rows = await tx.query<{ relname: string }>(
    `select c.relname from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid
     where c.relnamespace = current_schema()::regnamespace and (p.partmethod = 'h' or p.repmodel = 't')`,
  );
  return new Set(rows.map(({ relname }) => relname));
}

const quoted = (name: string) => `"${name}"`;
