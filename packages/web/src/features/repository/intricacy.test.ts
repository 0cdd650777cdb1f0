import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isIntricate } from './readme-tree.ts';

const ROOT = join(import.meta.dirname, '../../../../..');

it.each(['README.md', 'CHANGELOG.md', 'docs/reading.md', 'docs/cli.md', 'docs/reference/settings.md'])(
  '%s is not intricate',
  (file) => {
    expect(isIntricate(readFileSync(join(ROOT, file), 'utf8').slice(0, 65_536))).toBe(false);
  },
);

it.each([
  ['a long list of links', '- [name](https://example.com) *what* it is\n'.repeat(1_500)],
  [
    'a table of names with underscores',
    `| name | what |\n| --- | --- |\n${'| A_NAME_OF_MANY_WORDS | x |\n'.repeat(900)}`,
  ],
  ['many short parts', '*a* _b_ [c] <d>\n\n'.repeat(1_500)],
])('%s is not intricate', (_, text) => {
  expect(isIntricate(text)).toBe(false);
});

it.each([
  ['emphasis', '*a_'.repeat(20_000)],
  ['emphasis by lines', '*a_\n'.repeat(16_000)],
  ['emphasis in a quote', '> *a_\n'.repeat(10_000)],
  ['strikes', '~a'.repeat(30_000)],
  ['brackets', '['.repeat(60_000)],
  ['comments that do not end', `x ${'<!--'.repeat(15_000)}`],
  ['emphasis in many parts', `${'*a_'.repeat(200)}\n\n`.repeat(100)],
  ['lines', '- a\n'.repeat(16_000)],
  ['quotes', '>'.repeat(60_000)],
  ['lists', '- '.repeat(30_000)],
  ['ordered lists', '1. '.repeat(20_000)],
  ['items within items', '- - - a\n'.repeat(4_000)],
  ['lists that go deeper', Array.from({ length: 200 }, (_, depth) => `${'  '.repeat(depth)}- a\n`).join('')],
  ['deep lines', `${'- '.repeat(31)}a\n`.repeat(1_000)],
  ['a wide and long table', `${'|a'.repeat(100)}\n${'|-'.repeat(100)}\n${'|\n'.repeat(15_000)}`],
])('nothing but %s is intricate', (_, text) => {
  expect(isIntricate(text)).toBe(true);
});
