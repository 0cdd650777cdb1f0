import { describe, expect, it } from 'vitest';
import type { Base, Change } from './change.ts';
import { landingOf } from './draft.ts';

const base: Base = { kind: 'thing', version: 1, isActive: true, data: {} };
const thing: Change = { step: 'add', kind: 'thing', name: 'A/a', data: {} };
const shape: Change = { step: 'add', kind: 'shape', name: 'B', data: {} };
const said: Change = { step: 'add', kind: 'assertion', name: 'B/$1', about: 'A/a@v2', data: {} };

describe('after a commit one goes on', () => {
  it.each<[string, readonly Change[], string | undefined]>([
    ['at the record', [thing], 'A/a'],
    ['at the name that it has now', [{ step: 'rename', name: 'A/a', base, newName: 'A/b' }], 'A/b'],
    ['at the shape', [shape], 'B'],
    ['at the record that a shape was made for', [shape, thing], 'A/a'],
    ['at what something is said about', [shape, said], 'A/a'],
    ['at what is changed, and spoken about', [said, { step: 'retract', name: 'A/a', base, reason: '' }], 'A/a'],
    ['where a reply was begun', [{ ...said, about: 'B/b', from: 'A/a' }], 'A/a'],
    ['at the commit, of what the server names', [{ ...thing, name: 'A/$1' }], undefined],
    ['at the commit, of what is elsewhere', [{ ...said, about: 'wh:acme/world/A/a' }], undefined],
    ['at the commit, of several', [thing, { ...thing, name: 'A/b' }], undefined],
  ])('%s', (_where, changes, name) => {
    expect(landingOf(changes)).toBe(name);
  });
});
