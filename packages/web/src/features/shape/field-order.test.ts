import { declarationsIn } from '@cairn/model/declaration';
import { describe, expect, it } from 'vitest';
import { inFieldOrder } from './declaration.ts';

const FIELDS = {
  'about?': 'string',
  label: 'string',
  note: 'string?',
  place: { 'name?': 'string', x: 'number' },
  'rows?': [{ 'a?': 'string', z: 'number' }],
};

/** Includes the order, which `toEqual` ignores. */
const written = (data: unknown) => JSON.stringify(data);

describe('the order of fields', () => {
  it('has what must be there first, whichever way it is declared', () => {
    expect(declarationsIn(FIELDS).map(({ name }) => name)).toEqual(['label', 'place', 'about', 'note', 'rows']);
  });

  it('is that of data too, also of what is within, and loses nothing', () => {
    const data = {
      about: 'a',
      colour: { z: 1, a: 2 },
      label: 'l',
      place: { name: 'n', x: 1 },
      rows: [{ a: 'a', z: 1 }, 'odd'],
    };
    const ordered = inFieldOrder(data, FIELDS);
    expect(ordered).toEqual(data);
    expect(written(ordered)).toBe(
      '{"label":"l","place":{"x":1,"name":"n"},"about":"a","rows":[{"z":1,"a":"a"},"odd"],"colour":{"z":1,"a":2}}',
    );
  });

  it('leaves data alone that no shape is known of', () => {
    expect(written(inFieldOrder({ b: 1, a: 2 }, undefined))).toBe('{"b":1,"a":2}');
    expect(inFieldOrder('text', FIELDS)).toBe('text');
  });
});
