import { expect, it } from 'vitest';
import { ELSEWHERE, isShapeHere, tallyAbout } from './said-about.ts';

it('counts by the shapes of both sides, and keeps apart what is no record of the repository', () => {
  const pairs = tallyAbout([
    { shapeName: 'Note', aboutWref: 'Person/mara@v2' },
    { shapeName: 'Note', aboutWref: 'Place/old/cave@v1' },
    { shapeName: 'Note', aboutWref: 'Place/lake' },
    { shapeName: 'Doubt', aboutWref: 'Note/one@v1' },
    { shapeName: 'Note', aboutWref: 'wh:acme/world/Place/cave@v1' },
    { shapeName: 'Note', aboutWref: 'Place@v1' },
    { shapeName: 'Note', aboutWref: null },
  ]);
  expect(pairs.map(({ from, to, count }) => `${from} ${to} ${count}`)).toEqual([
    'Note Place 2',
    `Note ${ELSEWHERE.hidden} 1`,
    `Note ${ELSEWHERE.otherRepository} 1`,
    `Note ${ELSEWHERE.shape} 1`,
    'Doubt Note 1',
    'Note Person 1',
  ]);
  expect(pairs.filter(isShapeHere).map(({ to }) => to)).toEqual(['Place', 'Note', 'Person']);
});
