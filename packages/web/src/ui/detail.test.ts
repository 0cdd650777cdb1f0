import { expect, it } from 'vitest';
import { detailsOf } from './amount.ts';

it.each([
  [{ visibility: 'public' }, ['visibility: public']],
  [
    { granted: { shapes: 1, tokens: ['repo:read', 'repo:write'] } },
    ['granted: shapes 1, tokens repo:read, repo:write'],
  ],
  [
    { atRepoSeq: 12_000, features: { streamSubmissions: true } },
    ['at repo seq: 12,000', 'features: stream submissions yes'],
  ],
  [{ expiresAt: new Date(2026, 0, 31, 12).getTime() }, ['expires at: 31 Jan 2026, 12:00']],
  [{ role: null, keys: [], WEBHOOK_API_KEY: 'set' }, ['role: none', 'keys: none', 'WEBHOOK_API_KEY: set']],
  [{}, []],
])('%j is said in words', (details, words) => {
  expect(detailsOf(details).map(({ label, text }) => `${label}: ${text}`)).toEqual(words);
});
