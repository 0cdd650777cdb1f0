import { expect, it } from 'vitest';
import { placeIn, shapeReferences, targetName } from './shape-reference.ts';

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
