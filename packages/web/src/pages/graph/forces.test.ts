import { describe, expect, it } from 'vitest';
import { movement } from './forces.ts';

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
