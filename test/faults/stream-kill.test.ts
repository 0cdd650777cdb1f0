// The client, the server and the connection between them are killed again and again during one stream. At the end every
// line is applied once, in order. After each restart, all acknowledged lines are there. `CAIRN_TEST_STREAM_LINES` and
// `CAIRN_TEST_STREAM_KILLS` make it longer: the full run is 200,000 lines and 100 kills.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { CairnClient, ExportRow } from '@cairn/sdk';
import { describe, expect, it } from 'vitest';
import type { Grant } from '../../packages/server/src/access/grant.rule.ts';
import type { StoreLocation } from '../../packages/server/src/engine/database.ts';
import { openStore } from '../../packages/server/src/store.ts';
import { Random } from '../support/random.ts';
import { TEST_SEED } from '../support/seed.ts';
import { createOwnerToken, settingsOf, testFolder } from '../support/server.ts';
import { ENGINES, testLocation } from '../support/store.ts';
import { amount } from '../support/suite.ts';
import { verifyRepository } from '../support/verify.ts';
import { type Expected, type ExpectedRecord, expectedOf, streamText } from './stream-lines.ts';
import { KILLS, REPO, STREAM_ID, StreamRig } from './stream-rig.ts';

const LINES = amount('STREAM_LINES', { short: 3_000, long: 200_000 });
const KILL_COUNT = amount('STREAM_KILLS', { short: 4, long: 100 });
/** Small chunks give many moments for a kill. */
const CHUNK_LINES = '150';
/** Delay between the acknowledgment of a line and the kill. */
const DELAY_MS_MAX = 25;
const TIMEOUT_MS = 60_000 + 20_000 * KILL_COUNT;

describe.each(ENGINES)('a stream to %s of which every part is killed', (engine) => {
  it(`is applied once and in order: ${LINES} lines, ${KILL_COUNT} kills`, { timeout: TIMEOUT_MS }, async () => {
    const location = await testLocation(engine);
    const settings = { ...settingsOf(location), CAIRN_LIMIT_STREAM_CHUNK_LINES: CHUNK_LINES };
    const token = await prepare(location);
    const file = join(testFolder(), 'lines.ndjson');
    writeFileSync(file, streamText(LINES));
    const rig = await StreamRig.start({ settings, token, file });
    const random = new Random(TEST_SEED);
    for (const [index, offset] of killOffsets(random).entries()) {
      await rig.reached(offset);
      await setTimeout(random.below(DELAY_MS_MAX));
      expect(rig.acknowledged).toBeLessThan(LINES);
      await rig.kill(KILLS[index % KILLS.length] ?? 'server');
    }
    const expected = expectedOf(LINES);
    const { code, output } = await rig.clientEnd();
    // The command fails if any line was refused.
    expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining(`"offset": ${LINES},`) });
    await expectState(rig.api, expected);
    await rig.stopServer();
    await expectRows(location, expected);
  });
});

async function prepare(location: StoreLocation): Promise<string> {
  const store = await openStore(location);
  const token = await createOwnerToken(store);
  const [orgName, name] = REPO;
  const world = { orgName, name, displayName: name, description: '', visibility: 'private' } as const;
  const found = await store.write.createRepository(world);
  const _grant = { ...found, scope: 'repo:configure' } as Grant;
  await store.close();
  return token;
}

/** Line counts at which the kills happen. The last quarter is free, so that every kill hits a running stream. */
function killOffsets(random: Random): number[] {
  const last = Math.floor(LINES * 0.75);
  return Array.from({ length: KILL_COUNT }, () => random.below(last)).sort((a, b) => a - b);
}

async function expectState(api: CairnClient, { records, counts }: Expected): Promise<void> {
  expect(await api.stream.status(...REPO, STREAM_ID)).toMatchObject({ state: 'open', offset: LINES, ...counts });
  const active = [...records.values()].filter((record) => record.active);
  expect(await api.thing.count(...REPO, { kind: 'thing' })).toMatchObject({ count: active.length });
  const rows = new Map<string, ExportRow>();
  for await (const row of api.repo.export(...REPO)) if (row.kind === 'thing') rows.set(row.durableId, row);
  const found = [...rows.values()].map((row) => [keyOf(row.name, row.data), recordOf(row, rows)] as const);
  const texts = (entries: Iterable<readonly [string, ExpectedRecord]>) =>
    Array.from(entries, ([key, { name, version, active, n, to }]) =>
      JSON.stringify([key, isMinted(name) ? 'minted' : name, version, active, n, to]),
    ).sort(byText);
  expect(differences(texts(found), texts(records))).toEqual([]);
}

function recordOf({ name, version, active, data, refs }: ExportRow, rows: ReadonlyMap<string, ExportRow>) {
  const { n } = data as { n: number };
  const [id = '', pin] = refs?.[0]?.[1].split('@') ?? [];
  const target = rows.get(id);
  return { name, version, active, n, to: target && `${keyOf(target.name, target.data)}@${pin}` };
}

const byText = (a: string, b: string) => (a < b ? -1 : Number(a > b));

const isMinted = (name: string) => name.startsWith('Item/t-');

function keyOf(name: string, data: unknown): string {
  const { label } = data as { label?: number };
  return label === undefined ? name : `$${label}`;
}

async function expectRows(location: StoreLocation, { changes }: Expected): Promise<void> {
  const store = await openStore(location);
  const [repository] = await store.database.query<{ id: number }>('select id from repository');
  const written = await store.database.query<Record<'operation' | 'name' | 'data' | 'version', string>>(
    `select change.operation, record.name, version.data, change.version from (
       select from_seq as repo_seq, op_index, operation, record_id, version from version
       union all
       select repo_seq, op_index, 'rename', rename.record_id, (select max(version) from version
         where version.repo_id = rename.repo_id and version.record_id = rename.record_id and from_seq <= rename.repo_seq)
       from rename) as change
     join record on record.record_id = change.record_id
     join version on version.record_id = record.record_id and version.version = record.version
     order by change.repo_seq, change.op_index`,
  );
  const found = written.map(
    ({ operation, name, data, version }) => `${operation} ${keyOf(nameOf(name), JSON.parse(data))}@v${version}`,
  );
  expect(differences(found, changes)).toEqual([]);
  expect(await verifyRepository(store, repository?.id ?? 0)).toEqual([]);
  await store.close();
}

/** The store keeps names without their shape. */
const nameOf = (name: string) => (name === 'Item' ? name : `Item/${name}`);

/** Only the first few differences, to keep the message readable. */
function differences(found: readonly string[], expected: readonly string[]): unknown[] {
  const length = Math.max(found.length, expected.length);
  return Array.from({ length }, (_, at) => ({ at, found: found[at], expected: expected[at] }))
    .filter((pair) => pair.found !== pair.expected)
    .slice(0, 5);
}
