import type { RecordItem } from '@cairn/sdk';
import { describe, expect, it } from 'vitest';
import {
  type Added,
  type Base,
  type Change,
  operationsOf,
  restoredText,
  revisionOf,
  titleOf,
  withChange,
  withoutChanges,
  withRestored,
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
  });

  it('are brought back where they were, unless something else is there by now', () => {
    const all = [revised, renamed, added];
    expect(withoutChanges(all, [revised, added])).toEqual([renamed]);
    expect(withRestored([renamed, added], [revised], all)).toEqual(all);
    expect(withRestored([], all, all)).toEqual(all);
    const later: Change = { ...added, name: 'B/c' };
    expect(withRestored([later, retracted], [revised, added], all)).toEqual([retracted, added, later]);
  });

  it('say what was put back, and what has another in its place', () => {
    expect(restoredText([revised, renamed], [])).toBe('2 changes are back in your draft.');
    expect(restoredText([revised], [added])).toBe(
      '1 change is back in your draft. Not restored: Add B/b. Your draft now has another change to it.',
    );
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

  it('have a new shape before its records', () => {
    const shape: Added = { step: 'add', kind: 'shape', name: 'B', data: {} };
    expect(operationsOf([added, shape])).toMatchObject([{ name: 'B' }, { name: 'B/b' }]);
  });

  it('give the members of a collection in their order', () => {
    const arc: Change = {
      step: 'add',
      kind: 'collection',
      collection: 'arc',
      name: 'Arc/$1',
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
    expect(titleOf({ step: 'revise', name: 'Content/Agents', base, data })).toBe('Revise the instructions for agents');
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
