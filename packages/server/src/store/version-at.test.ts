import { describe, expect, it } from 'vitest';
import { createTestRepository, refreshed } from '../../../../test/support/repository.ts';
import { ENGINES } from '../../../../test/support/store.ts';
import { findRecords } from './record.ts';

/** It was made by the second commit, and revised by each from the fourth to the 43rd. */
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
      // Several times in one commit now and then: only the last is ever seen.
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
});
