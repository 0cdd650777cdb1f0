// One bit of a database file is flipped, again and again. Every answer and export is unchanged, or is refused, or
// `verify` reports the damage. No answer is silently wrong.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import type { Grant } from '../../packages/server/src/access/grant.rule.ts';
import { verifyStore } from '../../packages/server/src/admin/verify/store.ts';
import { exportLines } from '../../packages/server/src/export/export-stream.ts';
import { countRecords, listRecords } from '../../packages/server/src/read/list/list.sql.ts';
import { findRecords, listShapes, listVersions, readListed } from '../../packages/server/src/read/record.sql.ts';
import { openStore, type Store } from '../../packages/server/src/store.ts';
import { grantOn } from '../support/grant.ts';
import { Random } from '../support/random.ts';
import { addTestRepository, recordWref } from '../support/repository.ts';
import { testLocation } from '../support/store.ts';
import { amount } from '../support/suite.ts';

const RANDOM_FLIPS = amount('RANDOM_FLIPS', { short: 20, long: 2_000 });
const TARGETED_FLIPS = amount('TARGETED_FLIPS', { short: 30, long: 500 });
const SEED = Number(process.env.CAIRN_TEST_SEED ?? 20_261_118);
const NOTES = 250;
const EARLIER_SEQ = 4;

/** 250 notes, some of which were revised, renamed or retracted. */
async function fill(store: Store): Promise<void> {
  const { commit } = await addTestRepository(store, 'acme');
  const fields = { 'n?': { type: 'number', indexed: true }, 'to?': 'wref' };
  await commit([
    { kind: 'shape', name: 'Place', data: { fields: {} } },
    { kind: 'shape', name: 'Note', data: { fields } },
    { name: 'Place/a', data: {} },
  ]);
  for (let first = 0; first < NOTES; first += 50) {
    const names = Array.from({ length: 50 }, (_, index) => first + index);
    await commit(names.map((n) => ({ name: `Note/${n}`, data: { n, to: 'Place/a' } })));
  }
  await commit([{ kind: 'shape', operation: 'revise', name: 'Note', data: { fields: { ...fields, 'x?': 'string' } } }]);
  for (let n = 0; n < NOTES; n += 5) await commit([{ operation: 'revise', name: `Note/${n}`, data: { n: -n } }]);
  await commit([{ operation: 'retract', name: 'Note/7', reason: 'gone' }]);
  await commit([{ operation: 'rename', name: 'Note/8', newName: 'Note/eight' }]);
}

type Answers = ReadonlyMap<string, string | undefined>;

async function answersOf(file: string): Promise<Answers> {
  const answers = new Map<string, string | undefined>();
  const store = await openStore({ engine: 'sqlite', file }).catch(() => undefined);
  const grant = store && (await grantOn(store, { orgName: 'acme', repoName: 'world' }).catch(() => undefined));
  if (store !== undefined && grant !== undefined) await askAll(store, grant, answers);
  await store?.close().catch(() => {});
  return answers;
}

async function askAll(store: Store, grant: Grant, answers: Map<string, string | undefined>): Promise<void> {
  const { database } = store;
  const ask = async (question: string, answer: () => Promise<unknown>) => {
    const text = await answer().then(JSON.stringify, () => undefined);
    answers.set(question, text);
  };
  // Computed, because the repository's own sequence may be damaged too.
  const atRepoSeq = NOTES / 5 + NOTES / 50 + 4;
  for (const [since, at] of [
    [0, atRepoSeq],
    [0, EARLIER_SEQ],
    [EARLIER_SEQ, atRepoSeq],
  ] as const) {
    await ask(`export from ${since} to ${at}`, () => exported(store, { grant, sinceRepoSeq: since, atRepoSeq: at }));
  }
  for (let n = 0; n < NOTES; n++) {
    const wrefs = [recordWref(`Note/${n === 8 ? 'eight' : n}`)];
    await ask(`note ${n}`, () => findRecords(database, grant, { wrefs, atRepoSeq }));
  }
  for (const n of [8, 10, 20]) {
    const wrefs = [recordWref(`Note/${n}`)];
    await ask(`note ${n} before`, () => findRecords(database, grant, { wrefs, atRepoSeq: EARLIER_SEQ }));
    const page = { recordId: n + 4, atRepoSeq, before: undefined, limit: 50, maxBytes: 1_000_000 };
    await ask(`history ${n}`, () => listVersions(database, grant, page));
  }
  const shapes = { atRepoSeq, after: undefined, includeRetracted: true, limit: 50 };
  await ask('shapes', () => listShapes(database, grant, shapes));
  const filter = { atRepoSeq, shape: { shapeId: 2, name: 'Note' }, where: [], includeRetracted: true };
  await ask('count', () => countRecords(database, grant, filter));
  for (const order of ['name', 'created', 'updated'] as const) {
    await ask(`list by ${order}`, async () => {
      const request = { filter, order, after: undefined, limit: 100, maxBytes: 1_000_000 };
      const { rows } = await listRecords(database, grant, request);
      return await readListed(database, grant, { recordIds: rows.map(({ recordId }) => recordId), atRepoSeq });
    });
  }
}

