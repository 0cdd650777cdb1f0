// One bit of a copied store is flipped, again and again. In a backup, every flip is found. A bare copy of the database
// file has no checksums. There, verify or a refused read finds the flip, or no row of a repository contains it. Data
// that can be read is always the data that was written.
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { backUp, checkBackup } from '../../packages/server/src/admin/backup.ts';
import { verifyStore } from '../../packages/server/src/admin/verify/store.ts';
import { openStore, type Store } from '../../packages/server/src/store.ts';
import { temporaryFolder } from '../support/backup.ts';
import { Random } from '../support/random.ts';
import { addTestRepository } from '../support/repository.ts';
import { testLocation } from '../support/store.ts';
import { amount } from '../support/suite.ts';

const FLIPS = amount('FLIPS', { short: 15, long: 1_000 });
const SEED = Number(process.env.CAIRN_TEST_FLIP_SEED ?? 20_261_116);
const RECORDS = 400;

const SENSOR = { 'room?': { type: 'wref', indexed: true }, 'n?': { type: 'number', indexed: true }, 'text?': 'string' };

async function fill(store: Store): Promise<void> {
  const { commit } = await addTestRepository(store, 'acme');
  await commit([
    { kind: 'shape', name: 'Room', data: { fields: {} } },
    { kind: 'shape', name: 'Sensor', data: { fields: SENSOR } },
    { name: 'Room/a', data: {} },
  ]);
  const text = 'limestone, granite and slate; ';
  for (let first = 0; first < RECORDS; first += 50) {
    const operations = Array.from({ length: 50 }, (_, index) => {
      const n = first + index;
      return { name: `Sensor/s${n}`, data: { room: 'Room/a', n, text: text.repeat(1 + (n % 20)) } };
    });
    await commit(operations, { message: `from ${first}` });
    await commit([{ operation: 'revise', name: `Sensor/s${first}`, data: { n: -1, text: 'revised' } }]);
  }
  await commit([{ operation: 'rename', name: 'Room/a', newName: 'Room/hall' }]);
  await commit([{ operation: 'retract', name: 'Sensor/s1' }]);
}

async function filledFile(): Promise<string> {
  const location = await testLocation('sqlite');
  if (location.engine !== 'sqlite') throw new Error('asked for sqlite');
  const store = await openStore(location);
  await fill(store);
  // Closing the last connection checkpoints the log into the file.
  await store.close();
  return location.file;
}

function flip(file: string, random: Random): () => void {
  const bytes = readFileSync(file);
  const at = random.below(bytes.length);
  bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << random.below(8)), at);
  const whole = readFileSync(file);
  writeFileSync(file, bytes);
  return () => writeFileSync(file, whole);
}

describe('a bit that is turned over', () => {
  it(`is found in a backup, ${FLIPS} times over`, async () => {
    const file = await filledFile();
    const folder = join(temporaryFolder(), 'backup');
    const data = join(file, '..');
    await backUp({
      data,
      secret: 'the secret of a test, of thirty-two',
      blobs: undefined,
      folder,
      onProgress: () => {},
    });
    const isWhole = async () => {
      const checked = await checkBackup({ folder, onProgress: () => {} }).catch(() => undefined);
      return checked !== undefined && checked.damages.length === 0;
    };
    expect(await isWhole()).toBe(true);
    const random = new Random(SEED);
    // Alternates between the files, so the manifest gets as many flips as the database, which is a hundred times as
    // large.
    const files = readdirSync(folder);
    for (let n = 0; n < FLIPS; n++) {
      const putBack = flip(join(folder, files[n % files.length] ?? ''), random);
      expect([n, await isWhole()]).toEqual([n, false]);
      putBack();
    }
    expect(await isWhole()).toBe(true);
  });

  it(`is found in a bare copy wherever it changes a repository, and never read as data, ${FLIPS} times over`, async () => {
    const file = await filledFile();
    const copy = `${file}-copy`;
    const [written, rows] = [await exported(file), rowsOf(file)];
    const random = new Random(SEED);
    const found = { verify: 0, unused: 0, operational: 0 };
    for (let n = 0; n < FLIPS; n++) {
      copyFileSync(file, copy);
      flip(copy, random);
      if (await isFound(copy)) found.verify++;
      else {
        const changed = changedTables(rows, rowsOf(copy));
        expect([n, changed.filter((table) => REPOSITORY_ROWS.has(table))]).toEqual([n, []]);
        if (changed.length === 0) found.unused++;
        else found.operational++;
      }
      for (const [id, data] of await exported(copy)) expect([n, id, data]).toEqual([n, id, written.get(id)]);
    }
    console.log(`${FLIPS} bits turned over in a bare copy: ${JSON.stringify(found)}`);
    // Most of the other bytes of a small store are in no row.
    expect(found.verify).toBeGreaterThan(FLIPS / 10);
  });
});

async function isFound(file: string): Promise<boolean> {
  const options = { onDifference: () => {}, onProgress: () => {} };
  try {
    return (await verifyStore({ engine: 'sqlite', file }, options)).differences > 0;
  } catch {
    return true;
  }
}

/** Data of every readable record, as exported. Refused records are left out. */
async function exported(file: string): Promise<Map<string, unknown>> {
  const read = new Map<string, unknown>();
  const store = await openStore({ engine: 'sqlite', file }).catch(() => undefined);
  if (store === undefined) return read;
  try {
    for (let recordId = 1; recordId <= RECORDS + 3; recordId++) {
      const range = { repoId: 1, sinceRepoSeq: 0, atRepoSeq: 19 };
      const request = {
        range,
        after: { recordId: recordId - 1, version: Number.MAX_SAFE_INTEGER },
        lastRecordId: recordId,
      };
      const page = await store.exports.page(request).catch(() => undefined);
      for (const line of page === undefined ? [] : Buffer.from(page.bytes).toString().split('\n').filter(Boolean)) {
        const { durableId, version, data } = JSON.parse(line) as { durableId: string; version: number; data: unknown };
        read.set(`${durableId}@v${version}`, data);
      }
    }
  } finally {
    await store.close().catch(() => {});
  }
  return read;
}

/** Tables that verify covers. The others hold people, tokens and work in progress, and have no hash. */
const REPOSITORY_ROWS: ReadonlySet<string> = new Set([
  ...['record', 'version', 'name', 'commit', 'rename', 'ref', 'shape_field', 'field_index', 'repo_sequence'],
]);

type Tables = ReadonlyMap<string, unknown>;

function rowsOf(file: string): Tables {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const names = database.prepare(`select name from sqlite_schema where type = 'table' order by name`).all();
    return new Map(
      names.map(({ name }) => {
        return [String(name), database.prepare(`select * from "${name}"`).all()];
      }),
    );
  } finally {
    database.close();
  }
}

function changedTables(before: Tables, after: Tables): string[] {
  return [...before.keys()].filter((name) => !isDeepStrictEqual(before.get(name), after.get(name)));
}
