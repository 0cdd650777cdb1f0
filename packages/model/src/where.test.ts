import { describe, expect, it } from 'vitest';
import { formatFieldPath, formatPredicate, parseShortCondition, whereOpsOf } from './where.ts';

describe('a condition in the short form', () => {
  it.each([
    ['score:gte:3', { fieldPath: 'score', op: 'gte', rhs: '3' }],
    ['label:eq:a:b', { fieldPath: 'label', op: 'eq', rhs: 'a:b' }],
    ['owner:exists', { fieldPath: 'owner', op: 'exists', rhs: undefined }],
    ['label:eq:', { fieldPath: 'label', op: 'eq', rhs: '' }],
    ['nothing', undefined],
  ])('is read: %s', (text, condition) => {
    expect(parseShortCondition(text)).toEqual(condition);
  });

  it('has the operators of its type', () => {
    expect([whereOpsOf('string'), whereOpsOf('array')]).toEqual([expect.arrayContaining(['prefix']), ['exists']]);
  });
});

it.each([
  ['position.x', ['position', 'x']],
  ['/a.b/c', ['a.b', 'c']],
])('the field path %s is written', (path, steps) => {
  expect(formatFieldPath(steps)).toEqual(path);
});

it.each([
  [{ fieldPath: 'score', op: 'gte', rhs: 3 }, 'score:gte:3'],
  [{ fieldPath: 'label', op: 'in', rhs: ['a ', 'b'] }, 'label:in:a,b'],
  [{ fieldPath: 'label', op: 'in', rhs: 'a, b' }, 'label:in:a,b'],
  [{ fieldPath: 'owner', op: 'exists', rhs: true }, 'owner:exists'],
  [{ fieldPath: 'a:eq', op: 'ne', rhs: 'x' }, '[{"fieldPath":"a:eq","op":"ne","rhs":"x"}]'],
  [{ fieldPath: 'label', op: 'in', rhs: ['a,b'] }, '[{"fieldPath":"label","op":"in","rhs":["a,b"]}]'],
] as const)('the condition %j is written as %s', (predicate, text) => {
  expect(formatPredicate(predicate)).toBe(text);
});
