// Three nodes on one PostgreSQL behind a load balancer, under load. Each round kills, stops or freezes one or two of
// them at a chosen moment. All clients must make progress without them before they come back. At the end no
// acknowledged write is missing or duplicated, the receiver and all listeners know every commit, and exports are
// complete. `CAIRN_TEST_NODE_ROUNDS` makes it longer.
import { describe, expect, it } from 'vitest';
import type { Grant } from '../../packages/server/src/access/grant.rule.ts';
import type { Store } from '../../packages/server/src/store.ts';
import { findHaproxy } from '../support/haproxy.ts';
import { socketAt } from '../support/open-file.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { Random } from '../support/random.ts';
import { type Receiver, startReceiver, withStatus } from '../support/receiver.ts';
import { commitInput } from '../support/repository.ts';
import { TEST_SEED } from '../support/seed.ts';
import { createOwnerToken } from '../support/server.ts';
import { openStoreAt, preparedLocation } from '../support/store.ts';
import { amount, IS_LONG } from '../support/suite.ts';
import { verifyRepository } from '../support/verify.ts';
import { ARCHIVE, cutBuild, cutDownload, cutStream, fillArchive } from './node-export.ts';
import { LOAD, NodeLoad, WORLD } from './node-load.ts';
import { NODES, type NodeName, NodeRig } from './node-rig.ts';

const SUBSCRIPTION = 'steps';

interface World {
  readonly rig: NodeRig;
  readonly load: NodeLoad;
  readonly store: Store;
  readonly receiver: Receiver;
  readonly random: Random;
}

/** Each entry acts on nodes and returns those that are gone afterwards. The short run uses the first four. */
const ROUNDS: Readonly<Record<string, (world: World) => Promise<readonly NodeName[]>>> = {
  'kill of a node that somebody listens to': async ({ rig, load, random }) => {
    const { node } = random.pick(load.listeners);
    await rig.kill(node);
    return [node];
  },
  'kill of two nodes at once, one of which takes a stream': async ({ rig, load, random }) => {
    const { node } = load.streamer;
    const other = random.pick(NODES.filter((name) => name !== node));
    await rig.kill(node, other);
    return [node, other];
  },
  'a node that is frozen, and thawed when all has gone on without it': async ({ rig, load }) => {
    const { node } = load.streamer;
    rig.freeze(node);
    await load.goesOn();
    await rig.thaw(node);
    return [];
  },
  'kill of a node that delivers': async (world) => [await cutDelivery(world)],
  'stop of a node': async ({ rig, random }) => {
    const node = random.pick(NODES);
    await rig.stop(node);
    return [node];
  },
  'kill of a node that builds an export': async ({ rig, store }) => [await cutBuild(rig, store)],
  'kill of a node that streams an export': async ({ rig }) => [await cutStream(rig)],
  'kill of a node that sends the file of an export': async ({ rig }) => [await cutDownload(rig)],
};

const KINDS = Object.keys(ROUNDS);
/** The kinds after the first five need a repository to export. */
const SMALL_KINDS = 5;
const ROUND_COUNT = amount('NODE_ROUNDS', { short: 2, long: 6 * KINDS.length });
/** The maximum of the setting, because no run may exhaust its retries. */
const RETRIES_MAX = 50;
const TIMEOUT_MS = 240_000 + 60_000 * ROUND_COUNT;

/** The long suite also runs with HAProxy, if it is installed. */
const BALANCERS = [
  { balancer: 'a balancer', usesHaproxy: false },
  ...(IS_LONG && findHaproxy() ? [{ balancer: 'HAProxy', usesHaproxy: true }] : []),
];

describe.each(BALANCERS)('three nodes behind $balancer', ({ usesHaproxy }) => {
  it(`lose nothing when they are killed under load, in ${ROUND_COUNT} rounds`, { timeout: TIMEOUT_MS }, async () => {
    const receiver = await startReceiver();
    const location = await preparedLocation('postgres');
    const store = await openStoreAt(location);
    const { token, repoIds } = await prepare(store);
    const database = location.engine === 'postgres' ? location.url : '';
    const settings = { CAIRN_DATABASE_URL: database, ...settingsFor(receiver) };
    const rig = await NodeRig.start({ settings, token, usesHaproxy });
    await subscribe(rig, receiver);
    const random = new Random(TEST_SEED);
    const load = await NodeLoad.start(rig, random);
    const world = { rig, load, store, receiver, random };
    try {
      for (let round = 0; round < ROUND_COUNT; round++) await playRound(world, round);
      await load.end();
      await expectDelivered(world);
      for (const node of NODES) await rig.stop(node);
    } catch (error) {
      console.error([...load.wrong, ...rig.logged()].slice(0, 20).join('\n'));
      throw error;
    }
    expect(load.wrong).toEqual([]);
    await expectWrites(world);
    await expectLines(world);
    await expectRuns(world);
    for (const repoId of repoIds) expect(await verifyRepository(store, repoId)).toEqual([]);
    expectSpread(world);
    report(world);
  });
});

async function playRound(world: World, round: number): Promise<void> {
  const { rig, load } = world;
  await load.goesOn();
  const kind = KINDS[round % KINDS.length] ?? '';
  const gone = (await ROUNDS[kind]?.(world)) ?? [];
  await load.goesOn();
  await rig.startAgain(...gone);
}

