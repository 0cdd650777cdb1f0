import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { recorded } from '../../../../../test/support/query-plan.ts';
import { createTestRepository, refreshed, type TestRepository } from '../../../../../test/support/repository.ts';
import { ENGINES } from '../../../../../test/support/store.ts';
import { indexKey } from '../../shape/index-key.rule.ts';
import { type KeyRange, keyRanges } from './field-index-range.sql.ts';
import { listRecords } from './list.sql.ts';
import type { FieldCondition, Position } from './list-request.sql.ts';
import { ValueWalk } from './value-walk.sql.ts';

const SCORE = { pointer: '/score', tokens: ['score'], type: 'number' } as const;
const shape = { kind: 'shape', name: 'T', data: { fields: { score: { type: 'number', indexed: true } } } };

const between = (from: number, to: number): KeyRange => ({
  from: indexKey(from) ?? new Uint8Array(),
  to: indexKey(to) ?? new Uint8Array(),
  single: false,
});

async function allOf(
  { store, grant }: TestRepository,
  walked: { ranges: KeyRange[]; descending: boolean; now: boolean; limit: number; stretchEntries: number },
): Promise<number[]> {
  const { ranges, limit, ...options } = walked;
  const { engine } = store.database;
  const walk = new ValueWalk({ grant, engine, condition: { shapeId: 1, fieldId: 1, ranges }, ...options });
  const ids: number[] = [];
  for (let after: Position | undefined; ; ) {
    const { found, done } = await walk.next(store.database, after, limit);
    ids.push(...found.map(({ recordId }) => recordId));
    if (done) return ids;
    after = found.at(-1)?.position;
  }
}

describe.each(ENGINES)('records by value, in the order of their creation, on %s', (engine) => {
  it('are all there once, whatever the stretches and steps', async () => {
    const repository = await createTestRepository(engine);
    const scores = Array.from({ length: 60 }, (_, n) => (n * 37) % 20);
    await repository.commit([shape]);
    await repository.commit(scores.map((score, n) => ({ name: `T/r${n}`, data: { score } })));
    const third = scores.flatMap((score, n) => (n % 3 === 0 ? [{ n, score }] : []));
    const revise = (by: number) =>
      third.map(({ n, score }) => ({ operation: 'revise', name: `T/r${n}`, data: { score: score + by } }));
    await repository.commit(revise(100));
    await repository.commit(revise(0));
    const runs = fc.record({
      from: fc.integer({ min: -1, max: 20 }),
      wide: fc.integer({ min: 0, max: 21 }),
      descending: fc.boolean(),
      now: fc.boolean(),
      limit: fc.integer({ min: 1, max: 70 }),
      stretchEntries: fc.integer({ min: 1, max: 90 }),
    });
    await fc.assert(
      fc.asyncProperty(runs, async ({ from, wide, ...walked }) => {
        const ranges = [between(from, from + wide), between(from + wide + 2, from + wide + 4)];
        const inRange = (score: number) =>
          (score >= from && score < from + wide) || (score >= from + wide + 2 && score < from + wide + 4);
        const expected = scores.flatMap((score, n) => (inRange(score) ? [n + 2] : []));
        expect(await allOf(repository, { ranges, ...walked })).toEqual(
          walked.descending ? expected.toReversed() : expected,
        );
      }),
      { numRuns: 60 },
    );
  });

  it('are found where they are many and lie at the end, after one look at the first', async () => {
    const repository = await createTestRepository(engine);
    await repository.commit([shape]);
    const total = 7_000;
    await repository.commit(Array.from({ length: total }, (_, n) => ({ name: `T/r${n}`, data: { score: n } })));
    const { grant } = await refreshed(repository);
    const { store, take } = recorded(repository.store);
    const condition: FieldCondition = { ...SCORE, op: 'gte', values: [total - 2_500] };
    expect(keyRanges(condition)).toHaveLength(1);
    const filter = {
      atRepoSeq: grant.repository.repoSeq,
      shape: { shapeId: 1, name: 'T' },
      where: [condition],
      includeRetracted: false,
    };
    const page = { after: undefined, limit: 50, maxBytes: 1_000_000 };
    const { rows, more } = await listRecords(store.database, grant, { filter, order: 'created', ...page });
    expect(rows.map(({ recordId }) => recordId)).toEqual(Array.from({ length: 50 }, (_, n) => total - 2_500 + n + 2));
    expect(more).toBe(true);
    const scans = take().filter(({ sql }) => sql.includes('looked') && sql.includes('from record'));
    expect(scans).toHaveLength(1);
  });
});
