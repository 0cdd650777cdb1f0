import { describe, expect, it } from 'vitest';
import { addTestRepository, recordWref, refreshed, type TestRepository } from '../../../../test/support/repository.ts';
import { runStatement } from '../../../../test/support/statement.ts';
import { ENGINES, openStoreAt, openTestStore, testLocation } from '../../../../test/support/store.ts';
import { verifyRepository } from '../../../../test/support/verify.ts';
import type { ExportPlace } from '../export/export-page.sql.ts';
import { exportLines } from '../export/export-stream.ts';
import { findRecords } from '../read/record.sql.ts';
import { openStore } from '../store.ts';
import { checksumHead, checksumVersion } from './integrity.rule.ts';

describe('a checksum', () => {
  const HEAD = {
    ...{ record_id: 7, kind: 'thing', shape_id: 2, name: 'a', version: 3, active: 1, created_seq: 4, updated_seq: 9 },
    ...{ about: null, about_wref: null },
  };
  const VERSION = {
    ...{ record_id: 7, version: 3, from_seq: 9, op_index: 0, operation: 'revise', active: 1, shape_version: 1 },
    ...{ reason: null, data_hash: '00ff' },
  };

  it('is another one when a column or the repository is', () => {
    const sums = new Set([checksumHead(1, HEAD), checksumHead(2, HEAD)]);
    for (const column of Object.keys(HEAD)) sums.add(checksumHead(1, { ...HEAD, [column]: 99 }));
    expect(sums.size).toBe(2 + Object.keys(HEAD).length);
    for (const column of Object.keys(VERSION)) sums.add(checksumVersion(1, { ...VERSION, [column]: '' }));
    expect(sums.size).toBe(2 + Object.keys(HEAD).length + Object.keys(VERSION).length);
    const data_hash = Uint8Array.of(0, 255);
    expect(checksumVersion(1, { ...VERSION, data_hash })).toBe(checksumVersion(1, VERSION));
  });
});

const LAST_SEQ = 5;

async function fill(repository: TestRepository): Promise<TestRepository> {
  const { commit } = repository;
  await commit([
    { kind: 'shape', name: 'Room', data: { fields: { 'n?': 'number' } } },
    { name: 'Room/a', data: { n: 1 } },
    { name: 'Room/b', data: {} },
    { name: 'Room/note', about: 'Room/a', data: {} },
  ]);
  await commit([
    { operation: 'revise', name: 'Room/a', data: { n: 2 } },
    { operation: 'rename', name: 'Room/b', newName: 'Room/c' },
  ]);
  await commit([{ operation: 'retract', name: 'Room/c', reason: 'gone' }]);
  await commit([
    { kind: 'shape', operation: 'revise', name: 'Room', data: { fields: { 'n?': 'number', 'text?': 'string' } } },
  ]);
  await commit([
    { operation: 'rename', name: 'Room', newName: 'Hall' },
    { operation: 'revise', name: 'Hall/a', data: { n: 3 } },
  ]);
  return await refreshed(repository);
}

async function read({ store, grant }: TestRepository, name: string) {
  const request = { wrefs: [recordWref(name)], atRepoSeq: LAST_SEQ };
  const [found] = await findRecords(store.database, grant, request);
  return found;
}

interface Range {
  readonly since?: number;
  readonly at?: number;
  readonly after?: ExportPlace;
}

async function exported({ store, grant }: TestRepository, { since = 0, at = LAST_SEQ, after }: Range = {}) {
  let text = '';
  const source = { grant, repo: 'acme/world', sinceRepoSeq: since, atRepoSeq: at, after };
  for await (const lines of exportLines(store, source)) text += Buffer.from(lines).toString();
  return text.trimEnd().split('\n').slice(1, -1);
}

