import { CairnError } from '@cairn/sdk';
import { expect, it } from 'vitest';
import { isWorthRetrying, problemOf } from './problem.ts';

it('where the server does not answer, a page does not ask for its address', () => {
  const error = new CairnError('NETWORK_ERROR', { message: 'No usable answer from http://localhost. Is it running?' });
  expect(problemOf(error).advice).toBe('The server did not respond. Check your connection, and try again.');
  expect(isWorthRetrying(error)).toBe(true);
});

it('what goes wrong on the page itself is told by its own words', () => {
  expect(problemOf(new Error('The filter is no JSON object.')).advice).toBe('The filter is no JSON object.');
});
