import { CairnError } from '@cairn/sdk';
import { expect, it } from 'vitest';
import { placeOfProblem, wordsText } from './where.ts';

const invalid = (path: string) =>
  new CairnError('VALIDATION_ERROR', { message: 'No.', details: [{ path, message: 'No.' }] });
const slow = new CairnError('UNAVAILABLE', { message: 'The read took too long.' });

it.each([
  [null, {}, undefined],
  [invalid('where'), {}, 'filters'],
  [invalid('where[0].op'), {}, 'filters'],
  [invalid('/where/0'), {}, 'filters'],
  [invalid('shape'), {}, 'filters'],
  [invalid('q'), {}, 'words'],
  [invalid('atRepoSeq'), {}, 'list'],
  [slow, { where: ['x:eq:1'], q: 'a' }, 'filters'],
  [slow, { q: 'a' }, 'words'],
  [slow, {}, 'list'],
  [new CairnError('NOT_FOUND', { message: 'No.' }), { where: ['x:eq:1'] }, 'list'],
  [new Error('down'), { where: ['x:eq:1'] }, 'list'],
] as const)('a problem is told where it can be mended: %s %j', (error, search, place) => {
  expect(placeOfProblem(error, search)).toBe(place);
});

it('what is said of the words does not name their parameter', () => {
  expect(wordsText('q contains no word.')).toBe('Your search contains no word.');
  expect(wordsText('The server is busy.')).toBe('The server is busy.');
});