async function prepare(store: Store): Promise<{ token: string; repoIds: number[] }> {
  const token = await createOwnerToken(store);
  const grants: Grant[] = [];
  for (const [orgName, name] of [WORLD, LOAD, ARCHIVE]) {
    const repository = { orgName, name, displayName: name, description: '', visibility: 'private' } as const;
    grants.push({ ...(await store.write.createRepository(repository)), scope: 'repo:admin' } as Grant);
  }
  const [world, load, archive] = grants as [Grant, Grant, Grant];
  const shape = (name: string) => [{ kind: 'shape', name, data: { fields: { n: 'number' } } }];
  await store.write.commit(commitInput(world, shape('Step')));
  await store.write.commit(commitInput(load, shape('Line')));
  if (ROUND_COUNT > SMALL_KINDS) await fillArchive(store, archive);
  return { token, repoIds: grants.map(({ repoId }) => repoId) };
}

/** Interrupted attempts count, and every round may hit the same run. Small chunks give many moments for a kill. */
function settingsFor({ address }: Receiver): Record<string, string> {
  return {
    CAIRN_OUTBOUND_ALLOW: address,
    CAIRN_WEBHOOK_RETRY_SECONDS: Array.from({ length: RETRIES_MAX }, () => '0').join(','),
    CAIRN_LIMIT_STREAM_CHUNK_LINES: '50',
  };
}

async function subscribe(rig: NodeRig, { url }: Receiver): Promise<void> {
  const options = { filter: { shape: 'Step' }, webhookUrl: `${url}/hook` };
  await rig.visitor().client.subscription.create(...WORLD, SUBSCRIPTION, options);
}

/** The receiver leaves one delivery unanswered until its sender is dead. Another node must send it again. */
async function cutDelivery({ rig, store, receiver }: World): Promise<NodeName> {
  const { port, runId } = await new Promise<{ port: number; runId: string }>((resolve) => {
    receiver.answer(({ socket }, { headers }) => {
      receiver.answer(withStatus(200));
      resolve({ port: socket?.remotePort ?? 0, runId: String(headers['webhook-id']) });
    });
  });
  const node = rig.whoHas(socketAt(port) ?? 'no such socket');
  if (node === undefined) throw new Error(`no node has the port ${port}, from which a delivery came`);
  await rig.kill(node);
  const outcomes = async () => {
    const sql = 'select outcome from attempt where run_id = $1 order by attempt';
    return (await store.database.query<{ outcome: string | null }>(sql, [runId])).map(({ outcome }) => outcome);
  };
  await expect.poll(outcomes, { timeout: PATIENCE_MS, interval: 200 }).toEqual(['lost', 'succeeded']);
  return node;
}

async function expectDelivered({ store }: World): Promise<void> {
  const statuses = async () => {
    const sql = 'select status, count(*) as n from run group by status order by status';
    return (await store.database.query<{ status: string }>(sql)).map(({ status }) => status);
  };
  await expect.poll(statuses, { timeout: PATIENCE_MS, interval: 500 }).toEqual(['succeeded']);
}

interface WrittenRow {
  readonly name: string;
  readonly seq: number;
  readonly version: number;
}

/** Everything in a repository except shapes, in write order. */
async function writtenIn({ store }: World, [, repoName]: readonly [string, string]): Promise<WrittenRow[]> {
  return await store.database.query<WrittenRow>(
    `select record.name, version.from_seq as seq, version.version from record
     join version on version.repo_id = record.repo_id and version.record_id = record.record_id
     join repository on repository.id = record.repo_id
     where repository.name = $1 and record.kind = 'thing' order by version.from_seq, version.op_index`,
    [repoName],
  );
}

const byText = (a: string, b: string) => (a < b ? -1 : Number(a > b));

async function expectWrites(world: World): Promise<void> {
  const found = (await writtenIn(world, WORLD)).map((row) => `Step/${row.name}@v${row.version} ${row.seq}`);
  const told = [...world.load.acknowledged].map(([name, seq]) => `${name}@v1 ${seq}`);
  expect(found.sort(byText)).toEqual(told.sort(byText));
}

async function expectLines(world: World): Promise<void> {
  const { produced, result } = world.load.streamer;
  expect(result).toMatchObject({ offset: produced, applied: produced, noop: 0, error: 0 });
  const found = (await writtenIn(world, LOAD)).map(({ name, version }) => `${name}@v${version}`);
  expect(found).toEqual(Array.from({ length: produced }, (_, n) => `${n}@v1`));
}

interface RunRow {
  readonly run_id: string;
  readonly repo_seq: number;
}

async function expectRuns({ store, load, receiver }: World): Promise<void> {
  const runs = await store.database.query<RunRow>('select run_id, repo_seq from run order by repo_seq');
  const committed = [...load.acknowledged.values()].sort((a, b) => a - b);
  expect(runs.map((run) => run.repo_seq)).toEqual(committed);
  const told = new Set(receiver.received.map(({ headers, body }) => `${headers['webhook-id']} ${body.repoSeq}`));
  const due = runs.map((run) => `${run.run_id} ${run.repo_seq}`);
  expect([...told].sort(byText)).toEqual(due.sort(byText));
}

function expectSpread({ rig, load }: World): void {
  expect([...rig.answers].filter(([, count]) => count === 0)).toEqual([]);
  expect(load.listeners.reduce((sum, { cuts }) => sum + cuts, 0)).toBeGreaterThan(0);
  expect(load.streamer.nodes.size).toBeGreaterThan(1);
}

function report({ rig, load, receiver }: World): void {
  const cuts = load.listeners.reduce((sum, listener) => sum + listener.cuts, 0);
  const deliveries = receiver.received.length;
  console.log(
    `${ROUND_COUNT} rounds: ${load.acknowledged.size} writes, ${load.streamer.produced} lines, ` +
      `${deliveries} deliveries of ${load.acknowledged.size} runs, ${cuts} cuts of ${load.listeners.length} who listen, ` +
      `answers ${[...rig.answers].map(([node, count]) => `${node} ${count}`).join(', ')}`,
  );
}
