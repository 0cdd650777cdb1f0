import { describe, expect, it } from 'vitest';
import { EMPTY_ROW, fieldsOfRows, rowsOf, suggestedShapes } from './shape-draft.ts';

const FIELDS = {
  label: 'string',
  'severity?': 'number',
  status: { type: 'string', enum: ['open', 'done, or nearly'], description: 'How far it is' },
  score: { type: 'number', minimum: 0, maximum: 1, indexed: true },
  rank: { type: 'number', enum: [1, 2] },
  code: { type: 'string', pattern: '^[A-Z]+$', minLength: 3 },
  owner: { type: 'wref', shape: 'Person' },
  either: { type: 'wref', shape: ['Person', 'Place'] },
  'tags?': ['string'],
  links: { type: 'array', items: 'wref', minItems: 1 },
  people: [{ type: 'wref', shape: 'Person' }],
  position: { x: 'number', y: 'number' },
  codes: [{ type: 'string', pattern: '^a' }],
  counts: [{ type: 'number', integer: true, minimum: -1 }],
  notes: [{ type: 'string', description: 'Each of them' }],
  more: 'json',
  poem: { type: 'string', enum: ['one line', 'two\nlines'] },
  blank: [{ type: 'string', enum: ['', 'a'] }],
};

describe('a field set that is edited', () => {
  it('comes back as it was, whatever was in it', () => {
    expect(fieldsOfRows(rowsOf(FIELDS))).toEqual(FIELDS);
    expect(Object.keys(fieldsOfRows(rowsOf(FIELDS)))).toEqual(Object.keys(FIELDS));
  });

  it('says what only JSON can say as JSON', () => {
    const others = rowsOf(FIELDS).filter(({ type }) => type === 'other');
    expect(others.map(({ name }) => name)).toEqual(['position', 'notes', 'poem', 'blank']);
  });

  it('knows an optional field however that was written, and writes it one way', () => {
    expect(fieldsOfRows(rowsOf({ a: 'string?' }))).toEqual({ 'a?': 'string' });
  });

  it('shows limits as they are typed, and leaves out those of another type', () => {
    const [score, code] = rowsOf({ score: FIELDS.score, code: FIELDS.code });
    expect(score).toMatchObject({ type: 'number', limits: { minimum: '0', maximum: '1' }, rest: {} });
    expect(code).toMatchObject({ type: 'string', limits: { minLength: '3', pattern: '^[A-Z]+$' }, rest: {} });
    const row = { ...EMPTY_ROW, name: 'a', limits: { minimum: '1.5', maximum: ' ', integer: true, maxLength: '9' } };
    expect(fieldsOfRows([{ ...row, type: 'number' }])).toEqual({ a: { type: 'number', minimum: 1.5, integer: true } });
    expect(fieldsOfRows([{ ...row, type: 'string' }])).toEqual({ a: { type: 'string', maxLength: 9 } });
    expect(fieldsOfRows([{ ...row, type: 'boolean' }])).toEqual({ a: 'boolean' });
  });

  it('is offered the shapes that are not named yet', () => {
    expect(suggestedShapes('', ['Person', 'Place'])).toEqual(['Person', 'Place']);
    expect(suggestedShapes('Pers', ['Person', 'Place'])).toEqual(['Person', 'Place']);
    expect(suggestedShapes('Person,Pl', ['Person', 'Place'])).toEqual(['Person, Place']);
  });
});
