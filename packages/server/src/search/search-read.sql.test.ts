import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addTestRepository, createTestRepository, type TestRepository } from '../../../../test/support/repository.ts';
import { followSearch } from '../../../../test/support/search.ts';
import { ENGINES } from '../../../../test/support/store.ts';
import type { Engine } from '../engine/database.ts';
import { findDocuments, type SearchLevel } from './search.sql.ts';
import type { SearchWord } from './search-text.rule.ts';
import { isSearched, parseSearchWords, toSearchDocument } from './search-text.rule.ts';

const LEVELS = ['name', 'text', 'any'] as const satisfies SearchLevel[];

const SHAPE = { kind: 'shape', name: 'Note', data: { fields: { 'text?': 'string', 'to?': 'wref' } } };

async function createNotes(engine: Engine): Promise<TestRepository> {
  const repository = await createTestRepository(engine);
  await repository.commit([SHAPE]);
  return repository;
}

interface Asked {
  readonly level?: SearchLevel;
  readonly before?: number;
  readonly limit?: number;
}

async function find({ store, grant }: TestRepository, query: string, asked: Asked = {}): Promise<number[]> {
  const words = parseSearchWords(query);
  return await findDocuments(store.database, { repoId: grant.repoId, words, level: 'any', limit: 100, ...asked });
}

describe.each(ENGINES)('a search on %s', (engine) => {
  it('finds records by where the words stand, the newest first', async () => {
    const notes = await createNotes(engine);
    await notes.commit([
      { name: 'Note/red-cellar', data: { text: 'old' } },
      { name: 'Note/attic', data: { text: 'over the red cellar' } },
      { name: 'Note/cellar', data: { text: 'Red' } },
      { name: 'Note/cellar-red', data: {} },
      { name: 'Note/redder', data: { text: 'cellars' } },
    ]);
    await followSearch(notes.store);
    expect(await find(notes, 'red cellar')).toEqual([5, 4, 3, 2]);
    expect(await find(notes, 'red cellar', { level: 'name' })).toEqual([5, 2]);
    expect(await find(notes, 'red cellar', { level: 'text' })).toEqual([4, 3]);
    expect(await find(notes, 'red* cellar*', { level: 'text' })).toEqual([6, 4, 3]);
    expect(await find(notes, 'réd*', { level: 'name' })).toEqual([6, 5, 2]);
    expect(await find(notes, 'red cellar', { limit: 2 })).toEqual([5, 4]);
    expect(await find(notes, 'red cellar', { before: 4 })).toEqual([3, 2]);
    expect(await find(notes, 'blue cellar')).toEqual([]);
  });

  it('finds the first and the last of many, page after page', async () => {
    const notes = await createNotes(engine);
    const words = (n: number) => `common ${n % 50 === 0 ? 'seldom' : ''} ${n === 0 ? 'once' : ''}`;
    const all = Array.from({ length: 2_600 }, (_, n) => ({ name: `Note/n${n}`, data: { text: words(n) } }));
    await notes.commit(all);
    await followSearch(notes.store);
    expect(await find(notes, 'once')).toEqual([2]);
    const ids = all.map((_, n) => n + 2).reverse();
    for (const [query, expected] of [
      ['common', ids],
      ['common seldom', ids.filter((id) => (id - 2) % 50 === 0)],
      ['n2*', ids.filter((id) => String(id - 2).startsWith('2'))],
    ] as const) {
      const found: number[] = [];
      for (let before: number | undefined; ; before = found.at(-1)) {
        const page = await find(notes, query, { limit: 300, ...(before !== undefined && { before }) });
        found.push(...page);
        if (page.length < 300) break;
      }
      expect(found).toEqual(expected);
    }
  });

  it('finds shapes, and nothing by a key or by what a record refers to', async () => {
    const notes = await createNotes(engine);
    await notes.commit([
      { name: 'Note/target', data: {} },
      { name: 'Note/pointer', data: { to: 'Note/target', text: 'here' } },
    ]);
    await followSearch(notes.store);
    expect(await find(notes, 'note', { level: 'name' })).toEqual([3, 2, 1]);
    expect(await find(notes, 'target')).toEqual([2]);
    expect(await find(notes, 'text')).toEqual([]);
    expect(await find(notes, 'here')).toEqual([3]);
  });

  it('never finds what is in another repository, whatever its number', async () => {
    const first = await createNotes(engine);
    const others: TestRepository[] = [];
    for (let n = 0; n < 11; n++) others.push(await addTestRepository(first.store, `other${n}`));
    for (const other of others) await other.commit([SHAPE, { name: 'Note/secret', data: { text: 'n1 z1 1' } }]);
    await followSearch(first.store);
    expect(first.grant.repoId).toBe(1);
    expect(others.map(({ grant }) => grant.repoId)).toContain(11);
    for (const query of ['secret', '1*', 'n1', 'z*', '1zsecret', '0*']) expect(await find(first, query)).toEqual([]);
    for (const other of others) expect(await find(other, 'secret')).toEqual([2]);
  });

  it('finds what a naive reading would, whatever the letters', async () => {
    const notes = await createNotes(engine);
    const word = fc.oneof(
      fc.constantFrom(
        'a',
        'ab',
        'abc',
        'b',
        'Ärger',
        'ÄRGERLICH',
        'οδός',
        '温度',
        '温度計',
        '𠮷野',
        "it's",
        'and',
        'NOT',
        '0',
      ),
      fc.string({ unit: 'grapheme', maxLength: 6 }),
    );
    const texts = fc.array(fc.array(word, { maxLength: 4 }), { minLength: 1, maxLength: 12 });
    const query = fc.array(fc.tuple(word, fc.boolean()), { minLength: 1, maxLength: 3 });
    let named = 0;
    const known: { id: number; name: string; text: string }[] = [{ id: 1, name: 'Note', text: 'string wref' }];
    const property = fc.asyncProperty(texts, fc.array(query, { maxLength: 8 }), async (added, queries) => {
      const operations = added.map((words) => {
        const inName = words.slice(0, 2).filter((some) => /^[\p{L}\p{N}]+$/u.test(some));
        return { name: `Note/${['x', ++named, ...inName].join('-')}`, data: { text: words.slice(1).join(' ') } };
      });
      await notes.commit(operations);
      for (const { name, data } of operations) known.push({ id: known.length + 1, name, text: data.text });
      await followSearch(notes.store);
      for (const asked of queries) {
        const text = asked.map(([some, prefix]) => `${some}${prefix ? '*' : ''}`).join(' ');
        if (!/[\p{L}\p{N}]/u.test(text.normalize('NFKD'))) continue;
        for (const level of LEVELS) {
          expect(await find(notes, text, { level, limit: 10_000 })).toEqual(
            naive(known, parseSearchWords(text), level),
          );
        }
      }
    });
    await fc.assert(property, { numRuns: 20 });
  });
});

function naive(known: readonly { id: number; name: string; text: string }[], words: SearchWord[], level: SearchLevel) {
  const found = known.filter(({ name, text }) => {
    const document = toSearchDocument({ name, data: text, referencePaths: new Set() });
    const holds = (set: Iterable<string>) => words.every((word) => [...set].some((some) => isSearched([word], some)));
    const [inName, anywhere] = [holds(document.name), holds([...document.name, ...document.text])];
    if (level === 'any') return anywhere;
    return level === 'name' ? inName : anywhere && !inName;
  });
  return found.map(({ id }) => id).sort((a, b) => b - a);
}
