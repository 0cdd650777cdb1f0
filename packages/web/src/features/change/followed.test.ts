import { describe, expect, it } from 'vitest';
import { type Added, type Base, type Change, changeKey } from './change.ts';
import { isReferred, missingNameOf, withFollowed, withPresentNames, withReplaced } from './followed.ts';
import type { Refusal } from './refusal.ts';

const base: Base = { kind: 'thing', version: 1, isActive: true, data: { near: 'Cafe/b@v1' } };
const revised: Change = { step: 'revise', name: 'Cafe/a', base, data: { near: 'Cafe/b@v1', note: 'Cafe/b is near' } };
const said: Added = { step: 'add', kind: 'assertion', name: 'Say/x', about: 'Cafe/a', data: { of: ['Cafe/a'] } };

const missing = (path: string) =>
  ({ code: 'TARGET_NOT_FOUND', message: 'There is none.', details: [{ path, message: 'There is none.' }] }) as const;

describe('a name that is not there', () => {
  it('is the one of the record, of its shape, or of what it refers to', () => {
    expect(missingNameOf(revised, { code: 'NOT_FOUND', message: 'There is none.' })).toBe('Cafe/a');
    expect(missingNameOf(revised, missing('/near'))).toBe('Cafe/b');
    expect(missingNameOf(said, missing('/name'))).toBe('Say');
    expect(missingNameOf(said, missing('/about'))).toBe('Cafe/a');
    expect(missingNameOf(said, missing('/of/0'))).toBe('Cafe/a');
    expect(missingNameOf(said, { ...missing('/of/0'), code: 'VALIDATION_ERROR' })).toBeUndefined();
    expect(missingNameOf({ ...said, data: { of: ['wh:acme/world/Cafe/a'] } }, missing('/of/0'))).toBeUndefined();
  });
});

describe('a name that a form has, and nothing is called by any more', () => {
  const RENAMED = 'Cafe/b was renamed to Cafe/bee.';
  const presentNameOf = async (name: string) => name.replace('/b', '/bee');
  const told = async (refusal: Refusal) => (await withPresentNames(revised, refusal, presentNameOf)).details;

  it('is told with the present one, also among other mistakes', async () => {
    expect(await told(missing('/near'))).toEqual([{ path: '/near', message: RENAMED }]);
    const others = [
      { path: '/near', message: 'There is no record Cafe/b. Add it first.' },
      { path: '/note', message: 'expected a number' },
    ];
    expect(await told({ code: 'SHAPE_MISMATCH', message: 'It does not fit.', details: others })).toEqual([
      { path: '/near', message: RENAMED },
      others[1],
    ]);
  });

  it('is told as the server does, where there never was any', async () => {
    const refused = missing('/near');
    expect(await withPresentNames(revised, refused, async () => undefined)).toEqual(refused);
    expect(await withPresentNames(revised, refused, async (name) => name)).toEqual(refused);
  });
});

describe('a draft of what was renamed meanwhile', () => {
  it('has its present name, also where others refer to it', () => {
    expect(withFollowed([revised, said], { from: 'Cafe/a', to: 'Cafe/z' })).toEqual([
      { ...revised, name: 'Cafe/z' },
      { ...said, about: 'Cafe/z', data: { of: ['Cafe/z'] } },
    ]);
    expect(withFollowed([revised], { from: 'Cafe/b', to: 'Cafe/bee' })).toEqual([
      {
        ...revised,
        base: { ...base, data: { near: 'Cafe/bee@v1' } },
        data: { near: 'Cafe/bee@v1', note: 'Cafe/b is near' },
      },
    ]);
  });

  it('has the present name of a shape at all of its records', () => {
    const renamed: Change = { step: 'rename', name: 'Cafe/c', base, newName: 'Cafe/d' };
    const followed = [{ name: 'Bar/a' }, { name: 'Say/x', about: 'Bar/a' }, { name: 'Bar/c', newName: 'Bar/d' }];
    expect(withFollowed([revised, said, renamed], { from: 'Cafe/a', to: 'Bar/a' })).toMatchObject(followed);
    expect(withFollowed([revised, said, renamed], { from: 'Cafe', to: 'Bar' })).toMatchObject(followed);
  });

  it('leaves words that are the name of a shape, except in what refers to the shape itself', () => {
    const word: Added = { step: 'add', kind: 'thing', name: 'Place/a', data: { label: 'Cafe' } };
    const shape: Added = {
      step: 'add',
      kind: 'shape',
      name: 'Interface',
      data: { fields: { to: { shape: ['Cafe'] } } },
    };
    const rename = { from: 'Cafe', to: 'Bar' };
    expect(withFollowed([word, shape], rename)).toEqual([
      word,
      { ...shape, data: { fields: { to: { shape: ['Bar'] } } } },
    ]);
    expect(withFollowed([word], { ...rename, referredBy: changeKey(word) })).toMatchObject([
      { data: { label: 'Bar' } },
    ]);
    expect([isReferred(missing('/label')), isReferred(missing('/name'))]).toEqual([true, false]);
  });

  it('has one change of a record, where it was changed under both names', () => {
    const later: Change = { ...revised, name: 'Cafe/z', data: {} };
    expect(withFollowed([revised, later], { from: 'Cafe/a', to: 'Cafe/z' })).toEqual([later]);
  });
});

describe('a draft of what has another name in it', () => {
  const shape: Added = { step: 'add', kind: 'shape', name: 'Say', data: { fields: { label: 'string' } } };

  it('follows a record that is only drafted, wherever it is referred to', () => {
    const cafe: Added = { step: 'add', kind: 'thing', name: 'Cafe/a', data: { label: 'Cafe/a' } };
    const near: Change = { ...revised, name: 'Cafe/c', data: { near: ['Cafe/a@v1'], note: 'Cafe/a is near' } };
    const next = { ...cafe, name: 'Cafe/z' };
    expect(withReplaced([near, cafe, said], cafe, next)).toEqual([
      { ...near, data: { near: ['Cafe/z@v1'], note: 'Cafe/a is near' } },
      next,
      { ...said, about: 'Cafe/z', data: { of: ['Cafe/z'] } },
    ]);
    expect(withReplaced([cafe, near], cafe, { ...cafe, name: 'Bar/a' })[1]).toMatchObject({ name: 'Cafe/c' });
  });

  it('follows a shape that is only drafted at its records, at what refers to them, and in other shapes', () => {
    const other: Added = { ...said, name: 'Saying/b', about: 'Say/x', data: { label: 'Say', of: 'Say/x' } };
    const fields = { of: { type: 'wref', shape: ['Say', 'Cafe'] }, in: { type: 'array', items: { shape: 'Say' } } };
    const referring: Added = { ...shape, name: 'Note', data: { description: 'Say', fields } };
    const renamed = { ...shape, name: 'Tell' };
    expect(withReplaced([shape, said, other, referring, revised], shape, renamed)).toEqual([
      renamed,
      { ...said, name: 'Tell/x' },
      { ...other, about: 'Tell/x', data: { label: 'Say', of: 'Tell/x' } },
      {
        ...referring,
        data: {
          description: 'Say',
          fields: { of: { type: 'wref', shape: ['Tell', 'Cafe'] }, in: { type: 'array', items: { shape: 'Tell' } } },
        },
      },
      revised,
    ]);
  });
});
