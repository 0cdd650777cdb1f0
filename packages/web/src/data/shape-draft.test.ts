import { describe, expect, it } from 'vitest';
import { EMPTY_ROW, fieldsOfRows, rowProblem, rowsOf } from './shape-draft.ts';

const FIELDS = {
  label: 'string',
  'severity?': 'number',
  status: { type: 'string', enum: ['open', 'done'], description: 'How far it is' },
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
  more: 'json',
};

describe('a field set that is edited', () => {
  it('comes back as it was, whatever was in it', () => {
    expect(fieldsOfRows(rowsOf(FIELDS))).toEqual(FIELDS);
    expect(Object.keys(fieldsOfRows(rowsOf(FIELDS)))).toEqual(Object.keys(FIELDS));
  });

  it('says what only JSON can say as JSON', () => {
    const others = rowsOf(FIELDS).filter(({ type }) => type === 'other');
    expect(others.map(({ name }) => name)).toEqual(['position', 'codes']);
  });

  it('knows an optional field however that was written, and writes it one way', () => {
    expect(fieldsOfRows(rowsOf({ a: 'string?' }))).toEqual({ 'a?': 'string' });
  });

  it('is refused before it is sent where it cannot be one', () => {
    const row = { ...EMPTY_ROW, name: 'a' };
    expect(rowProblem([row, EMPTY_ROW])).toMatch('Give each field a name');
    expect(rowProblem([row, row])).toMatch('Two fields are called a');
    expect(rowProblem([{ ...row, type: 'other', json: '{' }])).toMatch('is not JSON yet');
    expect(rowProblem([row])).toBeUndefined();
  });
});
