import { expect, it } from 'vitest';
import { fateOf } from './repository-text.ts';

const other = { orgName: 'ada', name: 'town', createdAt: 5 };

it.each([
  ['is found under its present name', { orgName: 'acme', name: 'city', createdAt: 7 }, 'renamed'],
  ['is told to be deleted', { orgName: 'ada', name: 'town', createdAt: 7, deletedAt: 9 }, 'deleted'],
  ['is not known where none was made then', { orgName: 'ada', name: 'world', createdAt: 8 }, 'unknown'],
])('a repository that lost its name %s', (_what, seen, kind) => {
  expect(fateOf(7, [other, seen]).kind).toBe(kind);
});

it('a repository is not taken for another that was made at the same moment', () => {
  expect(fateOf(5, [other, { ...other, name: 'city' }])).toEqual({ kind: 'unknown' });
});
