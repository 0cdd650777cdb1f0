import { describe, expect, it } from 'vitest';
import { headerOf, lineOf, thingLine } from '../../../../test/support/import/file.ts';
import { createTestRepository, refreshed } from '../../../../test/support/repository.ts';
import { ENGINES } from '../../../../test/support/store.ts';
import { findRecords } from './record.sql.ts';
import { versionAt } from './target-name.sql.ts';

function expectedAt(atRepoSeq: number): number | undefined {
  const revisions = Math.max(0, Math.min(atRepoSeq - 3, 40));
  if (atRepoSeq < 2) return undefined;
  return revisions > 0 && revisions % 7 === 0 ? revisions + 0.5 : revisions;
}

describe.each(ENGINES)('the version at a sequence on %s', (engine) => {
  it('is the last that had begun, in a long history and in a short one', async () => {
    const repository = await createTestRepository(engine);
    const { commit, store } = repository;
    await commit([{ kind: 'shape', name: 'Count', data: { fields: { n: 'number' } } }]);
    await commit([{ name: 'Count/long', data: { n: 0 } }]);
    await commit([{ name: 'Count/short', data: { n: 0 } }]);
    for (let n = 1; n <= 40; n++) {
      const operations = [{ operation: 'revise', name: 'Count/long', data: { n } }];
      const twice = { operation: 'revise', name: 'Count/long', data: { n: n + 0.5 } };
      await commit(n % 7 === 0 ? [...operations, twice] : operations);
    }
    await commit([{ operation: 'revise', name: 'Count/short', data: { n: 1 } }]);
    const { grant } = await refreshed(repository);
    for (let atRepoSeq = 0; atRepoSeq <= grant.repository.repoSeq; atRepoSeq++) {
      const wrefs = ['long', 'short'].map((local) => ({ name: { shapeName: 'Count', local }, version: undefined }));
      const [long, short] = await findRecords(store.database, grant, { wrefs, atRepoSeq });
      expect([atRepoSeq, (long?.data as { n: number } | undefined)?.n]).toEqual([atRepoSeq, expectedAt(atRepoSeq)]);
      expect(short?.version).toBe([3, 44].filter((seq) => seq <= atRepoSeq).length || undefined);
    }
  });

  it('is the last that had begun, in a copy that does not hold those before', async () => {
    const repository = await createTestRepository(engine);
    const { commit, store, grant } = repository;
    const importing = { grant, header: headerOf(5), createdBy: 'user:ada' };
    const { importId } = await store.write.beginImport(importing);
    const far = thingLine({ recordId: 2, version: 100, repoSeq: 3, recordRepoSeq: 1 });
    const near = thingLine({ recordId: 3, version: 7, repoSeq: 4, recordRepoSeq: 1 });
    const lines = [lineOf({ recordId: 1 }), far, near].join('\n');
    const limits = { dataBytes: 1_000, dataDepth: 10, importIncrementRows: 100 };
    await store.write.appendImport({ grant, importId, offset: 0, lines, readable: [], limits });
    while ((await store.write.finishImport({ grant, importId, recordCount: 3 })).state !== 'complete');
    for (let n = 6; n < 46; n++) {
      const names = n % 2 === 0 ? ['Shape1/n2'] : ['Shape1/n2', 'Shape1/n3'];
      await commit(names.map((name) => ({ operation: 'revise', name, data: { n } })));
    }
    const { grant: now } = await refreshed(repository);
    for (let atRepoSeq = 5; atRepoSeq <= 45; atRepoSeq++) {
      const wrefs = [2, 3].map((recordId) => ({ recordId, version: undefined }));
      const found = await findRecords(store.database, now, { wrefs, atRepoSeq });
      const versions = [100 + atRepoSeq - 5, 7 + Math.floor((atRepoSeq - 5) / 2)];
      expect([atRepoSeq, ...found.map((record) => record?.version)]).toEqual([atRepoSeq, ...versions]);
    }
  });
});

it('goes to the one version in SQLite, and through none of those after it', async () => {
  const { store } = await createTestRepository('sqlite');
  const sql = `explain query plan select ${versionAt('r', '$2')} from record r where r.repo_id = $1`;
  const plan = await store.database.query<{ detail: string }>(sql, [1, 1]);
  const last = plan.filter(({ detail }) => detail.startsWith('SEARCH y '));
  expect(last).toEqual([expect.objectContaining({ detail: expect.stringContaining('version<?') })]);
});
