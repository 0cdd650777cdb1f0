import { expect, it } from 'vitest';
import { placeBeside, roundOf } from './label-place.ts';

it('what nothing ties to the others is set outside of them', () => {
  const places = [
    { x: 10, y: 0 },
    { x: 30, y: 0 },
    { x: 20, y: 40 },
  ];
  const { middle, radius } = roundOf(places);
  expect(middle.x).toBeCloseTo(20);
  for (let index = 0; index < 50; index++) {
    const { x, y } = placeBeside(middle, index, radius);
    expect(Math.hypot(x - middle.x, y - middle.y)).toBeGreaterThan(radius);
  }
  expect(roundOf([])).toEqual({ middle: { x: 0, y: 0 }, radius: 0 });
});
