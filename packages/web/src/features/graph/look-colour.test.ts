import { describe, expect, it } from 'vitest';
import { COLOURS, countShapes } from './look.ts';
import type { WalkNode } from './walk-state.ts';

const held = (...shapes: readonly string[]) => ({
  nodes: new Map(
    shapes.map((shape, index): [string, WalkNode] => [
      `${index}`,
      { id: `${index}`, name: '', kind: 'thing', shape, isRetracted: false },
    ]),
  ),
});

describe('order and colours of shapes', () => {
  it('are by the place of a shape among all, whichever come first', () => {
    expect(countShapes(held('B', 'A', 'B', 'Elsewhere'), ['A', 'B', 'C'])).toEqual([
      { shape: 'A', count: 1, colour: 1 },
      { shape: 'B', count: 2, colour: 2 },
      { shape: 'Elsewhere', count: 1, colour: 4 },
    ]);
  });

  it('are shared where there are more shapes than colours', () => {
    const shapes = Array.from({ length: COLOURS + 3 }, (_, index) => `S${index}`);
    expect(
      countShapes(held(...shapes), [])
        .slice(-4)
        .map(({ colour }) => colour),
    ).toEqual([COLOURS, COLOURS, COLOURS, COLOURS]);
  });
});