const DAMAGE: readonly string[] = [
  'update record set version = 2 where record_id = 2',
  'update record set active = 0 where record_id = 2',
  'update record set updated_seq = 2 where record_id = 2',
  "update record set name = 'x' where record_id = 2",
  'update record set crc = crc + 1 where record_id = 2',
  'update version set active = 0 where record_id = 2 and version = 3',
  "update version set operation = 'add' where record_id = 2 and version = 3",
  'update version set shape_version = 1 where record_id = 2 and version = 3',
  "update version set reason = 'r' where record_id = 2 and version = 3",
  'update version set op_index = 7 where record_id = 2 and version = 3',
];

describe.each(ENGINES)('rows on %s', (engine) => {
  const filled = async () => await fill(await addTestRepository(await openTestStore(engine), 'acme'));

  it.each(DAMAGE)('are neither read nor exported after: %s', async (statement) => {
    const repository = await filled();
    expect(await read(repository, 'Hall/a')).toMatchObject({ version: 3, data: { n: 3 } });
    expect(await exported(repository)).toHaveLength(5);
    await runStatement(repository.store, statement);
    await expect(read(repository, 'Hall/a')).rejects.toThrow('is damaged');
    await expect(exported(repository)).rejects.toThrow('is damaged');
    expect(await verifyRepository(repository.store, repository.grant.repoId)).toContainEqual(
      expect.stringMatching(/^record 2: .*checksum is wrong$/),
    );
  });

  it('are not changed when they are damaged, nor found by the name of another', async () => {
    const repository = await filled();
    await runStatement(repository.store, "update name set record_id = 3 where name = 'a'");
    await expect(read(repository, 'Hall/a')).rejects.toThrow('is damaged');
    const revise = repository.commit([{ operation: 'revise', name: 'Hall/a', data: { n: 4 } }]);
    await expect(revise).rejects.toThrow('is damaged');
  });

  it('that an export does not find are missed, in all of it and in an increment', async () => {
    const repository = await filled();
    const ids = (lines: string[]) => lines.map((line) => JSON.parse(line).name);
    expect(ids(await exported(repository, { at: 1 }))).toEqual(['Room', 'Room/a', 'Room/b', 'Room/note']);
    expect(ids(await exported(repository, { after: { recordId: 1, version: 1 } }))).toHaveLength(4);
    expect(ids(await exported(repository, { after: { recordId: 3, version: 2 } }))).toEqual(['Hall/note']);
    expect(ids(await exported(repository, { since: 4 }))).toEqual(['Hall', 'Hall', 'Hall/a']);
    await runStatement(repository.store, 'delete from version where record_id = 4');
    for (const range of [{}, { at: 1 }, { after: { recordId: 2, version: 3 } }]) {
      await expect(exported(repository, range)).rejects.toThrow('The repository is damaged');
    }
    await runStatement(repository.store, 'delete from version where record_id = 2');
    await expect(exported(repository, { since: 4 })).rejects.toThrow('Record 2 is damaged');
  });

  it('of a database from before there were checksums have them after the upgrade', async () => {
    const location = await testLocation(engine);
    const before = await openStore(location);
    const { grant } = await fill(await addTestRepository(before, 'acme'));
    for (const table of ['record', 'version']) await runStatement(before, `alter table ${table} drop column crc`);
    for (const table of ['repo_sequence', '"commit"']) {
      await runStatement(before, `alter table ${table} drop column export_rows`);
    }
    await runStatement(before, 'drop table access_epoch');
    await runStatement(before, `delete from schema_migration where name in ('row-checksums', 'access-epoch')`);
    await before.close();
    const store = await openStoreAt(location);
    const repository = { store, grant, commit: async () => expect.fail() };
    expect(await verifyRepository(store, grant.repoId)).toEqual([]);
    expect(await exported(repository)).toHaveLength(5);
    expect(await exported(repository, { at: 1 })).toHaveLength(4);
    expect(await read(repository, 'Hall/a')).toMatchObject({ version: 3 });
  });
});
