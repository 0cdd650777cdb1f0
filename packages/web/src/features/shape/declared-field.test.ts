import { declaredFields } from '@cairn/model/declaration';
import { describe, expect, it } from 'vitest';
import { columnsOf, opsOf } from './declaration.ts';

const FIELDS = {
  'label?': 'string',
  score: { type: 'number', indexed: true },
  status: { type: 'string', enum: ['open', 'done'] },
  tags: ['string'],
  links: { type: 'array', items: 'wref' },
  owner: { type: 'wref?', shape: 'Person' },
  free: 'json',
  position: { x: 'number', deep: { 'y?': 'number' } },
  'a.b': 'boolean',
};

describe('the fields of a shape', () => {
  it('are read in all forms that they can be written in, those that must be there first', () => {
    expect(declaredFields(FIELDS).map(({ path, type }) => `${path} ${type}`)).toEqual([
      'score number',
      'status string',
      'tags array',
      'links array',
      'free json',
      'position object',
      'position.x number',
      'position.deep object',
      'position.deep.y number',
      '/a.b boolean',
      'label string',
      'owner wref',
    ]);
    expect(declaredFields(FIELDS).find(({ path }) => path === 'status')?.choices).toEqual(['open', 'done']);
  });

  it('say which shapes a reference may lead to', () => {
    const fields = {
      any: 'wref',
      owner: { type: 'wref?', shape: 'Person' },
      place: { type: 'wref', shape: ['Hut', null, 'Cave'] },
    };
    expect(declaredFields(fields).map(({ refersTo }) => refersTo)).toEqual([undefined, ['Hut', 'Cave'], ['Person']]);
  });

  it('are none where there are none', () => {
    expect([undefined, null, 'text', [], {}].flatMap((fields) => declaredFields(fields))).toEqual([]);
  });

  it('can be asked what the server takes', () => {
    expect(opsOf('array')).toEqual(['exists']);
    expect(opsOf('string')).toContain('prefix');
    expect(opsOf('wref')).not.toContain('gt');
  });
});

describe('the columns of a table', () => {
  it('are the fields, and what is in objects', () => {
    const paths = columnsOf(declaredFields(FIELDS)).map(({ path }) => path);
    expect(paths).toContain('position.deep.y');
    expect(paths).not.toContain('position');
  });

  it('are the outermost fields where there are many, and never too many', () => {
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`f${n}`, { x: 'number' }]));
    const columns = columnsOf(declaredFields(many));
    expect(columns.length).toBe(24);
    expect(columns[0]?.path).toBe('f0');
  });
});
