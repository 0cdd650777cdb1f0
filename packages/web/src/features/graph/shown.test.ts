import { expect, it } from 'vitest';
import { countsOf, shownOf, type WalkEdge, type WalkNode } from './walk-state.ts';

const node = (name: string, isRetracted = false): WalkNode => ({
  id: name,
  name,
  kind: 'thing',
  shape: name.split('/')[0] ?? '',
  isRetracted,
});
const edge = (from: string, to: string): WalkEdge => ({ key: `${from} ${to}`, from, to, role: 'field', path: '/to' });

it('counts the records that are shown, and the references between them', () => {
  const nodes = new Map(
    [node('Room/a'), node('Room/b', true), node('Note/n'), node('Note/m')].map((one) => [one.id, one]),
  );
  const all = [edge('Room/a', 'Room/b'), edge('Note/n', 'Room/a'), edge('Note/n', 'Note/m')];
  const state = { nodes, edges: new Map(all.map((one) => [one.key, one])) };
  const told = (...without: string[]) => countsOf(state, shownOf(state, new Set(without)));
  expect(told()).toBe('4 records (1 retracted), 3 references');
  expect(told('Note')).toBe('2 of 4 records (1 retracted), 1 of 3 references');
  expect(told('Room')).toBe('2 of 4 records, 1 of 3 references');
  expect(told('Room', 'Note')).toBe('0 of 4 records, 0 of 3 references');
  const one = { nodes: new Map([['Room/a', node('Room/a')]]), edges: new Map() };
  expect(countsOf(one, shownOf(one, new Set()))).toBe('1 record, 0 references');
});
