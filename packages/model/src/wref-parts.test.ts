import { expect, it } from 'vitest';
import { pinWref, splitWref } from './wref.ts';

it.each([
  ['Location/cave', { name: 'Location/cave' }],
  ['Location/cave@v3', { name: 'Location/cave', version: 3 }],
  ['Location/cave@HEAD', { name: 'Location/cave' }],
  ['Location', { name: 'Location' }],
  ['wh:acme/world/Location/cave@v12', { orgName: 'acme', repoName: 'world', name: 'Location/cave', version: 12 }],
  ['Location/a/b/c', { name: 'Location/a/b/c' }],
])('%s is read', (wref, place) => {
  expect(splitWref(wref)).toEqual(place);
});

it('a version is written behind a name', () => {
  expect([pinWref('Location/cave', 3), pinWref('Location/cave', undefined)]).toEqual([
    'Location/cave@v3',
    'Location/cave',
  ]);
});
