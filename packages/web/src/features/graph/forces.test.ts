import { describe, expect, it } from 'vitest';
import { Forces, movement } from './layout-service.ts';

const matrix = (...places: readonly (readonly [number, number])[]) =>
  Float32Array.from(places.flatMap(([x, y]) => [x, y, ...Array.from({ length: 8 }, () => 7)]));

describe('how far nodes move', () => {
  it('is a part of how far they are spread', () => {
    expect(movement(matrix([0, 0], [10, 0]), matrix([0, 0], [10, 0]))).toBe(0);
    expect(movement(matrix([0, 0], [9, 0]), matrix([0, 0], [10, 0]))).toBeCloseTo(0.05);
    expect(movement(matrix([0, 0], [90, 0]), matrix([0, 0], [100, 0]))).toBeCloseTo(0.05);
  });

  it('is nothing where they are all at one place', () => {
    expect(movement(matrix([1, 1]), matrix([1, 1]))).toBe(0);
  });
});

function ringAndOne(count: number): Forces {
  const at = (index: number) => [10 * Math.cos(index), 10 * Math.sin(index)] as const;
  const places = [...Array.from({ length: count }, (_, index) => at(index)), [20, 0] as const];
  const ties = Array.from({ length: count }, (_, index) =>
    [1, 2].map((far) => [index, (index + far) % count] as const),
  );
  return new Forces({
    nodes: Float32Array.from(places.flatMap(([x, y]) => [x, y, 0, 0, 0, 0, 5, 1, 1, 0])),
    edges: Float32Array.from(ties.flat().flatMap(([from, to]) => [from * 10, to * 10, 1])),
  });
}

it('among few, what is tied to nothing stays near', () => {
  const forces = ringAndOne(26);
  while (!forces.isSettled) forces.move();
  const distances = Array.from({ length: 27 }, (_, index) =>
    Math.hypot(forces.nodes[index * 10] ?? 0, forces.nodes[index * 10 + 1] ?? 0),
  );
  const alone = distances.pop() ?? 0;
  expect(alone).toBeGreaterThan(Math.max(...distances));
  expect(alone).toBeLessThan(1.5 * Math.max(...distances));
});
