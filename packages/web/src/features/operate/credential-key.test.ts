import { expect, it } from 'vitest';
import { keyWords } from './credential-set.ts';

it.each([
  ['WEBHOOK_BEARER_TOKEN', /Bearer/],
  ['FALLBACK_WEBHOOK_BEARER_TOKEN', /Bearer.*fallback/],
  ['CLI_SIGNING_SECRET', /component/],
  ['OTHER', /not sent/],
])('what %s does is said', (key, words) => {
  expect(keyWords(key)).toMatch(words);
});

it('says nothing of what would be refused', () => {
  expect(keyWords('WEBHOOK_TOKEN')).toBeUndefined();
});
