import { expect, it } from 'vitest';
import { ELSEWHERE } from '../record/said-about.ts';
import { aboutReferences, placeIn, shapeReferences, targetName } from './fields.ts';

it('finds which shape refers to which, in arrays and nested objects too', () => {
  const references = shapeReferences([
    { name: 'Location', fields: { owner: { type: 'wref', shape: 'Person' }, label: 'string' } },
    { name: 'Route', fields: { stops: [{ place: { type: 'wref', shape: ['Location', 'Town'] } }], 'a/b': 'wref' } },
  ]);
  expect(references.map((reference) => `${placeIn(reference)} → ${targetName(reference.to)}`)).toEqual([
    'Location.owner → Person',
    'Route.stops[].place → Location',
    'Route.stops[].place → Town',
    'Route/a~1b → any shape',
  ]);
});

it('leads from assertions to the shapes that they are about, in the repository alone', () => {
  const pairs = [
    { from: 'Note', to: 'Person', count: 2 },
    { from: 'Note', to: ELSEWHERE.otherRepository, count: 1 },
  ];
  expect(aboutReferences(pairs)).toEqual([{ from: 'Note', path: '', to: 'Person', isAbout: true }]);
  expect(aboutReferences(pairs).map(placeIn)).toEqual(['Note']);
});
