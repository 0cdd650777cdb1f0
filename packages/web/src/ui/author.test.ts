import { expect, it } from 'vitest';
import { authorOf } from './amount.ts';

it.each([
  ['user:ada', { name: 'ada' }],
  ['token:ada/laptop', { name: 'ada', by: 'token laptop' }],
  ['token:ada', { name: 'ada', by: 'a token' }],
  ['component:acme/word-count', { name: 'acme/word-count', by: 'a component' }],
  ['component:acme', { name: 'acme', by: 'a component' }],
  ['subscription:signals', { name: 'signals', by: 'a subscription' }],
  ['anonymous', { name: 'anonymous' }],
])('%s is read', (createdBy, author) => {
  expect(authorOf(createdBy)).toEqual(author);
});
