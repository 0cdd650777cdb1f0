// The synchronous export of REST: content, resumption and refusals.
import { cpSync } from 'node:fs';
import { parseDurableId } from '@cairn/model/wref';
import { CairnClient } from '@cairn/sdk';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import {
  commit,
  createExportable,
  exportAll,
  parseExport,
  refusalOf,
  requestExport,
  WORLD,
} from '../../../../test/support/export.ts';
import { createOwnerToken, startTestServer, testFolder } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';

const keyOf = ({ name, version }: { name: string; version: number }) => `${name}@v${version}`;

const HEADS = [
  ...['Room@v1', 'Sensor@v1', 'Sensor@v2', 'Sensor@v3', 'Claim@v1'],
  ...['Room/a@v2', 'Room/beta@v1', 'Sensor/t@v2', 'Claim/cold@v1', 'Arc@v1', 'Arc/way@v1'],
];

describe.each(UPPER_ENGINES)('the export stream on %s', (engine) => {
  it(
    verifies(
      'is NDJSON that opens with a header, holds the heads by durable ID, and ends with a mark',
      '2.5/ndjson',
      '2.5/header-first',
      '2.5/header-at-repo-seq',
      '2.5/header-format-version',
      '2.5/row-durable-id',
      '2.5/shape-version-number',
      '4.1/export-mounted',
      '4.2/sync-default',
      '4.2/mode-default',
      '4.2/mode-heads',
      '4.2/since-default',
      '4.2/since-zero',
      '4.2/at-default',
      '4.2/resume-default',
      '4.2/format-version-default',
      '9/heads-only',
    ),
    async () => {
      const world = await createExportable(engine);
      const answer = await requestExport(world.app, { token: world.session });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/x-ndjson']);
      const text = await answer.text();
      const { header, rows, recordCount } = parseExport(text);
      const { items } = (await world.owner('commit.log', WORLD)).data();
      expect(header).toEqual({
        type: 'header',
        formatVersion: 1,
        repo: 'ada/world',
        server: expect.any(String),
        mode: 'heads',
        sinceRepoSeq: 0,
        atRepoSeq: 7,
        commitId: items[0]?.commitId,
        exportedAt: expect.any(Number),
      });
      expect(rows.map(keyOf)).toEqual(HEADS);
      expect(recordCount).toBe(HEADS.length);
      const ids = rows.map(({ durableId }) => durableId);
      expect(ids).toEqual([...ids].sort());
      expect(ids.every((id) => parseDurableId(id) !== undefined)).toBe(true);
      for (const query of ['mode=heads', 'sinceRepoSeq=0', 'atRepoSeq=7', 'formatVersion=9']) {
        expect((await exportAll(world, query)).lines).toEqual(parseExport(text).lines);
      }
    },
  );

  it(
    verifies('has the fields of the reads, and what is stored as it was hashed', '2.5/durable-id-stable'),
    async () => {
      const world = await createExportable(engine);
      const { rows } = await exportAll(world);
      for (const row of rows.filter(({ kind }) => kind !== 'shape')) {
        const input = { ...WORLD, wref: row.durableId, includeRetracted: true };
        const read = (await world.owner('thing.get', input)).data();
        for (const field of Object.keys(row).filter((name) => name in read && name !== 'data') as never[]) {
          expect([field, row[field]]).toEqual([field, read[field]]);
        }
      }
      const [, , , , , retracted, , sensor, claim, , arc] = rows;
      expect(retracted).toMatchObject({ operation: 'retract', active: false, reason: 'collapsed', data: { size: 1 } });
      // Room/b was renamed since: the text keeps the old name, and the identity names the record.
      expect(sensor).toMatchObject({ shapeName: 'Sensor', shapeVersion: 2, data: { room: 'Room/b@v1', unit: 'K' } });
      expect(sensor?.refs).toEqual([['/room', `${rows[6]?.durableId}@v1`]]);
      expect(sensor).toMatchObject({ repoSeq: 4, recordRepoSeq: 2, createdBy: 'user:ada' });
      expect(claim).toMatchObject({ aboutWref: 'Room/a@v1', aboutDurableId: `${rows[5]?.durableId}@v1` });
      expect(arc).toMatchObject({ kind: 'collection', collection: 'arc', shapeName: 'Arc' });
    },
  );

  it('names the committer by identity too, and holds any text as it is', async () => {
    const world = await createExportable(engine);
    const operations = [{ name: 'Room/"q"', data: { size: 2, text: 'größer "als" 🪨\n\u0001' } }];
    (await world.owner('commit.submit', { ...WORLD, operations, committer: 'Room/beta' })).data();
    const { rows } = await exportAll(world, 'sinceRepoSeq=7');
    const beta = (await exportAll(world)).rows[6];
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({ name: 'Room/"q"', data: operations[0]?.data });
    expect(rows[0]).toMatchObject({ committerWref: 'Room/beta@v1', committerDurableId: `${beta?.durableId}@v1` });
  });

  it(
    verifies(
      'is pinned to a sequence, with the names and versions of that time',
      '4.2/at-pins-header',
      '4.2/at-pins-contents',
      '4.2/resume-pinned',
    ),
    async () => {
      const world = await createExportable(engine);
      const keys = async (at: number) => {
        const { header, rows, recordCount } = await exportAll(world, `atRepoSeq=${at}`);
        expect([header.atRepoSeq, recordCount]).toEqual([at, rows.length]);
        return rows.map(keyOf);
      };
      expect(await keys(0)).toEqual([]);
      expect(await keys(1)).toEqual(['Room@v1', 'Sensor@v1', 'Claim@v1']);
      const second = ['Room/a@v1', 'Room/b@v1', 'Sensor/t@v1', 'Claim/cold@v1', 'Arc@v1', 'Arc/way@v1'];
      expect(await keys(2)).toEqual(['Room@v1', 'Sensor@v1', 'Claim@v1', ...second]);
      expect(await keys(6)).toEqual(HEADS.filter((key) => key !== 'Sensor@v3'));
      expect(await keys(7)).toEqual(HEADS);
      const { header, rows, lines } = await exportAll(world);
      await commit(world.owner, [{ operation: 'rename', name: 'Room', newName: 'Hall' }]);
      await commit(world.owner, [{ operation: 'revise', name: 'Hall/beta', data: { size: 9 } }]);
      expect((await exportAll(world, 'atRepoSeq=7')).lines).toEqual(lines);
      const query = `atRepoSeq=7&formatVersion=${header.formatVersion}&afterDurableId=${rows[5]?.durableId}`;
      expect((await exportAll(world, query)).lines).toEqual(lines.slice(6));
    },
  );

  it(
    verifies(
      'holds with sinceRepoSeq what changed after it, renames and retractions too',
      '2.1/repo-seq-resumes',
      '4.2/since-changed-after',
      '4.2/since-exclusive',
      '4.2/at-with-since',
    ),
    async () => {
      const world = await createExportable(engine);
      const keys = async (query: string) => (await exportAll(world, query)).rows.map(keyOf);
      expect(await keys('sinceRepoSeq=7')).toEqual([]);
      expect(await keys('sinceRepoSeq=6')).toEqual(['Sensor@v3']);
      expect(await keys('sinceRepoSeq=4')).toEqual(['Sensor@v3', 'Room/a@v2', 'Room/beta@v1']);
      expect(await keys('sinceRepoSeq=4&atRepoSeq=5')).toEqual(['Room/beta@v1']);
      expect(await keys('sinceRepoSeq=3&atRepoSeq=4')).toEqual(['Sensor/t@v2']);
      expect((await exportAll(world, 'sinceRepoSeq=5')).header).toMatchObject({ sinceRepoSeq: 5, atRepoSeq: 7 });
      await commit(world.owner, [{ operation: 'rename', name: 'Sensor', newName: 'Probe' }]);
      expect(await keys('sinceRepoSeq=7')).toEqual(['Probe@v1', 'Probe@v2', 'Probe@v3']);
    },
  );

  it(
    verifies(
      'goes on after any row, byte for byte',
      '4.2/resume-exclusive',
      '4.2/resume-complete',
      '4.2/resume-header',
      '4.2/after-version-default',
      '4.2/after-version-continues',
      '4.2/after-version-exclusive',
      '4.2/after-version-then-rest',
      '4.2/format-version-equal',
    ),
    async () => {
      const world = await createExportable(engine);
      for (const since of ['', '&sinceRepoSeq=2']) {
        const { header, rows, lines } = await exportAll(world, `atRepoSeq=7${since}`);
        for (const [index, { kind, durableId, version }] of rows.entries()) {
          const place = `&afterDurableId=${durableId}${kind === 'shape' ? `&afterVersion=${version}` : ''}`;
          const rest = await exportAll(world, `atRepoSeq=7&formatVersion=1${since}${place}`);
          expect(rest.lines).toEqual(lines.slice(index + 1));
          expect(rest.recordCount).toBe(rest.lines.length);
          expect(rest.header).toEqual({ ...header, exportedAt: expect.any(Number) });
          const after = rows.findLastIndex((row) => row.durableId === durableId) + 1;
          const skipped = await exportAll(world, `atRepoSeq=7&formatVersion=1${since}&afterDurableId=${durableId}`);
          expect(skipped.lines).toEqual(lines.slice(after));
        }
      }
    },
  );

  it('holds every record of a repository that is read in many parts, as a whole and as an increment', async () => {
    const world = await createExportable(engine);
    const names: string[] = [];
    for (let first = 0; first < 4_000; first += 1_000) {
      const some = Array.from({ length: 1_000 }, (_, n) => `Room/many-${first + n}`);
      await commit(
        world.owner,
        some.map((name) => ({ name, data: {} })),
      );
      names.push(...some);
    }
    for (let n = 0; n < 6; n++) {
      await commit(world.owner, [{ name: `Room/large-${n}`, data: { note: 'x'.repeat(150_000) } }]);
      names.push(`Room/large-${n}`);
    }
    const whole = await exportAll(world);
    expect(whole.rows.map(keyOf)).toEqual([...HEADS, ...names.map((name) => `${name}@v1`)]);
    expect(whole.recordCount).toBe(HEADS.length + names.length);
    const increment = await exportAll(world, 'sinceRepoSeq=7');
    expect(increment.rows.map(({ name }) => name)).toEqual(names);
    const between = await exportAll(world, 'sinceRepoSeq=8&atRepoSeq=9');
    expect(between.rows.map(({ name }) => name)).toEqual(names.slice(1_000, 2_000));
  });

  it('goes on after a durable ID that no record has', async () => {
    const world = await createExportable(engine);
    const { rows, lines } = await exportAll(world);
    await commit(world.owner, [{ name: 'Room/later', data: {} }]);
    const later = (await exportAll(world)).rows.find(({ name }) => name === 'Room/later');
    const query = `atRepoSeq=7&formatVersion=1&afterDurableId=${later?.durableId}`;
    expect((await exportAll(world, query)).lines).toEqual([]);
    const same = `atRepoSeq=7&formatVersion=1&afterDurableId=${rows[0]?.durableId}&afterVersion=99`;
    expect((await exportAll(world, same)).lines).toEqual(lines.slice(1));
  });

  it(
    verifies(
      'refuses what cannot be meant, telling what to do',
      '4.2/prefer-other',
      '4.2/mode-ops',
      '4.2/mode-ops-async',
      '4.2/since-integer',
      '4.2/at-integer',
      '4.2/resume-needs-at',
      '4.2/resume-needs-format',
      '4.2/resume-not-async',
      '4.2/resume-not-token',
      '4.2/after-version-alone',
      '4.2/after-version-positive',
      '4.2/after-version-integer',
      '4.2/format-version-differs',
      '4.2/format-version-restart',
      '4.2/format-version-integer',
    ),
    async () => {
      const world = await createExportable(engine);
      const { rows } = await exportAll(world);
      const shape = `afterDurableId=${rows[0]?.durableId}`;
      const thing = `afterDurableId=${rows[5]?.durableId}`;
      const pinned = 'atRepoSeq=7&formatVersion=1';
      (await world.owner('repo.create', { orgName: 'ada', name: 'other' })).data();
      const refused: readonly (readonly [query: string, status: number, code: string])[] = [
        ['prefer=sync', 400, 'export-parameters-conflict'],
        ['mode=all', 400, 'export-parameters-conflict'],
        ['mode=ops', 501, 'export-mode-not-enabled'],
        ['mode=ops&prefer=async', 501, 'export-mode-not-enabled'],
        [`mode=ops&${thing}&atRepoSeq=7&formatVersion=2`, 501, 'export-mode-not-enabled'],
        ['mode=ops&afterVersion=1', 400, 'export-parameters-conflict'],
        ['sinceRepoSeq=1.5', 400, 'VALIDATION_ERROR'],
        ['sinceRepoSeq=-1', 400, 'VALIDATION_ERROR'],
        ['sinceRepoSeq=8', 400, 'export-seq-unavailable'],
        ['sinceRepoSeq=3&atRepoSeq=2', 400, 'export-seq-unavailable'],
        ['atRepoSeq=8', 400, 'export-seq-unavailable'],
        ['atRepoSeq=x', 400, 'VALIDATION_ERROR'],
        ['atRepoSeq=', 400, 'VALIDATION_ERROR'],
        ['atRepoSeq=1&atRepoSeq=2', 400, 'VALIDATION_ERROR'],
        ['att=1', 400, 'VALIDATION_ERROR'],
        [`${thing}&formatVersion=1`, 400, 'export-parameters-conflict'],
        [`${thing}&atRepoSeq=7`, 400, 'export-parameters-conflict'],
        [`${thing}&${pinned}&prefer=async`, 400, 'export-parameters-conflict'],
        [`${thing}&${pinned}&token=x`, 400, 'export-parameters-conflict'],
        ['afterVersion=1', 400, 'export-parameters-conflict'],
        [`${thing}&${pinned}&afterVersion=1`, 400, 'export-parameters-conflict'],
        [`${shape}&${pinned}&afterVersion=0`, 400, 'VALIDATION_ERROR'],
        [`${shape}&${pinned}&afterVersion=-1`, 400, 'VALIDATION_ERROR'],
        [`${shape}&${pinned}&afterVersion=1.5`, 400, 'VALIDATION_ERROR'],
        [`${shape}&atRepoSeq=7&formatVersion=0`, 412, 'export-format-mismatch'],
        [`${shape}&atRepoSeq=99&formatVersion=2`, 412, 'export-format-mismatch'],
        [`${shape}&atRepoSeq=99&formatVersion=1`, 400, 'export-seq-unavailable'],
        [`${shape}&atRepoSeq=7&formatVersion=one`, 400, 'VALIDATION_ERROR'],
        [`afterDurableId=nonsense&${pinned}`, 400, 'VALIDATION_ERROR'],
        ['prefer=async&token=x', 400, 'export-parameters-conflict'],
        ['mode=heads&token=x', 400, 'export-parameters-conflict'],
      ];
      for (const [query, status, code] of refused) {
        const refusal = await refusalOf(await requestExport(world.app, { query, token: world.session }));
        expect([query, refusal.status, refusal.code]).toEqual([query, status, code]);
        expect(refusal.message).toMatch(/^[^{]{20,}\.$/);
      }
      const elsewhere = await requestExport(world.app, {
        repo: 'ada/other',
        query: `atRepoSeq=0&formatVersion=1&${shape}`,
        token: world.session,
      });
      expect((await refusalOf(elsewhere)).code).toBe('VALIDATION_ERROR');
    },
  );

  it('answers HEAD with the headers alone', async () => {
    const { app, session } = await createExportable(engine);
    const answer = await requestExport(app, { token: session, method: 'HEAD' });
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
      200,
      'application/x-ndjson',
      '',
    ]);
  });
});

it('names its server by an id that a copy has too, though nothing was exported before it was made', async () => {
  const [data, copy] = [testFolder(), testFolder()];
  const first = await startTestServer('sqlite', { CAIRN_DATA: data });
  const token = await createOwnerToken(first.store);
  await new CairnClient({ url: first.url, token }).repo.create('ada', 'world');
  await first.stop();
  cpSync(data, copy, { recursive: true });
  const servers = [data, copy].map(async (folder) => {
    const { url } = await startTestServer('sqlite', { CAIRN_DATA: folder });
    const headers = { authorization: `Bearer ${token}` };
    const lines = await (await fetch(`${url}/api/repos/ada/world/export`, { headers })).text();
    return JSON.parse(lines.split('\n')[0] ?? '').server;
  });
  const [one, other] = await Promise.all(servers);
  expect(one).toMatch(/^[0-9a-f-]{36}$/);
  expect(other).toBe(one);
});
