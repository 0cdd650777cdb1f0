import { describe, expect, it } from 'vitest';
import { dataCompletion } from './completion.ts';
import { formOf } from './form-field.ts';

const complete = dataCompletion(
  formOf({ label: 'string', 'safe?': 'boolean', kind: { type: 'string', enum: ['a', 'b'] } }),
);

/** The `|` marks the cursor. */
function at(written: string, isAsked = true) {
  const place = written.indexOf('|');
  const text = written.replace('|', '');
  const found = complete({ text, place, isAsked });
  return found?.options.map(({ label }) => `${text.slice(0, found.from)}${label}${text.slice(found.to)}`);
}

describe('completion in the data of a record', () => {
  it('offers the fields that are not there yet', () => {
    expect(at('{"label": "A", |}')).toEqual(['{"label": "A", "kind": }', '{"label": "A", "safe": }']);
    expect(at('{"sa|"}', false)).toEqual(['{"label": }', '{"kind": }', '{"safe": }']);
  });

  it('offers the values that a field may have', () => {
    expect(at('{"kind": |}')).toEqual(['{"kind": "a"}', '{"kind": "b"}']);
    expect(at('{"safe": t|}', false)).toEqual(['{"safe": true}', '{"safe": false}']);
    expect(at('{"label": "x|"}')).toBeUndefined();
  });

  it('is silent where it was not asked and nothing was typed', () => {
    expect(at('{|}', false)).toBeUndefined();
  });
});
