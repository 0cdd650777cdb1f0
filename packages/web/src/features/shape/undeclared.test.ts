import { expect, it } from 'vitest';
import { formOf } from '../change/form-field.ts';
import { withUndeclared } from './declaration.ts';

it('fields that a shape does not declare are counted by the records that hold some', () => {
  const form = formOf({ label: 'string', 'depth?': 'number' });
  const first = withUndeclared({}, [{ data: { label: 'a', height: 3 } }, { data: { label: 'b', depth: 2 } }], form);
  expect(first).toEqual({ height: 1 });
  expect(withUndeclared(first, [{ data: { height: 1, constructor: 1 } }, {}], form)).toEqual({
    height: 2,
    constructor: 1,
  });
});
