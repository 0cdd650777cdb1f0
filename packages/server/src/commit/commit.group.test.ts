// Grouped commits: whatever happens to one of them, exactly the acknowledged ones exist.

import type { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';

import { addTestRepository, commitInput, type TestRepository } from '../../../../test/support/repository.ts';
import { ENGINES, inTransaction, openStoreAt, testLocation } from '../../../../test/support/store.ts';
import { verifyRepository } from '../../../../test/support/verify.ts';
import type { Store } from '../store.ts';
import { commitTogether } from './commit.write.ts';
import { WriterMemory } from './record-set.sql.ts';

const SHAPE = { kind: 'shape', name: 'N', data: { fields: { n: { type: 'number', indexed: true } } } };
const names = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => `N/n${from + at}`);

interface Opened {
  readonly store: Store;
  readonly repository: TestRepository;
  readonly commitAll: (operations: readonly object[]) => Promise<PromiseSettledResult<{ repoSeq: number }>[]>;
  readonly stored: () => Promise<Map<string, number>>;
}

async function opened(engine: (typeof ENGINES)[number], location = testLocation(engine)): Promise<Opened> {
  const store = await openStoreAt(await location);
  const repository = await addTestRepository(store, 'acme');
  await repository.commit([SHAPE]);
  const { grant } = repository;
  return {
    store,
    repository,
    commitAll: (operations) =>
      Promise.allSettled(operations.map((operation) => store.write.commit(commitInput(grant, [operation])))),
    stored: async () => {
      const rows = await store.database.query<{ name: string; created_seq: number }>(
        `select name, created_seq from record where repo_id = $1 and shape_id > 0 order by created_seq`,
        [grant.repoId],
      );
      return new Map(rows.map(({ name, created_seq }) => [`N/${name}`, created_seq]));
    },
  };
}

/** A row that the third commit writes itself. No earlier check finds it, because the name was given up. */
function blockThird(repoId: number, repoSeq: number) {
  const insert = `insert into name (repo_id, shape_id, name, from_seq, to_seq, record_id)
    select repo_id, record_id, 'n3', $2, $2, record_id from record where repo_id = $1 and name = 'N'`;
  return (tx: Parameters<Parameters<typeof inTransaction>[1]>[0]) => tx.query(insert, [repoId, repoSeq]);
}

