import { expect, it } from 'vitest';
import { edgeLook, type Look, type NodeAttributes, nodeLook, type Scene, UNMARKED } from './look.ts';

const LOOK: Look = {
  ink: 'ink',
  quiet: 'quiet',
  paper: 'paper',
  line: 'line',
  faint: 'faint',
  accent: 'accent',
  font: 'sans-serif',
  shapes: ['red', 'green', 'blue'],
};
const NODE: NodeAttributes = {
  x: 1,
  y: 2,
  size: 8,
  label: 'Room/a',
  name: 'Room/a',
  shape: 'Room',
  isRetracted: false,
};

const scene = (marks: Partial<Scene['marks']>, rest: Partial<Scene> = {}): Scene => ({
  look: LOOK,
  near: new Set(),
  count: 10,
  ...rest,
  marks: { ...UNMARKED, shapes: [{ shape: 'Room', count: 10, colour: 2 }], ...marks },
});

it('a node has the colour of its shape, and is hidden with it', () => {
  expect(nodeLook('a', NODE, scene({}))).toMatchObject({ color: 'green', label: 'Room/a', hidden: false });
  expect(nodeLook('a', NODE, scene({ shapes: [] })).color).toBe('blue');
  expect(nodeLook('a', NODE, scene({ without: new Set(['Room']) })).hidden).toBe(true);
});

it('while one is chosen, it and what is tied to it stand out, and nothing else is named', () => {
  const marks = scene({ selected: 'a' }, { near: new Set(['b']) });
  expect(nodeLook('a', NODE, marks)).toMatchObject({ highlighted: true, size: 11 });
  expect(nodeLook('b', NODE, marks)).toMatchObject({ color: 'green', forceLabel: true });
  expect(nodeLook('c', NODE, marks)).toMatchObject({ color: 'line', label: null });
  expect(edgeLook({ label: 'room' }, true, marks)).toMatchObject({ color: 'accent', label: 'room' });
  expect(edgeLook({ label: 'room' }, false, marks)).toMatchObject({ color: 'faint', label: null });
  expect(edgeLook({ label: 'room' }, false, scene({}))).toMatchObject({ color: 'line', label: null });
});

it('of very many that are tied to it the names are drawn only where there is room', () => {
  const marks = scene({ selected: 'a' }, { near: new Set(Array.from({ length: 31 }, (_, n) => `n${n}`)) });
  expect(nodeLook('n1', NODE, marks).forceLabel).toBe(false);
  expect(edgeLook({ label: 'room' }, true, marks).forceLabel).toBe(false);
});

it('the start has a ring and its name, whatever is chosen; what is retracted is hollow; what changed is marked', () => {
  expect(nodeLook('s', NODE, scene({ start: 's', selected: 'a' }))).toMatchObject({ ring: 'start', label: 'Room/a' });
  const retracted = { ...NODE, isRetracted: true };
  expect(nodeLook('r', retracted, scene({}, { count: 900 }))).toMatchObject({ ring: 'retracted', color: 'paper' });
  expect(nodeLook('c', NODE, scene({ changed: new Set(['Room/a']) }))).toMatchObject({ highlighted: true });
});
