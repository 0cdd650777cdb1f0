// On PostgreSQL the number of statements of a page of references does not depend on how many there are on it.
import { expect, it } from 'vitest';
import { caller } from '../../../../test/support/procedure.ts';
import { recorded } from '../../../../test/support/query-plan.ts';
import { createOwnerToken, createTestAppOn } from '../../../../test/support/server.ts';
import { openTestStore } from '../../../../test/support/store.ts';

const WORLD = { orgName: 'ada', repoName: 'world' };
const MANY = 500;

it('a page of any size takes the same number of statements, whichever way records refer', async () => {
  const { store, take } = recorded(await openTestStore('postgres'));
  const call = caller(createTestAppOn(store).app, await createOwnerToken(store));
  (await call('repo.create', { orgName: 'ada', name: 'world' })).data();
  const write = async (operations: object[]) => (await call('commit.submit', { ...WORLD, operations })).data();
  const some = <Item>(count: number, make: (n: number) => Item) => Array.from({ length: count }, (_, n) => make(n));
  const fields = { 'room?': 'wref', 'links?': ['wref'] };
  await write([
    { kind: 'shape', name: 'Room', data: { fields } },
    ...['a', 'b', 'c', 'd'].map((name) => ({ name: `Room/${name}`, data: {} })),
    ...some(MANY, (n) => ({ name: `Room/about-${n}`, about: 'Room/a', data: {} })),
    ...some(MANY, (n) => ({ name: `Room/field-${n}`, data: { room: 'Room/b' } })),
    ...some(MANY / 2, (n) => ({ name: `Room/both-${n}`, about: 'Room/c', data: { room: 'Room/c' } })),
    { operation: 'revise', name: 'Room/d', data: { links: some(MANY + 1, (n) => `Room/field-${n % MANY}`) } },
  ]);
  const statementsOf = async (wref: string, limit: number) => {
    take();
    const { items } = (await call('thing.refs', { ...WORLD, wref, limit })).data();
    return { items: items.length, statements: take().length };
  };
  for (const wref of ['Room/a', 'Room/b', 'Room/c', 'Room/d']) {
    const few = await statementsOf(wref, 10);
    const many = await statementsOf(wref, MANY);
    expect([wref, few.items, many.items]).toEqual([wref, 10, MANY]);
    expect([wref, many.statements]).toEqual([wref, few.statements]);
  }
});
