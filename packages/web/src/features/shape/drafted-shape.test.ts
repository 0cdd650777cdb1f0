import { expect, it } from 'vitest';
import type { Base, Change } from '../change/change.ts';
import { addedShapes, draftedFields } from './declaration.ts';

const base: Base = { kind: 'shape', version: 1, isActive: true, data: { fields: { old: 'string' } } };
const changes: readonly Change[] = [
  { step: 'add', kind: 'shape', name: 'Place', data: { fields: { label: 'string' } } },
  { step: 'revise', name: 'Person', base, data: { fields: { age: 'number' } } },
  { step: 'rename', name: 'Bird', base, newName: 'Animal' },
  { step: 'add', kind: 'thing', name: 'Place/cave', data: {} },
];

it('shapes of the draft are known by what they will be', () => {
  expect(addedShapes(changes)).toEqual(['Place']);
  expect(draftedFields(changes, 'Place')).toEqual({ label: 'string' });
  expect(draftedFields(changes, 'Person')).toEqual({ age: 'number' });
  expect(['Bird', 'Place/cave', undefined].map((name) => draftedFields(changes, name))).toEqual(
    Array(3).fill(undefined),
  );
});
