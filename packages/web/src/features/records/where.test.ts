import { declaredFields } from '@cairn/model/declaration';
import { describe, expect, it } from 'vitest';
import { conditionOf, formatCondition, fromJson, namedIn, toJson, whereOf, withName } from './where.ts';

const FIELDS = declaredFields({ score: 'number', done: 'boolean', label: 'string', 'a:eq': 'string' });

describe('a condition', () => {
  it.each([
    ['score:gte:3', { path: 'score', op: 'gte', value: '3' }],
    ['label:eq:a:b', { path: 'label', op: 'eq', value: 'a:b' }],
    ['label:in:a,b', { path: 'label', op: 'in', value: 'a,b' }],
    ['owner:exists', { path: 'owner', op: 'exists', value: '' }],
    ['owner:exists:false', { path: 'owner', op: 'exists', value: 'false' }],
    ['position.x:lt:-1', { path: 'position.x', op: 'lt', value: '-1' }],
    ['label:eq:', { path: 'label', op: 'eq', value: '' }],
  ] as const)('is read and written: %s', (text, condition) => {
    expect(conditionOf(text)).toEqual(condition);
    expect(formatCondition(condition)).toBe(text);
  });

  it('leaves out the spaces between the values of a list', () => {
    expect(formatCondition({ path: 'label', op: 'in', value: 'The lake, The peak ,' })).toBe(
      'label:in:The lake,The peak,',
    );
  });

  it('is written as JSON where the short form would mean another', () => {
    const text = formatCondition({ path: 'a:eq', op: 'ne', value: 'x' });
    expect(JSON.parse(text)).toEqual([{ fieldPath: 'a:eq', op: 'ne', rhs: 'x' }]);
    expect(whereOf([text, 'score:gt:1'])).toEqual([{ fieldPath: 'a:eq', op: 'ne', rhs: 'x' }, 'score:gt:1']);
  });

  it('that is none is given to the server, which says why', () => {
    expect(conditionOf('nothing')).toBeUndefined();
    expect(whereOf(['nothing', '[broken'])).toEqual(['nothing', '[broken']);
  });
});

describe('conditions as JSON', () => {
  it('have values of the types of the fields', () => {
    const texts = ['score:gte:3', 'done:eq:true', 'label:in:a,b', 'score:in:1,2', 'label:exists:false'];
    const json = toJson(texts, FIELDS);
    expect(JSON.parse(json)).toEqual([
      { fieldPath: 'score', op: 'gte', rhs: 3 },
      { fieldPath: 'done', op: 'eq', rhs: true },
      { fieldPath: 'label', op: 'in', rhs: ['a', 'b'] },
      { fieldPath: 'score', op: 'in', rhs: [1, 2] },
      { fieldPath: 'label', op: 'exists', rhs: false },
    ]);
    expect(fromJson(json)).toEqual({ texts });
  });

  it('keep what the short form cannot say', () => {
    const json = '[{ "fieldPath": "label", "op": "in", "rhs": ["a,b", "c"] }]';
    const read = fromJson(json);
    if ('problem' in read) throw new Error(read.problem);
    expect(whereOf(read.texts)).toEqual(JSON.parse(json));
    expect(JSON.parse(toJson(read.texts, FIELDS))).toEqual(JSON.parse(json));
  });

  it('may be none', () => {
    expect(fromJson('')).toEqual({ texts: [] });
    expect(fromJson(toJson([], FIELDS))).toEqual({ texts: [] });
  });

  it.each([
    ['[', /not JSON yet/],
    ['{}', /list of conditions/],
    ['[{ "fieldPath": "score" }]', /Condition 1 needs/],
    ['[{ "fieldPath": "score", "op": "like" }]', /eq, ne/],
    [JSON.stringify(Array.from({ length: 9 }, () => ({ fieldPath: 'x', op: 'exists' }))), /at most 8/],
  ])('say what is wrong: %s', (json, problem) => {
    expect(fromJson(json)).toEqual({ problem: expect.stringMatching(problem) });
  });
});

describe('records that conditions name', () => {
  const fields = declaredFields({ who: { type: 'wref', shape: 'Person' }, label: 'string' });
  const written = JSON.stringify([{ fieldPath: 'who', op: 'in', rhs: ['oda', 'Person/a,b'] }]);
  const where = ['label:eq:mara', 'who:eq:mara', 'who:in:Person/oda, mara', written, 'who:ne:ilan', 'who:exists', 'no'];
  const named = namedIn(where, fields);

  it('are those that a reference must be', () => {
    expect(named.map(({ index, name }) => [index, name])).toEqual([
      [1, 'mara'],
      [2, 'Person/oda'],
      [2, 'mara'],
      [3, 'oda'],
      [3, 'Person/a,b'],
    ]);
    expect(named[0]?.field.refersTo).toEqual(['Person']);
  });

  it.each([
    [0, 'who:eq:Person/x'],
    [2, 'who:in:Person/oda,Person/x'],
    [3, JSON.stringify([{ fieldPath: 'who', op: 'in', rhs: ['Person/x', 'Person/a,b'] }])],
  ])('can be others: %i', (place, text) => {
    const one = named[place];
    if (one === undefined) throw new Error('There is no such name.');
    expect(withName(where, one, 'Person/x')).toEqual(where.with(one.index, text));
  });
});
