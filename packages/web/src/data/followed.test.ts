import { describe, expect, it } from 'vitest';
import type { Added, Base, Change } from './change.ts';
import { missingNameOf, withFollowed } from './followed.ts';

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

  it('has one change of a record, where it was changed under both names', () => {
    const later: Change = { ...revised, name: 'Cafe/z', data: {} };
    expect(withFollowed([revised, later], { from: 'Cafe/a', to: 'Cafe/z' })).toEqual([later]);
  });
});
