import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTestRepository, type TestRepository } from '../../../../test/support/repository.ts';
import { ENGINES } from '../../../../test/support/store.ts';
import { systemGrant } from '../access/grant.rule.ts';
import { listIndexes } from './field-index.sql.ts';
import { buildIndexes } from './index-build.job.ts';
import { indexKey } from './index-key.rule.ts';

const fields = (indexed: boolean) => ({
  fields: { n: { type: 'number', indexed }, 'tag?': { type: 'string', indexed } },
});
const shape = (indexed: boolean) => ({ kind: 'shape', name: 'T', data: fields(indexed) });

async function lookUp(
  { store, grant }: TestRepository,
  { path, value, at }: { path: string; value: unknown; at: number },
) {
  const rows = await store.database.query<{ name: string }>(
    `select r.name from shape_field f
     join field_index i on i.repo_id = f.repo_id and i.shape_id = f.shape_id and i.field_id = f.field_id
     join record r on r.repo_id = i.repo_id and r.record_id = i.record_id
     where f.repo_id = $1 and f.path = $2 and f.to_seq is null and i.value = $3
       and i.from_seq <= $4 and (i.to_seq is null or i.to_seq > $4) order by r.name`,
    [grant.repoId, path, indexKey(value) ?? null, at],
  );
  return rows.map(({ name }) => name);
}

const revise = (name: string, data: object) => ({ operation: 'revise', name, data });

describe.each(ENGINES)('indexed fields on %s', (engine) => {
  it('are kept by commits, at every sequence', async () => {
    const repository = await createTestRepository(engine);
    const { commit } = repository;
    await commit([shape(true)]);
    await commit([
      { name: 'T/a', data: { n: 1, tag: 'x' } },
      { name: 'T/b', data: { n: 1 } },
    ]);
    await commit([revise('T/a', { n: 2, tag: 'x' })]);
    await commit([revise('T/a', { n: 1, tag: 'y' }), { operation: 'retract', name: 'T/b' }]);
    const found = (value: number, at: number) => lookUp(repository, { path: '/n', value, at });
    expect([await found(1, 1), await found(1, 2), await found(1, 3), await found(1, 4)]).toEqual([
      [],
      ['a', 'b'],
      ['b'],
      ['a', 'b'],
    ]);
    expect([await found(2, 2), await found(2, 3), await found(2, 4)]).toEqual([[], ['a'], []]);
    expect(await lookUp(repository, { path: '/tag', value: 'x', at: 3 })).toEqual(['a']);
  });

  it('are built in the background for records from before, in bounded steps', async () => {
    const repository = await createTestRepository(engine);
    const { commit, store, grant } = repository;
    await commit([shape(false)]);
    await commit(Array.from({ length: 1_200 }, (_, n) => ({ name: `T/r${n}`, data: { n: n % 3 } })));
    await commit([revise('T/r0', { n: 7 })]);
    await commit([{ operation: 'revise', name: 'T', data: fields(true) }]);
    const state = async () =>
      (await listIndexes(store.database, grant, { shapeId: 1, repoSeq: 100 })).map(({ state }) => state);
    expect(await state()).toEqual(['building', 'building']);
    const address = { grant: systemGrant(grant.repoId, 'index build'), shapeId: 1, fieldId: 1 };
    expect(await store.write.buildFieldIndex(address)).toBe(false);
    await commit([revise('T/r1', { n: 8 }), revise('T/r1199', { n: 8 }), { name: 'T/new', data: { n: 8 } }]);
    await buildIndexes(store);
    expect(await state()).toEqual(['ready', 'ready']);
    expect(await lookUp(repository, { path: '/n', value: 8, at: 5 })).toEqual(['new', 'r1', 'r1199']);
    expect(await lookUp(repository, { path: '/n', value: 7, at: 5 })).toEqual(['r0']);
    expect(await lookUp(repository, { path: '/n', value: 0, at: 2 })).toHaveLength(400);
    expect(await lookUp(repository, { path: '/n', value: 0, at: 5 })).toHaveLength(399);
    const [open] = await store.database.query('select count(*) as n from field_index where to_seq is null');
    expect(open).toEqual({ n: 1_201 });
  });

  it('stop and begin again with the shape', async () => {
    const repository = await createTestRepository(engine);
    const { commit, store } = repository;
    await commit([shape(true), { name: 'T/a', data: { n: 1 } }]);
    await commit([{ operation: 'revise', name: 'T', data: fields(false) }]);
    await commit([revise('T/a', { n: 2 })]);
    await commit([{ operation: 'revise', name: 'T', data: fields(true) }]);
    await buildIndexes(store);
    expect(await lookUp(repository, { path: '/n', value: 2, at: 4 })).toEqual(['a']);
    expect(await lookUp(repository, { path: '/n', value: 1, at: 4 })).toEqual([]);
    expect(await lookUp(repository, { path: '/n', value: 1, at: 1 })).toEqual(['a']);
  });
});

it('keys sort as their values do', () => {
  const order = (a: unknown, b: unknown) =>
    Math.sign(Buffer.compare(indexKey(a) ?? new Uint8Array(), indexKey(b) ?? new Uint8Array()));
  fc.assert(
    fc.property(
      fc.double({ noNaN: true }),
      fc.double({ noNaN: true }),
      (a, b) => order(a, b) === Math.sign(a === b ? 0 : a - b || (a < b ? -1 : 1)),
    ),
  );
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 20 }),
      fc.string({ unit: 'grapheme', maxLength: 20 }),
      (a, b) => order(a, b) === Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b))),
    ),
  );
  expect(order(-0, 0)).toBe(0);
});
