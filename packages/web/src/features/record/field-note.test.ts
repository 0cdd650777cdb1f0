import { describe, expect, it } from 'vitest';
import { noteFinder } from './field-note.ts';

const SHAPE = {
  fields: {
    label: 'string',
    'severity?': 'number',
    note: 'string?',
    status: { type: 'string', enum: ['open', 'done'], description: 'Where it stands' },
    owner: { type: 'wref', shape: ['Person', 'Team'] },
    'tags?': ['string'],
    links: { type: 'array', items: { type: 'wref', shape: 'Page' } },
    position: { x: 'number', 'y?': 'number' },
    'a/b': 'boolean',
  },
};

describe('what a shape says of fields', () => {
  const noteOf = noteFinder(SHAPE);
  const typeOf = (pointer: string) => noteOf(pointer)?.type;

  it('is their type, and whether they may be missing', () => {
    expect(typeOf('/label')).toBe('string');
    expect(typeOf('/severity')).toBe('number, optional');
    expect(typeOf('/note')).toBe('string, optional');
    expect(typeOf('/a~1b')).toBe('boolean');
    expect(noteOf('/status')).toEqual({ type: 'string, one of open, done', description: 'Where it stands' });
  });

  it('goes into lists and objects', () => {
    expect(typeOf('/tags')).toBe('list of string, optional');
    expect(typeOf('/tags/3')).toBe('string');
    expect(typeOf('/links')).toBe('list of references to Page');
    expect(typeOf('/links/0')).toBe('reference to Page');
    expect(typeOf('/owner')).toBe('reference to Person or Team');
    expect(typeOf('/position')).toBeUndefined();
    expect(typeOf('/position/y')).toBe('number, optional');
  });

  it('is nothing where nothing is declared', () => {
    for (const pointer of ['', '/other', '/label/deep', '/constructor', '/__proto__']) {
      expect(noteOf(pointer)).toBeUndefined();
    }
    for (const shape of [undefined, null, {}, { fields: 'string' }, []])
      expect(noteFinder(shape)('/x')).toBeUndefined();
  });
});
