import { expect, it } from 'vitest';
import { piecesOf } from './row.ts';

it.each([
  ['the old cave here', [[8, 12]], ['the old ', '*cave', ' here']],
  ['cave', [[0, 4]], ['*cave']],
  [
    'old cave',
    [
      [0, 3],
      [4, 8],
    ],
    ['*old', ' ', '*cave'],
  ],
  ['nothing', [], ['nothing']],
  ['omebody says that they know well the cave', [[37, 41]], ['…', 'that they know well the ', '*cave']],
  [`${'x'.repeat(50)}cave`, [[50, 54]], ['…', 'x'.repeat(24), '*cave']],
] as const)('a snippet is cut where the words stand: %s', (text, matches, pieces) => {
  const found = piecesOf({ text, matches: matches.map(([start, end]) => [start, end]) });
  expect(found.map((piece) => `${piece.isMatch ? '*' : ''}${piece.text}`)).toEqual(pieces);
});
