import { expect, it } from 'vitest';
import { shortName } from './label-place.ts';

it('a long name is told by its beginning and its end', () => {
  expect(shortName('Component/a-rather-long-name-54')).toBe('Compon…name-54');
  expect(shortName('Location/fallen-wood')).toBeUndefined();
  expect(shortName(`Room/${'🏠'.repeat(20)}`)).toBe(`Room/🏠…${'🏠'.repeat(7)}`);
});