interface Exported {
  readonly grant: Grant;
  readonly sinceRepoSeq: number;
  readonly atRepoSeq: number;
}

async function exported(store: Store, range: Exported): Promise<string> {
  let text = '';
  for await (const lines of exportLines(store, { ...range, repo: 'acme/world' })) text += Buffer.from(lines).toString();
  return text.replace(/"exportedAt":\d+/, '');
}

async function isReported(file: string): Promise<boolean> {
  const options = { onDifference: () => {}, onProgress: () => {} };
  return await verifyStore({ engine: 'sqlite', file }, options).then(
    ({ differences }) => differences > 0,
    () => true,
  );
}

const TABLES = ['record', 'version', 'name', 'record_by_shape', 'record_by_update', 'field_index', 'commit'];

/** The first bytes of the pages of each table and index. */
function pagesOf(file: string): Map<string, number[]> {
  const database = new DatabaseSync(file, { readOnly: true });
  const rows = database.prepare('select name, pageno from dbstat').all() as { name: string; pageno: number }[];
  database.close();
  const pages = new Map<string, number[]>();
  for (const { name, pageno } of rows) pages.set(name, [...(pages.get(name) ?? []), (pageno - 1) * PAGE_BYTES]);
  return pages;
}

const PAGE_BYTES = 4_096;

it(`answers nothing wrongly in silence, ${RANDOM_FLIPS + TARGETED_FLIPS} flipped bits over`, async () => {
  const location = await testLocation('sqlite');
  if (location.engine !== 'sqlite') throw new Error('asked for sqlite');
  const store = await openStore(location);
  await fill(store);
  await store.close();
  // The first export creates the ID of the server.
  await answersOf(location.file);
  const whole = readFileSync(location.file);
  const right = await answersOf(location.file);
  expect([...right.values()]).not.toContain(undefined);
  expect(right.get('count')).toBe(String(NOTES));
  expect(await isReported(location.file)).toBe(false);

  const pages = pagesOf(location.file);
  const random = new Random(SEED);
  const copy = `${location.file}-copy`;
  const seen = { right: 0, refused: 0, reported: 0 };
  for (let n = 0; n < RANDOM_FLIPS + TARGETED_FLIPS; n++) {
    const bytes = Buffer.from(whole);
    const page = random.pick(pages.get(TABLES[n % TABLES.length] ?? '') ?? []);
    let at = n < RANDOM_FLIPS ? random.below(bytes.length) : page + random.below(PAGE_BYTES);
    // Most of a page is empty, and a flip there changes nothing.
    while (n >= RANDOM_FLIPS && bytes[at] === 0) at = page + random.below(PAGE_BYTES);
    const bit = 1 << random.below(8);
    bytes.writeUInt8(bytes.readUInt8(at) ^ bit, at);
    for (const log of ['-wal', '-shm']) rmSync(`${copy}${log}`, { force: true });
    writeFileSync(copy, bytes);
    const answers = await answersOf(copy);
    const wrong = [...answers].filter(([question, text]) => text !== undefined && text !== right.get(question));
    if (wrong.length > 0) {
      const [question, text = ''] = wrong[0] ?? ['', ''];
      const where = `seed ${SEED}, flip ${n}, bit ${bit} at ${at}: ${question}: ${text.slice(0, 300)}`;
      expect(await isReported(copy), where).toBe(true);
      seen.reported++;
    } else if (answers.size === right.size && [...answers.values()].every((text) => text !== undefined)) seen.right++;
    else seen.refused++;
  }
  console.log(`${RANDOM_FLIPS + TARGETED_FLIPS} flipped bits: ${JSON.stringify(seen)}`);
  expect(seen.refused).toBeGreaterThan(TARGETED_FLIPS / 4);
});
