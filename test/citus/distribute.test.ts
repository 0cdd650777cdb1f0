// `cairn admin distribute`, on a stand-in that enforces the table rules of Citus.
import postgres from 'postgres';
import { describe, expect, it, onTestFinished } from 'vitest';
import { COORDINATOR_KEYS, PLACEMENTS } from '../../packages/server/src/engine/placement.ts';
import { openStore } from '../../packages/server/src/store.ts';
import { installStandIn } from '../support/citus/stand-in.ts';
import { addTestRepository, readableOf } from '../support/repository.ts';
import { describeSchema } from '../support/schema.ts';
import { settingsOf, startCairn } from '../support/server.ts';
import { openStoreAt, preparedLocation, testLocation } from '../support/store.ts';
import { verifyRepository } from '../support/verify.ts';

async function postgresLocation(prepare: typeof preparedLocation) {
  const location = await prepare('postgres');
  if (location.engine !== 'postgres') throw new Error('asked for postgres');
  const sql = postgres(location.url, { max: 1, onnotice: () => {} });
  onTestFinished(() => sql.end());
  const distribute = async () => {
    const cli = startCairn(['--json', 'admin', 'distribute', '--yes'], settingsOf(location));
    const { code } = await cli.ended();
    return { code, output: cli.output() };
  };
  return { location, sql, distribute };
}

const ALL = Object.entries(PLACEMENTS);
const tablesOf = (kind: string) => ALL.filter(([, placement]) => placement.kind === kind).map(([table]) => table);

describe('cairn admin distribute', () => {
  it('lays out every table once, however often it is run, empty or filled', async () => {
    for (const prepare of [testLocation, preparedLocation]) {
      const { location, sql, distribute } = await postgresLocation(prepare);
      await installStandIn(location.url);
      const { code, output } = await distribute();
      expect([code, JSON.parse(output)]).toEqual([
        0,
        { distributed: tablesOf('distributed'), reference: tablesOf('reference'), before: [], workers: 2 },
      ]);
      const again = await distribute();
      expect(JSON.parse(again.output)).toMatchObject({ distributed: [], reference: [], workers: 2 });
      const placed =
        await sql`select logicalrelid::text as name, partmethod::text as method, partkey as key from pg_dist_partition`;
      expect(new Map(placed.map(({ name, method, key }) => [name, method === 'h' ? key : 'reference']))).toEqual(
        new Map(
          ALL.flatMap(([name, placement]) =>
            placement.kind === 'coordinator'
              ? []
              : [[name, placement.kind === 'distributed' ? placement.by : 'reference']],
          ),
        ),
      );
    }
  });

  it('goes on where it was cut off', async () => {
    const { location, sql, distribute } = await postgresLocation(preparedLocation);
    await installStandIn(location.url);
    await sql`insert into pg_dist_partition values ('repo_sequence', 'h', 'repo_id', 2, 's'), ('record', 'h', 'repo_id', 2, 's')`;
    const { distributed, before } = JSON.parse((await distribute()).output);
    expect(before).toEqual(['repo_sequence', 'record']);
    expect([...before, ...distributed]).toEqual(tablesOf('distributed'));
  });

  it('leaves the tables as they were, with every key', async () => {
    const { location, distribute } = await postgresLocation(preparedLocation);
    const schema = async () => {
      const store = await openStore(location);
      const text = await describeSchema(store.database, store.database.dialect.engine);
      await store.close();
      return text.split('\n').filter((line) => !/pg_dist_/.test(line));
    };
    const before = await schema();
    await installStandIn(location.url);
    expect((await distribute()).code).toBe(0);
    expect(await schema()).toEqual(before);
  });

  it('keeps what there was, and lets repositories refer to each other', async () => {
    const { location, distribute } = await postgresLocation(preparedLocation);
    const first = await openStore(location);
    const far = await addTestRepository(first, 'far');
    await far.commit([
      { kind: 'shape', name: 'Star', data: { fields: {} } },
      { name: 'Star/sol', data: {} },
    ]);
    await first.close();
    await installStandIn(location.url);
    expect((await distribute()).code).toBe(0);
    const store = await openStoreAt(location);
    expect(await store.database.isDistributed?.()).toBe(true);
    const near = await addTestRepository(store, 'near');
    await near.commit([{ kind: 'shape', name: 'Map', data: { fields: { stars: ['wref'] } } }]);
    const link = { name: 'Map/sky', data: { stars: ['wh:far/world/Star/sol'] } };
    const readable = [readableOf(far)];
    await near.commit([link], { readable });
    await near.commit([{ operation: 'revise', ...link, data: { stars: [] } }], { readable });
    await near.commit([{ operation: 'revise', ...link }], { readable });
    for (const { grant } of [far, near]) expect(await verifyRepository(store, grant.repoId)).toEqual([]);
    const rows = await store.database.query(
      'select from_seq, to_seq from ref where target_repo_id = $1 order by from_seq',
      [far.grant.repoId],
    );
    expect(rows).toEqual([
      { from_seq: 2, to_seq: 3 },
      { from_seq: 4, to_seq: null },
    ]);
  });

  it('counts on from the ids that there were', async () => {
    const { location, sql, distribute } = await postgresLocation(preparedLocation);
    await sql`insert into account (email, handle, password_hash, operator, created_at) values ('a@example.com', 'a', '-', 0, 0)`;
    await sql`insert into organization (name, display_name, description, created_at) values ('a', 'a', '', 0)`;
    const add = () => sql`insert into audit (organization_id, at, actor, action, target, details)
      select id, 0, 'a', 'a', 'a', '{}' from organization returning id`;
    await add();
    await add();
    await sql`delete from audit where id = 2`;
    await installStandIn(location.url);
    expect((await distribute()).code).toBe(0);
    expect((await add())[0]?.id).toBe('3');
  });

  it.each([
    ['create extension citus', 'select 1'],
    [
      'Cairn needs Citus 12',
      `create or replace function citus_version() returns text language sql as $$ select 'Citus 11.1.0' $$`,
    ],
    ['citus_set_coordinator_host', 'delete from pg_dist_node where groupid = 0'],
    ['citus_add_node', 'delete from pg_dist_node where groupid > 0'],
  ])('says what is missing: %s', async (advice, change) => {
    const { location, sql, distribute } = await postgresLocation(testLocation);
    if (change !== 'select 1') await installStandIn(location.url);
    await sql.unsafe(change);
    const { code, output } = await distribute();
    expect(code).toBe(1);
    expect(output).toContain(advice);
    expect(await sql`select 1 from pg_tables where tablename = 'repository'`).toHaveLength(0);
  });

  it('wants the nodes stopped', async () => {
    const { location, distribute } = await postgresLocation(preparedLocation);
    await installStandIn(location.url);
    const { database } = await openStoreAt(location);
    await database.now();
    const { code, output } = await distribute();
    expect(code).toBe(1);
    expect(output).toContain('Stop all its nodes first');
  });

  it('is for PostgreSQL', async () => {
    const cli = startCairn(['admin', 'distribute', '--yes'], settingsOf(await testLocation('sqlite')));
    expect((await cli.ended()).code).toBe(2);
    expect(cli.output()).toContain('CAIRN_DATABASE_URL');
  });
});