describe.each(ENGINES)('commits that are made together on %s', (engine) => {
  const add = (name: string, n = 1) => ({ name, data: { n } });

  it('are one transaction, though one of them is refused', async () => {
    const { store, commitAll, stored } = await opened(engine);
    const before = await store.counts();
    const operations = names(1, 10).map((name) => add(name));
    operations[2] = { operation: 'revise', name: 'N/missing', data: { n: 1 } } as never;
    const results = await commitAll(operations);
    expect(results.map(({ status }) => status)).toEqual(
      operations.map((_, at) => (at === 2 ? 'rejected' : 'fulfilled')),
    );
    expect(results[2]).toMatchObject({ reason: { code: 'NOT_FOUND' } });
    expect([...(await stored()).keys()]).toEqual(names(1, 10).filter((name) => name !== 'N/n3'));
    expect((await store.counts()).transactions - before.transactions).toBe(1);
  });

  it('run again, each by itself, after a constraint stopped the third of ten', async () => {
    const location = testLocation(engine);
    const { repository, commitAll, stored } = await opened(engine, location);
    await inTransaction(await location, blockThird(repository.grant.repoId, 4));
    const results = await commitAll(names(1, 10).map((name) => add(name)));
    expect(results.map(({ status }) => status)).toEqual(results.map((_, at) => (at === 2 ? 'rejected' : 'fulfilled')));
    const acknowledged = results.flatMap((result, at) =>
      result.status === 'fulfilled' ? [[`N/n${at + 1}`, result.value.repoSeq] as const] : [],
    );
    expect(await stored()).toEqual(new Map(acknowledged));
    expect(acknowledged.map(([, repoSeq]) => repoSeq)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10]);
    await repository.commit([{ ...SHAPE, operation: 'revise', data: { fields: { n: 'string' } } }]);
    expect(await commitAll([add('N/number')])).toMatchObject([{ reason: { code: 'SHAPE_MISMATCH' } }]);
  });

  it('see what an earlier one has made, and not what a refused one would have', async () => {
    const { commitAll, stored } = await opened(engine);
    const results = await commitAll([
      add('N/a'),
      { operation: 'revise', name: 'N/a', data: { n: 2 } },
      { operation: 'revise', name: 'N/a', expectedVersion: 1, data: { n: 3 } },
      add('N/a'),
      { operation: 'revise', name: 'N', kind: 'shape', data: { fields: { n: 'string' } } },
      add('N/b'),
      { name: 'N/b', data: { n: 'text' } },
    ]);
    expect(results.map((result) => (result.status === 'rejected' ? result.reason.code : result.value.repoSeq))).toEqual(
      [2, 3, 'CONFLICT', 'ALREADY_EXISTS', 4, 'SHAPE_MISMATCH', 5],
    );
    expect(await stored()).toEqual(
      new Map([
        ['N/a', 2],
        ['N/b', 5],
      ]),
    );
  });

  it('read a few rows for each of them, though all change the same record', async () => {
    const location = testLocation(engine);
    const { repository, stored } = await opened(engine, location);
    await repository.commit([add('N/hot')]);
    const inputs = Array.from({ length: 100 }, (_, n) =>
      commitInput(repository.grant, [{ operation: 'revise', name: 'N/hot', data: { n: n + 2 } }]),
    );
    let rowsAsked = 0;
    await inTransaction(await location, async (tx) => {
      const counting = {
        ...tx,
        forUpdate: tx.forUpdate,
        now: () => tx.now(),
        query: tx.query.bind(tx),
        bulk: ((statement, given) => {
          if (statement.each.startsWith('select')) rowsAsked += given.rows.length;
          return tx.bulk(statement, given);
        }) as typeof tx.bulk,
      };
      const outcomes = await commitTogether(counting, inputs, new WriterMemory());
      expect(outcomes.map((outcome) => ('repoSeq' in outcome ? outcome.repoSeq : outcome))).toEqual(
        inputs.map((_, n) => n + 3),
      );
    });
    expect(rowsAsked).toBeGreaterThanOrEqual(inputs.length);
    expect(rowsAsked).toBeLessThan(10 * inputs.length);
    expect([...(await stored()).keys()]).toEqual(['N/hot']);
  });

  it('are one commit with one answer, if the same submission is sent twice at once', async () => {
    const { store, repository, stored } = await opened(engine);
    const { grant } = repository;
    const submission = { id: '5f0c2d5e-3b1a-4a57-9d49-0d8f2f6f4c11', owner: 'ada', contentHash: new Uint8Array(32) };
    const other = { ...submission, contentHash: new Uint8Array(32).fill(1) };
    const [first, second, third] = await Promise.allSettled(
      [submission, submission, other].map((sent) =>
        store.write.commit({ ...commitInput(grant, [add('N/once')]), submission: sent }),
      ),
    );
    expect(first).toMatchObject({ status: 'fulfilled', value: { repoSeq: 2 } });
    expect(second).toEqual(first);
    expect(third).toMatchObject({ reason: { code: 'CONFLICT' } });
    expect([...(await stored())]).toEqual([['N/once', 2]]);
  });

  it('exist if they were acknowledged, after the thread that writes them was killed', async () => {
    const workers: Worker[] = [];
    const note = (worker: Worker) => workers.push(worker);
    process.on('worker', note);
    const { store, repository, commitAll, stored } = await opened(engine);
    process.off('worker', note);
    const [writer] = workers;
    const acknowledged: string[] = [];
    for (let round = 0; round < 10; round++) {
      const wanted = names(round * 30 + 1, round * 30 + 30);
      const results = commitAll(wanted.map((name) => add(name)));
      await new Promise((turn) => setTimeout(turn, round));
      if (round === 5) await writer?.terminate();
      for (const [at, result] of (await results).entries()) {
        if (result.status === 'fulfilled') acknowledged.push(wanted[at] ?? '');
        else expect(result.reason).toMatchObject({ code: 'UNAVAILABLE', details: { outcome: 'unknown' } });
      }
    }
    const found = await stored();
    expect(acknowledged.filter((name) => !found.has(name))).toEqual([]);
    expect([...found.values()]).toEqual([...found].map((_, at) => at + 2));
    expect(await verifyRepository(store, repository.grant.repoId)).toEqual([]);
  });
});
