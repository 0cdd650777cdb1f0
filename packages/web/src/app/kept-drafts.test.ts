import { describe, expect, it } from 'vitest';
import { type Drafts, keepDrafts, keptDrafts } from './kept-drafts.ts';

const drafts: Drafts = new Map([['ada/world', [{ step: 'add', kind: 'thing', name: 'A/a', data: { x: 1 } }]]]);
const NONE: Drafts = new Map();

function tabStorage(roomFor = 1_000) {
  const items = new Map<string, string>();
  return {
    items,
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => {
      if (value.length > roomFor) throw new Error('There is no room.');
      items.set(key, value);
    },
    removeItem: (key: string) => void items.delete(key),
  };
}

describe('drafts in a tab', () => {
  it('are there again for who wrote them, until there are none', () => {
    const storage = tabStorage();
    expect(keepDrafts(() => storage, 'ada', drafts)).toBe(true);
    expect(keptDrafts(() => storage, 'ada')).toEqual(drafts);
    expect(keepDrafts(() => storage, 'ada', NONE)).toBe(true);
    expect(storage.items.size).toBe(0);
  });

  it('are gone for anybody else', () => {
    const storage = tabStorage();
    keepDrafts(() => storage, 'ada', drafts);
    expect(keptDrafts(() => storage, '')).toEqual(NONE);
    expect(storage.items.size).toBe(0);
  });

  it('are not kept where there is no room, and neither is what was before', () => {
    const storage = tabStorage(200);
    keepDrafts(() => storage, 'ada', drafts);
    const large: Drafts = new Map([
      ['ada/world', [{ step: 'add', kind: 'thing', name: 'A/a', data: 'x'.repeat(200) }]],
    ]);
    expect(keepDrafts(() => storage, 'ada', large)).toBe(false);
    expect(keptDrafts(() => storage, 'ada')).toEqual(NONE);
  });

  it('are none where what is kept cannot be read', () => {
    const storage = tabStorage();
    storage.setItem('cairn-drafts', '{');
    expect(keptDrafts(() => storage, 'ada')).toEqual(NONE);
    const refused = () => {
      throw new Error('No storage is given.');
    };
    expect(keptDrafts(refused, 'ada')).toEqual(NONE);
    expect(keepDrafts(refused, 'ada', drafts)).toBe(false);
  });
});
