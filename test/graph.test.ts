// A graph of several thousand records that refer to each other and to another repository. The command line writes it as
// one commit. After random changes, all rows still agree.
import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatDurableId } from '@cairn/model/wref';
import { CairnClient } from '@cairn/sdk';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Store } from '../packages/server/src/store.ts';
import { cairn } from './support/cli.ts';
import { grantOn } from './support/grant.ts';
import { GraphChanges, type GraphRecord } from './support/graph/change.ts';
import { GRAPH_SHAPES, graphOperations } from './support/graph/file.ts';
import { Random } from './support/random.ts';
import { createOwnerToken, startTestServer } from './support/server.ts';
import { UPPER_ENGINES } from './support/store.ts';
import { IS_LONG } from './support/suite.ts';
import { verifyRepository } from './support/verify.ts';

const SIZE = IS_LONG
  ? { things: 2_000, assertions: 5_000, collections: 1_000 }
  : { things: 600, assertions: 1_500, collections: 300 };
const COMMITS = IS_LONG ? 500 : 150;
/** Number of target records in the other repository, and of records that are read back at an older sequence. */
const SAMPLE = 100;

type Engine = (typeof UPPER_ENGINES)[number];

async function setUp(engine: Engine) {
  const { url, store } = await startTestServer(engine);
  const token = await createOwnerToken(store);
  const client = new CairnClient({ url, token });
  await client.repo.create('ada', 'graph');
  await client.repo.create('ada', 'atlas');
  const stars = Array.from({ length: SAMPLE }, (_, n) => ({ name: `Place/star-${n}`, data: { rank: n } }));
  await client.commit.submit('ada', 'atlas', { operations: [...GRAPH_SHAPES, ...stars] });
  return { store, client, environment: { CAIRN_URL: url, CAIRN_TOKEN: token } };
}

async function repoIdOf(store: Store, repoName: string): Promise<number> {
  return (await grantOn(store, { orgName: 'ada', repoName })).repoId;
}

async function recordsOf(store: Store, repoId: number): Promise<GraphRecord[]> {
  const rows = await store.database.query<{ record_id: number; kind: string; shape_name: string | null }>(
    `select r.record_id, r.kind, s.name as shape_name from record r
     left join record s on s.repo_id = r.repo_id and s.record_id = r.shape_id where r.repo_id = $1 order by r.record_id`,
    [repoId],
  );
  return rows.map(({ record_id, kind, shape_name }) => ({
    durableId: formatDurableId({ repoId, recordId: record_id }),
    kind,
    shapeName: shape_name ?? '',
  }));
}

/** References by durable ID and by full address. */
function wrefsInto({ repoName, records }: { repoName: string; records: readonly GraphRecord[] }): string[] {
  const names = Array.from({ length: SAMPLE }, (_, n) => `wh:ada/${repoName}/Place/star-${n}`);
  return [...names, ...records.map(({ durableId }) => durableId)];
}

async function submitFile(operations: readonly object[], environment: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'graph.jsonl');
  writeFileSync(file, operations.map((operation) => JSON.stringify(operation)).join('\n'));
  const args = ['--json', '--repo', 'ada/graph', 'commit', 'submit', '--file', file, '--message', 'The graph'];
  const { code, stdout, stderr } = await cairn(args, environment);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as Awaited<ReturnType<CairnClient['commit']['submit']>>;
}

/** Random operations may be refused for these reasons. */
const REFUSALS = ['TARGET_NOT_FOUND', 'ALREADY_EXISTS', 'VALIDATION_ERROR', 'DEPENDENCY_FAILED'];

interface Changed {
  readonly repoName: string;
  readonly changes: GraphChanges;
}

async function submitNext(client: CairnClient, { repoName, changes }: Changed): Promise<number> {
  const { operations } = await client.commit.submit('ada', repoName, { operations: changes.next(), atomic: false });
  const unexpected = operations.filter(({ error }) => error !== undefined && !REFUSALS.includes(error.code));
  expect(unexpected).toEqual([]);
  return operations.filter(({ status }) => status === 'applied').length;
}

async function live(engine: Engine, random: Random) {
  const { store, client, environment } = await setUp(engine);
  const [graphId, atlasId] = [await repoIdOf(store, 'graph'), await repoIdOf(store, 'atlas')];
  const stars = await recordsOf(store, atlasId);
  const elsewhere = wrefsInto({ repoName: 'atlas', records: stars });
  const { repoSeq } = await submitFile(graphOperations(random, { size: SIZE, elsewhere }), environment);
  const records = await recordsOf(store, graphId);
  const back = records.map(({ durableId }) => durableId);
  const graph = { repoName: 'graph', changes: new GraphChanges({ random, records, elsewhere }) };
  const atlas = { repoName: 'atlas', changes: new GraphChanges({ random, records: stars, elsewhere: back }) };
  const sample = random.some(back, SAMPLE);
  const before = await client.thing.getMany('ada', 'graph', sample);
  let applied = 0;
  for (let at = 0; at < COMMITS; at++) {
    // Earlier references keep the address of their time.
    if (at === COMMITS / 2) atlas.repoName = (await client.repo.rename('ada', 'atlas', { newName: 'charts' })).name;
    applied += await submitNext(client, random.once(10) ? atlas : graph);
  }
  const after = await client.thing.getMany('ada', 'graph', sample, { atRepoSeq: repoSeq });
  return { store, repoIds: [graphId, atlasId], records, applied, before, after };
}

const COLLECTED = ['ends', 'first', 'from', 'items', 'members', 'second', 'to'];
/** Every kind of reference, within the repository and into another one. */
const ROLES = ['about', 'field', ...COLLECTED].flatMap((role) => [`${role} 0`, `${role} 1`]);

async function rolesIn(store: Store, repoId: number): Promise<Set<string>> {
  const rows = await store.database.query<{ role: string; elsewhere: number }>(
    `select distinct role, case when target_repo_id = repo_id then 0 else 1 end as elsewhere from ref where repo_id = $1`,
    [repoId],
  );
  return new Set(rows.map(({ role, elsewhere }) => `${role} ${elsewhere}`));
}

describe.each(UPPER_ENGINES)('a graph on %s', (engine) => {
  it('is written as one commit, and stays whole whatever is changed', async () => {
    const seed = randomInt(2 ** 32);
    const { store, repoIds, records, applied, before, after } = await live(engine, new Random(seed)).catch(
      (cause: unknown) => {
        throw new Error(`failed with seed ${seed}`, { cause });
      },
    );
    const kinds = Map.groupBy(records, ({ kind }) => kind);
    expect([kinds.get('thing')?.length, kinds.get('assertion')?.length]).toEqual([SIZE.things, SIZE.assertions]);
    expect(applied, `seed ${seed}`).toBeGreaterThan(COMMITS);
    expect(await rolesIn(store, repoIds[0] ?? 0)).toEqual(new Set(ROLES));
    expect(after, `seed ${seed}`).toEqual(before);
    for (const repoId of repoIds) expect(await verifyRepository(store, repoId), `seed ${seed}`).toEqual([]);
  });
});
