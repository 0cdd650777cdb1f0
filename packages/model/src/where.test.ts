import { WHERE_OPS as PROTOCOL_OPS } from '@cairn/protocol/read';
import { describe, expect, it } from 'vitest';
import {
  fieldPathSteps,
  formatFieldPath,
  formatPredicate,
  parseShortCondition,
  WHERE_OPS,
  whereOpsOf,
} from './where.ts';

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

  it('has the operators of the protocol', () => {
    expect(WHERE_OPS).toEqual(PROTOCOL_OPS);
    expect([whereOpsOf('string'), whereOpsOf('array')]).toEqual([expect.arrayContaining(['prefix']), ['exists']]);
  });
});

it.each([
  ['position.x', ['position', 'x']],
  ['/a.b/c', ['a.b', 'c']],
])('the field path %s is read and written', (path, steps) => {
  expect([fieldPathSteps(path), formatFieldPath(steps)]).toEqual([steps, path]);
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
