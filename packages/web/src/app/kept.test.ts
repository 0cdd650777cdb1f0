import { describe, expect, it } from 'vitest';
import type { Change } from '../features/change/change.ts';
import { type Entries, keep, keptAt, movedAlong, type StorageKey } from './kept.ts';

type Drafts = Entries<readonly Change[]>;

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

const place = (open: StorageKey['open'], who: string): StorageKey => ({ open, key: 'cairn-drafts', who });
const at = (storage: ReturnType<StorageKey['open']>, who: string): StorageKey => place(() => storage, who);

describe('drafts in a tab', () => {
  it('are there again for who wrote them, until there are none', () => {
    const storage = tabStorage();
    expect(keep(at(storage, 'ada'), drafts)).toBe(true);
    expect(keptAt(at(storage, 'ada'))).toEqual(drafts);
    expect(keep(at(storage, 'ada'), NONE)).toBe(true);
    expect(storage.items.size).toBe(0);
  });

  it('are gone for anybody else', () => {
    const storage = tabStorage();
    keep(at(storage, 'ada'), drafts);
    expect(keptAt(at(storage, ''))).toEqual(NONE);
    expect(storage.items.size).toBe(0);
  });

  it('are not kept where there is no room, and neither is what was before', () => {
    const storage = tabStorage(200);
    keep(at(storage, 'ada'), drafts);
    const large: Drafts = new Map([
      ['ada/world', [{ step: 'add', kind: 'thing', name: 'A/a', data: 'x'.repeat(200) }]],
    ]);
    expect(keep(at(storage, 'ada'), large)).toBe(false);
    expect(keptAt(at(storage, 'ada'))).toEqual(NONE);
  });

  it('are none where what is kept cannot be read', () => {
    const storage = tabStorage();
    storage.setItem('cairn-drafts', '{');
    expect(keptAt(at(storage, 'ada'))).toEqual(NONE);
    const refused = () => {
      throw new Error('No storage is given.');
    };
    expect(keptAt(place(refused, 'ada'))).toEqual(NONE);
    expect(keep(place(refused, 'ada'), drafts)).toBe(false);
  });
});

describe('what is begun in a repository', () => {
  const begun = new Map([
    ['ada/world', 1],
    ['ada/world new', 2],
    ['ada/worlds', 3],
    ['adam/world', 4],
  ]);

  it.each([
    ['ada/world', 'ada/caves', ['ada/caves', 'ada/caves new', 'ada/worlds', 'adam/world']],
    ['ada', 'acme', ['acme/world', 'acme/world new', 'acme/worlds', 'adam/world']],
    ['bea', 'acme', ['ada/world', 'ada/world new', 'ada/worlds', 'adam/world']],
  ])('goes along from %s to %s', (from, to, names) => {
    expect([...movedAlong(begun, { from, to }).keys()]).toEqual(names);
  });
});