describe('the schema', () => {
  it('has a place for every table, and no key that machines could not keep', async () => {
    const { sql } = await postgresLocation(preparedLocation);
    const tables = await sql`select tablename from pg_tables where schemaname = 'public'`;
    expect(new Set(Object.keys(PLACEMENTS))).toEqual(new Set(tables.map(({ tablename }) => tablename)));
    const unique = await sql`
      select c.relname as table, array_agg(a.attname::text) as columns from pg_index i join pg_class c on c.oid = i.indrelid
      join pg_attribute a on a.attrelid = c.oid and a.attnum = any (i.indkey::int2[])
      where i.indisunique and c.relnamespace = 'public'::regnamespace group by i.indexrelid, c.relname`;
    const without = unique.filter(({ table, columns }) => {
      const placement = PLACEMENTS[table];
      return placement?.kind === 'distributed' && !columns.includes(placement.by);
    });
    expect(without).toEqual([]);
  });

  it('refers from one reference table to another, and from the coordinator by the keys that are listed', async () => {
    const { sql } = await postgresLocation(preparedLocation);
    const keys = await sql<{ table: string; column: string; target: string }[]>`
      select s.relname as table, a.attname as column, t.relname as target from pg_constraint con
      join pg_class s on s.oid = con.conrelid join pg_class t on t.oid = con.confrelid
      join pg_attribute a on a.attrelid = s.oid and a.attnum = con.conkey[1] where con.contype = 'f' order by s.relname`;
    const kindOf = (table: string) => PLACEMENTS[table]?.kind;
    expect(keys.filter(({ target }) => kindOf(target) !== 'reference')).toEqual([]);
    expect(keys.filter(({ table }) => kindOf(table) === 'distributed')).toEqual([]);
    expect(keys.filter(({ table }) => kindOf(table) === 'coordinator').map((key) => ({ ...key }))).toEqual(
      COORDINATOR_KEYS,
    );
  });
});
