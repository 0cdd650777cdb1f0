import { describe, expect, it } from 'vitest';
import { fieldChanges, fieldsOf } from './fields.ts';

const changes = (before: object, after: object) => fieldChanges(fieldsOf(before), fieldsOf(after));

describe('the difference between two versions of a shape', () => {
  it('is nothing where both say the same in other words', () => {
    expect(changes({ 'a?': 'string', b: ['wref'] }, { b: { type: 'array', items: 'wref' }, a: 'string?' })).toEqual([]);
  });

  it('names what was added and what was removed', () => {
    const found = changes({ a: 'string', old: 'number' }, { a: 'string', position: { x: 'number' } });
    expect(found.map(({ path, change }) => [path, change])).toEqual([
      ['position', 'added'],
      ['position.x', 'added'],
      ['old', 'removed'],
    ]);
  });

  it('says how a field is otherwise', () => {
    const before = { owner: { type: 'wref', shape: 'Person' }, score: 'number', note: 'string' };
    const after = {
      owner: { type: 'wref', shape: ['Person', 'Team'] },
      'score?': { type: 'number', minimum: 0, indexed: true },
      note: { type: 'json', description: 'Anything' },
    };
    expect(changes(before, after).map(({ path, parts }) => ({ path, parts }))).toEqual([
      { path: 'owner', parts: [{ what: 'refers to', before: 'Person', after: 'Person, Team' }] },
      {
        path: 'note',
        parts: [
          { what: 'type', before: 'string', after: 'json' },
          { what: 'description', before: '', after: 'Anything' },
        ],
      },
      {
        path: 'score',
        parts: [
          { what: 'presence', before: 'required', after: 'optional' },
          { what: 'constraints', before: '', after: 'at least 0' },
          { what: 'index', before: 'not indexed', after: 'indexed' },
        ],
      },
    ]);
  });
});
