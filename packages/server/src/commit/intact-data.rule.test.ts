import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { requireIntact, requireReferences, requireTypes } from './integrity.rule.ts';

const DATA = '{"a":1}';
const of = { recordId: 7, version: 2 };

describe('data that is sent on', () => {
  it('is what was written, or was purged', () => {
    expect(requireIntact({ ...of, data: DATA, dataHash: hash('sha256', DATA) })).toBe('intact');
    expect(requireIntact({ ...of, data: '{}', dataHash: hash('sha256', DATA) })).toBe('purged');
  });

  it.each([
    ['another text', '{"a":2}'],
    ['the same bytes, which are no text', Buffer.from(DATA) as unknown as string],
  ])('is refused as %s', (_what, data) => {
    const stored = { ...of, data, dataHash: hash('sha256', DATA) };
    expect(() => requireIntact(stored)).toThrow('Version 2 of record 7 is damaged');
  });
});

describe('references that are sent on', () => {
  const ID = '000000000100000000J38WPSC2@v1';

  it.each([null, `[["/a","${ID}"]]`, `[["/a \\"b\\\\","${ID}"],["/links/0","${ID}"]]`])('are sent as %s', (refs) => {
    expect(() => requireReferences(refs, of)).not.toThrow();
  });

  it.each(['', '[]', `[["/a,"${ID}"]]`, `[["/a","${ID}"]`, `[["/a","${ID.toLowerCase()}"]]`, Buffer.from('[[')])(
    'are refused as %s',
    (refs) => {
      expect(() => requireReferences(refs as string, of)).toThrow('is damaged');
    },
  );
});

it('numbers and texts are what they are to be', () => {
  expect(() => requireTypes({ numbers: [1, 0], texts: ['', 'a'] }, of)).not.toThrow();
  for (const numbers of [['1'], [1.5], [null]]) expect(() => requireTypes({ numbers, texts: [] }, of)).toThrow();
  for (const text of [1, null, new Uint8Array(1)]) {
    expect(() => requireTypes({ numbers: [], texts: [text] }, of)).toThrow('is damaged');
  }
});
