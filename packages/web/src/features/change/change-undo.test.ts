import { describe, expect, it } from 'vitest';
import { type Base, type Change, titleOf } from './change.ts';
import { undoOf } from './draft.ts';

const base: Base = { kind: 'thing', version: 3, isActive: true, data: { x: 1 } };
const revised: Change = { step: 'revise', name: 'A/a', base, data: { x: 2 } };
const renamed: Change = { step: 'rename', name: 'A/a', base, newName: 'A/b' };
const added: Change = { step: 'add', kind: 'assertion', name: 'B/b', about: 'A/a', data: {} };

describe('changes that were committed', () => {
  it('are taken back from the last to the first, at the versions that they made, by the names that they have then', () => {
    const outcomes = [
      { name: 'A/a', version: 4 },
      { name: 'B/b-1', version: 1 },
      { name: 'A/b', version: 4 },
    ];
    expect(undoOf([renamed, revised, added], outcomes)).toEqual([
      { operation: 'retract', name: 'B/b-1', kind: 'assertion', expectedVersion: 1 },
      { operation: 'rename', name: 'A/b', kind: 'thing', newName: 'A/a' },
      { operation: 'revise', name: 'A/a', kind: 'thing', data: { x: 1 }, expectedVersion: 4 },
    ]);
  });

  it('of a record that was brought back are taken back by retracting it', () => {
    const brought: Change = { ...revised, base: { ...base, isActive: false } };
    expect(titleOf(brought)).toBe('Restore A/a');
    expect(undoOf([brought], [{ name: 'A/a', version: 4 }])).toEqual([
      { operation: 'retract', name: 'A/a', kind: 'thing', expectedVersion: 4 },
    ]);
    const withReason: Change = { ...revised, base: { ...base, isActive: false, reason: 'It fell' } };
    expect(undoOf([withReason], [{ name: 'A/a', version: 4 }])).toMatchObject([{ reason: 'It fell' }]);
  });

  it('of a shape and its records are taken back with the shape first, and one that was added last', () => {
    const shape: Change = { step: 'revise', name: 'A', base: { ...base, kind: 'shape' }, data: { fields: {} } };
    const made: Change = { step: 'add', kind: 'shape', name: 'B', data: {} };
    const outcomes = ['A', 'B', 'A/a', 'B/b'].map((name) => ({ name, version: 4 }));
    expect(undoOf([revised, shape, added, made], outcomes)).toMatchObject([
      { operation: 'revise', name: 'A' },
      { operation: 'retract', name: 'B/b' },
      { operation: 'revise', name: 'A/a' },
      { operation: 'retract', name: 'B' },
    ]);
  });
});
