// On PostgreSQL the number of statements of a chunk does not depend on how many lines it has.
import { expect, it } from 'vitest';
import { readableOf } from '../../../../test/support/repository.ts';
import { openCountedStore } from '../../../../test/support/statement-count.ts';
import { chunkInput, linesOf } from '../../../../test/support/stream.ts';
import { verifyRepository } from '../../../../test/support/verify.ts';
import { applyChunk, type ChunkInput } from './stream-chunk.write.ts';

const SHAPES = [
  { kind: 'shape', name: 'Room', data: { fields: {} } },
  {
    kind: 'shape',
    name: 'Sensor',
    data: { fields: { 'n?': { type: 'number', indexed: true }, 'room?': { type: 'wref', indexed: true } } },
  },
];

async function counted() {
  const { store, near, far, countOf } = await openCountedStore();
  await near.commit([...SHAPES, { name: 'Room/a', data: {} }]);
  await far.commit([SHAPES[0], { name: 'Room/far', data: {} }]);
  const readable = [readableOf(far)];
  let offset = 0;
  const statementsOf = async (operations: readonly object[], options: Partial<ChunkInput> = {}) => {
    const input = chunkInput(near, linesOf(operations), { offset, readable, ...options });
    offset += operations.length;
    return await countOf((tx, memory) => applyChunk(tx, input, memory));
  };
  return { store, near, statementsOf };
}

const made = (first: number, count: number) =>
  Array.from({ length: count }, (_, n) => [
    { name: `Room/made-$${first + n}`, data: {} },
    { name: `Sensor/${first + n}`, data: { n, room: `#${first + n}` } },
  ]).flat();

const changed = (first: number, count: number) =>
  Array.from({ length: count }, (_, n) => [
    { name: `Sensor/later-${first + n}`, data: { n, room: `#${first + n}` } },
    { operation: 'revise', name: `#${first + n}`, data: { x: n } },
    { operation: 'rename', name: `#${first + n}`, newName: `Room/named-${first + n}` },
    { operation: 'revise', name: `Sensor/${first + n}`, data: { n: n + 0.5, room: 'wh:far/world/Room/far' } },
    { name: `Sensor/said-${first + n}`, about: `#${first + n}`, data: {} },
    { name: `Room/again-$${first + n}`, data: {} },
    { name: `Sensor/lost-${first + n}`, data: { room: `#${900_000 + first + n}` } },
    { operation: 'retract', name: `Sensor/said-${first + n}` },
  ]).flat();

it('a chunk of any size takes the same number of statements, with references, tokens and indexed fields', async () => {
  const { store, near, statementsOf } = await counted();
  const few = [await statementsOf(made(0, 5)), await statementsOf(changed(0, 2))];
  const many = [await statementsOf(made(1_000, 500)), await statementsOf(changed(1_000, 125))];
  expect(many).toEqual(few);
  expect(await verifyRepository(store, near.grant.repoId)).toEqual([]);
});

it('so does one of plain records, which takes few', async () => {
  const { statementsOf } = await counted();
  const plain = (first: number, count: number) =>
    Array.from({ length: count }, (_, n) => ({ name: `Room/${first + n}`, data: { n } }));
  const first = await statementsOf(plain(0, 10));
  expect(await statementsOf(plain(1_000, 1_000))).toBe(first);
  expect(first).toBeLessThan(15);
});
