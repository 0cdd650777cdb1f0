import type { RecordItem } from '@cairn/sdk';
import { describe, expect, it } from 'vitest';
import {
  type Added,
  type Base,
  type Change,
  operationsOf,
  revisionOf,
  titleOf,
  withChange,
  withoutChange,
  withReplaced,
} from './change.ts';

const base: Base = { kind: 'thing', version: 3, isActive: true, data: { x: 1 } };
const revised: Change = { step: 'revise', name: 'A/a', base, data: { x: 2 } };
const renamed: Change = { step: 'rename', name: 'A/a', base, newName: 'A/b' };
const retracted: Change = { step: 'retract', name: 'A/a', base, reason: 'Gone' };
const added: Added = { step: 'add', kind: 'assertion', name: 'B/b', about: 'A/a', data: {} };

describe('changes that are not committed yet', () => {
  it('are one of the data and one of the name of a record', () => {
    const both = withChange(withChange([], revised), renamed);
    expect(both).toEqual([revised, renamed]);
    expect(withChange(both, retracted)).toEqual([retracted, renamed]);
    expect(withoutChange(both, 'data A/a')).toEqual([renamed]);
  });

  it('become operations that notice who was faster, names last', () => {
    expect(operationsOf([renamed, retracted, added])).toEqual([
      { operation: 'add', kind: 'assertion', name: 'B/b', about: 'A/a', data: {} },
      { operation: 'retract', name: 'A/a', kind: 'thing', expectedVersion: 3, reason: 'Gone' },
      { operation: 'rename', name: 'A/a', kind: 'thing', newName: 'A/b' },
    ]);
    expect(operationsOf([renamed])).toEqual([
      { operation: 'rename', name: 'A/a', kind: 'thing', newName: 'A/b', expectedVersion: 3 },
    ]);
  });

  it('have a new shape before its records, and its name with it', () => {
    const shape: Added = { step: 'add', kind: 'shape', name: 'B', data: {} };
    expect(operationsOf([added, shape])).toMatchObject([{ name: 'B' }, { name: 'B/b' }]);
    const other: Added = { step: 'add', kind: 'assertion', name: 'Bee/b', about: 'B/b', data: {} };
    expect(withReplaced([shape, added, other, revised], shape, { ...shape, name: 'C' })).toEqual([
      { ...shape, name: 'C' },
      { ...added, name: 'C/b' },
      { ...other, about: 'C/b' },
      revised,
    ]);
    expect(withReplaced([added, other], other, { ...other, name: 'Bee/c' })).toEqual([
      added,
      { ...other, name: 'Bee/c' },
    ]);
  });

  it('give the members of a collection in their order', () => {
    const arc: Change = {
      step: 'add',
      kind: 'collection',
      collection: 'arc',
      name: '',
      data: { to: 'A/b', from: 'A/a' },
    };
    expect(operationsOf([arc])).toEqual([
      { operation: 'add', kind: 'collection', type: 'arc', members: ['A/a', 'A/b'] },
    ]);
    expect(titleOf(arc)).toBe('Add an arc');
    expect(titleOf({ step: 'add', kind: 'thing', name: 'Note/$1', data: {} })).toBe('Add a Note');
  });

  it('call the texts about a repository as people do', () => {
    const data = { content: '# The valley' };
    expect(titleOf({ step: 'add', kind: 'thing', name: 'Content/Readme', data })).toBe('Add the readme');
    expect(titleOf({ step: 'revise', name: 'Content/Agents', base, data })).toBe('Revise the text for agents');
  });

  it('that add become revisions of what is there by now, if that is the same', () => {
    const head = { kind: 'thing', version: 2, active: true, data: { x: 1 } } as unknown as RecordItem;
    const thing: Added = { step: 'add', kind: 'thing', name: 'A/c', data: { x: 3 } };
    expect(revisionOf(thing, head)).toEqual({
      step: 'revise',
      name: 'A/c',
      base: { kind: 'thing', version: 2, isActive: true, data: { x: 1 } },
      data: { x: 3 },
    });
    const said = { ...head, kind: 'assertion', aboutWref: 'A/a@v1' } as const;
    expect(revisionOf(added, said)).toMatchObject({ step: 'revise', name: 'B/b' });
    expect(revisionOf(added, { ...said, aboutWref: 'A/z@v1' })).toBeUndefined();
    expect(revisionOf(added, head)).toBeUndefined();
  });
});
