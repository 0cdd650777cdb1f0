import { declaredFields } from '@cairn/model/declaration';
import { describe, expect, it } from 'vitest';
import { conditionCompletion } from './where-completion.ts';

const fields = declaredFields({
  label: 'string',
  tags: ['string'],
  done: 'boolean',
  status: { type: 'string', enum: ['open', 'done'] },
  position: { x: 'number' },
});

/** The `|` marks the cursor. */
function at(marked: string, isAsked = true) {
  const place = marked.indexOf('|');
  const text = marked.replace('|', '');
  const found = conditionCompletion(fields)({ text, place, isAsked });
  const labels = found?.options.map(({ label }) => label) ?? [];
  const [first] = labels;
  const made = found && first && `${text.slice(0, found.from)}${first}${text.slice(found.to)}`;
  return { labels, made };
}

describe('what is offered', () => {
  it('for a field are the paths of the shape', () => {
    expect(at('[{ "fieldPath": "|" }]').labels).toEqual([
      '"label"',
      '"tags"',
      '"done"',
      '"status"',
      '"position"',
      '"position.x"',
    ]);
    expect(at('[{ "fieldPath": "la|" }]').made).toBe('[{ "fieldPath": "label" }]');
    expect(at('[{ "fieldPath": |').made).toBe('[{ "fieldPath": "label"');
  });

  it('for an operator is what can be asked of the field', () => {
    expect(at('[{ "fieldPath": "tags", "op": "|" }]').labels).toEqual(['"exists"']);
    expect(at('[{ "fieldPath": "position.x", "op": "|" }]').labels).not.toContain('"prefix"');
    expect(at('[{ "op": "|", "fieldPath": "label" }]').labels).toContain('"prefix"');
    expect(at('[{ "op": "|" }]').labels.length).toBe(9);
  });

  it('for a value is what the field can hold', () => {
    expect(at('[{ "fieldPath": "status", "op": "eq", "rhs": "|" }]').labels).toEqual(['"open"', '"done"']);
    expect(at('[{ "fieldPath": "status", "op": "in", "rhs": ["open", "|"] }]').made).toBe(
      '[{ "fieldPath": "status", "op": "in", "rhs": ["open", "open"] }]',
    );
    expect(at('[{ "fieldPath": "done", "op": "eq", "rhs": | }]').labels).toEqual(['true', 'false']);
    expect(at('[{ "fieldPath": "label", "op": "exists", "rhs": | }]').labels).toEqual(['true', 'false']);
    expect(at('[{ "fieldPath": "label", "op": "eq", "rhs": "|" }]').labels).toEqual([]);
  });

  it('for a key is what the condition does not have yet', () => {
    expect(at('[{ "|" }]').labels).toEqual(['"fieldPath": ', '"op": ', '"rhs": ']);
    expect(at('[{ "fieldPath": "label", | }]').labels).toEqual(['"op": ', '"rhs": ']);
  });

  it('is about the condition that the cursor is in', () => {
    const text =
      '[{ "fieldPath": "tags", "op": "exists" }, { "fieldPath": "label", "op": "|" }, { "fieldPath": "done" }]';
    expect(at(text).labels).toContain('"prefix"');
  });

  it('between conditions is another one', () => {
    expect(at('[|]').labels.length).toBe(1);
    expect(at('[{ "fieldPath": "tags", "op": "exists" }, |]').labels.length).toBe(1);
    expect(at('[{ "fieldPath": "tags", "op": "exists" } |]').labels).toEqual([]);
  });

  it('does not come by itself where nothing was typed', () => {
    expect(at('[|]', false).labels).toEqual([]);
    expect(at('[{ | }]', false).labels).toEqual([]);
    expect(at('[{ "op": "e|" }]', false).labels.length).toBe(9);
  });
});
