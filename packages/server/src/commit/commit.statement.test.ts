// On PostgreSQL the number of statements of a commit does not depend on how many operations it has.

import { expect, it } from 'vitest';
import { commitInput, readableOf, recordWref } from '../../../../test/support/repository.ts';
import { openCountedStore } from '../../../../test/support/statement-count.ts';
import { SUBSCRIPTION_FORM } from '../../../../test/support/subscription.ts';
import { verifyRepository } from '../../../../test/support/verify.ts';
import { findRecords } from '../read/record.sql.ts';
import { commit } from './commit.write.ts';

async function counted() {
  const { near, far, countOf } = await openCountedStore();
  const statementsOf = (operations: unknown[]) =>
    countOf((tx, memory) => commit(tx, commitInput(near.grant, operations, { readable: [readableOf(far)] }), memory));
  return { near, far, statementsOf };
}

it('a commit of any size takes the same number of statements', async () => {
  const { statementsOf } = await counted();
  const fields = { n: { type: 'number', indexed: true } };
  await statementsOf([{ kind: 'shape', name: 'T', data: { fields } }]);
  const adds = (count: number, prefix: string) =>
    Array.from({ length: count }, (_, n) => ({ name: `T/${prefix}${n}`, data: { n } }));
  const mixed = (count: number, prefix: string, n: number) => [
    ...adds(count, `${prefix}new`),
    ...Array.from({ length: count }, (_, at) => ({
      operation: 'revise',
      name: `T/${prefix}${at}`,
      data: { n: at + n },
    })),
  ];
  const small = await statementsOf(adds(10, 'a'));
  const large = await statementsOf(adds(2_000, 'b'));
  expect(large).toBe(small);
  expect(await statementsOf(mixed(1_000, 'b', 0.5))).toBe(await statementsOf(mixed(5, 'a', 0.5)));
});

const SHAPES = [
  { kind: 'shape', name: 'Room', data: { fields: { 'n?': 'number' } } },
  {
    kind: 'shape',
    name: 'Sensor',
    data: {
      fields: {
        'room?': { type: 'wref', indexed: true },
        'home?': { type: 'wref', shape: 'Room' },
        'links?': ['wref'],
      },
    },
  },
];

const rooms = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, n) => ({ name: `Room/${prefix}${n}`, data: {} }));

function related(room: string, { n, far }: { n: number; far: { name: string; durableId: string } }): object[] {
  const sensor = `Sensor/${room}`;
  return [
    { name: `Room/${room}-$${n}`, data: {} },
    { name: sensor, data: { room: `Room/${room}`, home: `#${n}`, links: [`wh:acme/world/Room/${room}@v1`] } },
    { name: `${sensor}-far`, data: { room: far.name, links: [far.durableId, `#${n}`] } },
    { name: `Room/${room}-said`, about: sensor, data: {} },
    { type: 'arc', name: `${room}-arc`, members: [`Room/${room}`, far.name] },
    { type: 'set', members: [`Room/${room}`, sensor, far.durableId] },
    { operation: 'rename', name: `Room/${room}`, newName: `Room/${room}-renamed` },
    { type: 'list', members: [`Room/${room}-renamed`, 'Room'] },
    { operation: 'revise', name: sensor, data: { room: `Room/${room}-renamed`, links: [far.name] } },
    { operation: 'retract', name: `Room/${room}-said` },
  ];
}

it('a commit with relations of every kind does too, into another repository as well', async () => {
  const { near, far, statementsOf } = await counted();
  await far.commit([SHAPES[0], ...rooms(100, 'star')]);
  await near.commit([...SHAPES, ...rooms(1, 'a'), ...rooms(100, 'b')]);
  const [star] = await findRecords(far.store.database, far.grant, { wrefs: [recordWref('Room/star7')], atRepoSeq: 1 });
  const durableId = star?.durableId ?? '';
  const graph = (count: number, prefix: string) =>
    Array.from({ length: count }, (_, n) =>
      related(`${prefix}${n}`, { n, far: { name: `wh:far/world/Room/star${n}`, durableId } }),
    ).flat();
  await near.commit(['arc', 'set', 'list'].map((type) => ({ type, name: 'first', members: ['Room', 'Sensor'] })));
  const small = await statementsOf(graph(1, 'a'));
  const large = await statementsOf(graph(100, 'b'));
  expect(large).toBe(small);
  const renaming = (from: string, to: string, prefix: string, count: number) => [
    { operation: 'rename', name: from, newName: to },
    ...Array.from({ length: count }, (_, n) => [
      { operation: 'revise', name: `${to}/${prefix}${n}-renamed`, data: { n } },
      { name: `Sensor/of-${from}-${prefix}${n}`, data: { links: [`${to}/${prefix}${n}-renamed`, to] } },
    ]).flat(),
  ];
  const few = await statementsOf(renaming('Room', 'Hall', 'a', 1));
  expect(await statementsOf(renaming('Hall', 'Room', 'b', 100))).toBe(few);
  expect(await verifyRepository(near.store, near.grant.repoId)).toEqual([]);
});

it('a commit that nobody watches takes no statement more, and one that is watched a constant number', async () => {
  const { near, far, statementsOf } = await counted();
  const { store, grant } = near;
  await near.commit([{ kind: 'shape', name: 'T', data: { fields: {} } }]);
  const adds = (count: number, prefix: string) =>
    Array.from({ length: count }, (_, n) => ({ name: `T/${prefix}${n}`, data: {} }));
  const own = { homeId: grant.repoId, grant };
  const subscribe = async (name: string) =>
    await store.write.createSubscription({ ...SUBSCRIPTION_FORM, home: own, name });
  const unwatched = await statementsOf(adds(10, 'a'));
  await subscribe('first');
  // Four more statements: read the subscriptions, reserve positions, insert the runs, and signal the delivery.
  expect(await statementsOf(adds(10, 'b'))).toBe(unwatched + 4);
  for (const name of ['second', 'third', 'fourth']) await subscribe(name);
  expect(await statementsOf(adds(2_000, 'c'))).toBe(unwatched + 4);
  const elsewhere = { homeId: far.grant.repoId, grant: far.grant };
  const source = { repoId: grant.repoId, giver: { accountId: 1 } };
  for (const name of ['one', 'two'])
    await store.write.createSubscription({ ...SUBSCRIPTION_FORM, home: elsewhere, name, source });
  expect(await statementsOf(adds(10, 'd'))).toBe(unwatched + 6);
  for (const name of ['first', 'second', 'third', 'fourth']) {
    await store.write.pauseSubscription({ home: own, name, now: 1 });
  }
  for (const name of ['one', 'two']) await store.write.pauseSubscription({ home: elsewhere, name, now: 1 });
  expect(await statementsOf(adds(10, 'e'))).toBe(unwatched);
});

it('to change shapes takes the same number too, however many belong to nobody', async () => {
  const { statementsOf } = await counted();
  const names = Array.from({ length: 20 }, (_, n) => `S${n}`);
  const revised = (count: number, field: string) =>
    names.slice(0, count).map((name) => ({ operation: 'revise', name, data: { fields: { [field]: 'number' } } }));
  await statementsOf(names.map((name) => ({ kind: 'shape', name, data: { fields: {} } })));
  expect(await statementsOf(revised(20, 'a?'))).toBe(await statementsOf(revised(1, 'b?')));
});
