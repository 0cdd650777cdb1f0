import { expect, it } from 'vitest';
import { beginningsOf, hasOperator, looseningsOf, singlesOf } from './where.ts';

it('is by each thing that is chosen', () => {
  const written = JSON.stringify([{ fieldPath: 'label', op: 'in', rhs: ['a,b'] }]);
  const where = ['who:eq:Person/mara', 'km:exists:false', written];
  expect(looseningsOf({ q: 'roof', shape: 'Walk', kind: 'thing', where, order: 'name' })).toEqual([
    { what: 'the words “roof”', change: { q: undefined } },
    { what: 'who is Person/mara', change: { where: where.slice(1) } },
    { what: 'km does not exist', change: { where: [where[0], where[2]] } },
    { what: written, change: { where: where.slice(0, 2) } },
    { what: 'the kind thing', change: { kind: undefined } },
    { what: 'the shape Walk', change: { shape: undefined, where: undefined } },
  ]);
});

it('leaves no empty list of conditions', () => {
  const [condition] = looseningsOf({ shape: 'Walk', where: ['km:gte:3'] });
  expect(condition).toEqual({ what: 'km is at least 3', change: { where: undefined } });
});

it('is nothing where one thing is chosen, or none', () => {
  expect([looseningsOf({ q: 'roof' }), looseningsOf({ shape: 'Walk' }), looseningsOf({ order: 'name' })]).toEqual([
    [],
    [],
    [],
  ]);
});

it('takes words for beginnings of words, where they are not already', () => {
  expect(['bridg', 'rope* bridg', 'bridg*', '"rope bridge"', 'roof OR lake'].map(beginningsOf)).toEqual([
    'bridg*',
    'rope* bridg*',
    undefined,
    undefined,
    undefined,
  ]);
});

it('knows what other searches join words by, as those write it', () => {
  expect(['roof OR lake', 'NOT roof', 'roof or lake', 'ORB'].map(hasOperator)).toEqual([true, true, false, false]);
});

it('is by the words one by one, without what other searches join them by', () => {
  expect(['roof', 'roof*', 'roof OR lake', 'roof lake* roof', '"roof"', 'or', '...'].map(singlesOf)).toEqual([
    [],
    [],
    ['roof', 'lake'],
    ['roof', 'lake*'],
    ['roof'],
    [],
    [],
  ]);
});
