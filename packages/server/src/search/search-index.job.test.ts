import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { addTestRepository, commitInput, type TestRepository } from '../../../../test/support/repository.ts';
import { expectedDocuments, followSearch, indexedDocuments } from '../../../../test/support/search.ts';
import { openTestBlobs, startTestServer } from '../../../../test/support/server.ts';
import { ENGINES, preparedLocation } from '../../../../test/support/store.ts';
import type { Engine, StoreLocation } from '../engine/database.ts';
import { searchFile } from '../engine/sqlite/side-file.ts';
import { RESTORABLE_MS } from '../repository/repository.sql.ts';
import { sweep } from '../repository/sweep.job.ts';
import { openStore, type Store } from '../store.ts';
import { findDocuments, findSearchedThrough } from './search.sql.ts';
import { parseSearchWords } from './search-text.rule.ts';

interface Searched extends TestRepository {
  readonly location: StoreLocation;
}

async function open(location: StoreLocation): Promise<Store> {
  const store = await openStore(location);
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= store.close());
  onTestFinished(close);
  return { ...store, close };
}

async function createSearched(engine: Engine): Promise<Searched> {
  const location = await preparedLocation(engine);
  const repository = await addTestRepository(await open(location), 'acme');
  await repository.commit([{ kind: 'shape', name: 'Note', data: { fields: { 'text?': 'string', 'to?': 'wref' } } }]);
  return { ...repository, location };
}

const note = (name: string, text: string) => ({ name: `Note/${name}`, data: { text } });

const notes = (count: number, prefix = 'n') => Array.from({ length: count }, (_, n) => note(`${prefix}${n}`, 'common'));

async function find(store: Store, { grant }: TestRepository, query: string): Promise<number[]> {
  const search = { repoId: grant.repoId, words: parseSearchWords(query), level: 'any', limit: 10_000 } as const;
  return await findDocuments(store.database, search);
}

async function expectCurrent({ location, store, grant }: Searched, by: Store = store): Promise<void> {
  const { repoId } = grant;
  const [sequence] = await by.database.query('select repo_seq from repo_sequence where repo_id = $1', [repoId]);
  expect(await findSearchedThrough(by.database, repoId)).toBe(sequence?.repo_seq);
  expect(await indexedDocuments({ location, store: by, repoId })).toEqual(
    await expectedDocuments({ store: by, repoId }),
  );
}

async function takeSteps(store: Store, count: number): Promise<void> {
  for (let step = 0; step < count && (await store.followSearch()); step++);
}

describe.each(ENGINES)('the search index on %s', (engine) => {
  it('follows what is added, revised, renamed and retracted', async () => {
    const searched = await createSearched(engine);
    const { store, commit, grant } = searched;
    expect(await find(store, searched, 'cellar')).toEqual([]);
    expect(await findSearchedThrough(store.database, grant.repoId)).toBe(0);
    await commit([note('cellar', 'cold'), note('attic', 'over the cellar')]);
    await followSearch(store);
    await expectCurrent(searched);
    expect(await find(store, searched, 'cellar')).toHaveLength(2);
    await commit([{ operation: 'revise', ...note('attic', 'hot') }]);
    await commit([{ operation: 'rename', name: 'Note/cellar', newName: 'Note/cave' }]);
    await commit([{ operation: 'retract', name: 'Note/cave' }]);
    await followSearch(store);
    await expectCurrent(searched);
    expect(await find(store, searched, 'cellar')).toEqual([]);
    expect(await find(store, searched, 'cave cold')).toHaveLength(1);
    await followSearch(store);
    await expectCurrent(searched);
  });

  it('takes a large commit in steps, and says how far it has come', async () => {
    const searched = await createSearched(engine);
    const { store, commit, grant } = searched;
    await followSearch(store);
    await commit(notes(1_200));
    await commit([note('last', 'common')]);
    await takeSteps(store, 1);
    expect(await find(store, searched, 'common')).toHaveLength(500);
    expect(await findSearchedThrough(store.database, grant.repoId)).toBe(1);
    await followSearch(store);
    expect(await find(store, searched, 'common')).toHaveLength(1_201);
    await expectCurrent(searched);
  });

  it('takes large texts in steps too, and no more words than an engine can hold', async () => {
    const searched = await createSearched(engine);
    const { store, commit } = searched;
    await followSearch(store);
    const word = (n: number) => `${'語'.repeat(59)}${String(n).padStart(5, '0')}`;
    const large = Array.from({ length: 4_500 }, (_, n) => word(n)).join(' ');
    for (let n = 0; n < 6; n++) await commit([note(`large${n}`, large)]);
    await takeSteps(store, 1);
    expect((await find(store, searched, word(0))).length).toBeLessThan(6);
    await followSearch(store);
    expect(await find(store, searched, word(3_999))).toHaveLength(6);
    expect(await find(store, searched, word(4_000))).toEqual([]);
  });

  it('indexes all records of a shape anew when it is renamed, step by step', async () => {
    const searched = await createSearched(engine);
    const { store, commit, grant } = searched;
    await commit(notes(1_100));
    await followSearch(store);
    await commit([
      { operation: 'rename', name: 'Note', newName: 'Remark' },
      { operation: 'rename', name: 'Remark/n7', newName: 'Remark/seven' },
      { kind: 'shape', name: 'Other', data: { fields: {} } },
      { name: 'Other/one', data: {} },
    ]);
    await commit([{ operation: 'rename', name: 'Other', newName: 'Another' }]);
    await takeSteps(store, 2);
    expect((await find(store, searched, 'remark')).length).toBeGreaterThan(500);
    expect(await findSearchedThrough(store.database, grant.repoId)).toBe(2);
    await followSearch(store);
    expect(await find(store, searched, 'note')).toEqual([]);
    expect(await find(store, searched, 'remark')).toHaveLength(1_101);
    await expectCurrent(searched);
  });

  it('goes on where it was when the server was ended, on the way to the head and after it', async () => {
    const searched = await createSearched(engine);
    const { location, commit } = searched;
    await commit(notes(1_300));
    await takeSteps(searched.store, 1);
    await searched.store.close();
    const second = await open(location);
    await takeSteps(second, 1);
    expect(await findSearchedThrough(second.database, searched.grant.repoId)).toBe(0);
    expect(await find(second, searched, 'common')).toHaveLength(999);
    await followSearch(second);
    await expectCurrent(searched, second);
    await second.write.commit(commitInput(searched.grant, [{ operation: 'rename', name: 'Note', newName: 'Remark' }]));
    await takeSteps(second, 1);
    await second.close();
    const third = await open(location);
    await followSearch(third);
    await expectCurrent(searched, third);
    expect(await find(third, searched, 'remark')).toHaveLength(1_301);
  });

  it('is kept by two processes at once', async () => {
    const searched = await createSearched(engine);
    const { store, location } = searched;
    const other = await open(location);
    const far = await addTestRepository(other, 'far');
    const write = async (by: Store, prefix: string) => {
      for (let round = 0; round < 6; round++) {
        await by.write.commit(commitInput(searched.grant, notes(120, `${prefix}${round}x`)));
        await Promise.all([
          followSearch(by),
          far.commit([{ kind: 'shape', name: `${prefix}${round}`, data: { fields: {} } }]),
        ]);
      }
    };
    await Promise.all([write(store, 'a'), write(other, 'b')]);
    await Promise.all([followSearch(store), followSearch(other)]);
    await expectCurrent(searched);
    expect(await find(store, searched, 'common')).toHaveLength(1_440);
    await expectCurrent({ ...far, location });
  });

  it('is the same as one made in one go, whatever was committed and whenever it followed', async () => {
    const searched = await createSearched(engine);
    const { store, commit } = searched;
    const id = fc.integer({ min: 0, max: 5 });
    const word = fc.constantFrom('alpha', 'béta', 'Gamma', '温度');
    const operation = fc.oneof(
      fc.tuple(id, word).map(([n, text]) => ({ ...note(`r${n}`, text), skipExisting: true })),
      fc.tuple(id, word).map(([n, text]) => ({ operation: 'revise', ...note(`r${n}`, text) })),
      fc.tuple(id, id).map(([n, to]) => ({ operation: 'revise', name: `Note/r${n}`, data: { to: `Note/r${to}` } })),
      fc.tuple(id, id).map(([n, to]) => ({ operation: 'rename', name: `Note/r${n}`, newName: `Note/r${to}` })),
      id.map((n) => ({ operation: 'retract', name: `Note/r${n}` })),
    );
    const round = fc.record({ operations: fc.array(operation, { minLength: 1, maxLength: 6 }), follows: fc.boolean() });
    const property = fc.asyncProperty(fc.array(round, { maxLength: 8 }), async (rounds) => {
      for (const { operations, follows } of rounds) {
        await commit(operations, { atomic: false });
        if (follows) await followSearch(store);
      }
      await followSearch(store);
      await expectCurrent(searched);
    });
    await fc.assert(property, { numRuns: 15 });
  });

  it('forgets repositories that were removed for good, and no others', async () => {
    const searched = await createSearched(engine);
    const { store, commit, location } = searched;
    const kept = await addTestRepository(store, 'kept');
    await kept.commit([{ kind: 'shape', name: 'Kept', data: { fields: {} } }]);
    for (let part = 0; part < 3; part++) await commit(notes(900, `p${part}x`));
    await followSearch(store);
    const now = Date.now();
    await store.write.deleteRepository({ grant: searched.grant, now });
    await followSearch(store);
    await expectCurrent(searched);
    await sweep({ store, blobs: openTestBlobs() }, now + RESTORABLE_MS);
    await store.close();
    const again = await open(location);
    await followSearch(again);
    expect(await indexedDocuments({ location, store: again, repoId: searched.grant.repoId })).toEqual({});
    expect(await again.database.search.query('select repo_id from search_state')).toEqual([
      { repo_id: kept.grant.repoId },
    ]);
    await expectCurrent({ ...kept, location }, again);
  });

  it('is kept by a running server, and catches up with a bulk load', async () => {
    const { store } = await startTestServer(engine);
    const repository = await addTestRepository(store, 'acme');
    await repository.commit([{ kind: 'shape', name: 'Note', data: { fields: { text: 'string' } } }]);
    const result = [];
    for (let part = 0; part < 4; part++) result.push(await repository.commit(notes(1_000, `p${part}x`)));
    const through = () => findSearchedThrough(store.database, repository.grant.repoId);
    await expect.poll(through).toBe(result.at(-1)?.repoSeq);
    expect(await find(store, repository, 'common')).toHaveLength(4_000);
  });
});

describe('the search index on sqlite', () => {
  async function filled() {
    const searched = await createSearched('sqlite');
    if (searched.location.engine !== 'sqlite') throw new Error('asked for sqlite');
    await searched.commit(notes(700));
    await followSearch(searched.store);
    return { ...searched, file: searchFile(searched.location.file) };
  }

  function remove(file: string): void {
    for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
  }

  it.each([
    ['is lost', (file: string) => remove(file)],
    ['is lost, and its log is not', (file: string) => rmSync(file)],
    [
      'is no database',
      (file: string) => writeFileSync(file, 'this is no database, and longer than a header. '.repeat(200)),
    ],
    ['is of another version', (file: string) => changeVersion(file)],
  ])('is made anew when the file %s', async (_, damage) => {
    const searched = await filled();
    await searched.store.close();
    damage(searched.file);
    const store = await open(searched.location);
    await followSearch(store);
    await expectCurrent(searched, store);
    expect(await find(store, searched, 'common')).toHaveLength(700);
  });

  function changeVersion(file: string): void {
    const database = new DatabaseSync(file);
    database.exec('pragma user_version = 999');
    database.close();
  }

  it('is made anew when the file is lost while the server runs', async () => {
    const searched = await filled();
    const { store, file } = searched;
    expect(await find(store, searched, 'common')).toHaveLength(700);
    remove(file);
    expect(await find(store, searched, 'common')).toEqual([]);
    await followSearch(store);
    expect(await find(store, searched, 'common')).toHaveLength(700);
    await expectCurrent(searched);
  });

  it('is made anew when a search finds it damaged', async () => {
    const searched = await filled();
    await searched.store.close();
    const bytes = readFileSync(searched.file);
    bytes.fill(0xff, 2 * 4_096);
    writeFileSync(searched.file, bytes);
    const store = await open(searched.location);
    await expect(find(store, searched, 'common')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(await find(store, searched, 'common')).toEqual([]);
    await followSearch(store);
    expect(await find(store, searched, 'common')).toHaveLength(700);
  });

  it('is made anew when a step finds it damaged', async () => {
    const searched = await filled();
    await searched.store.close();
    const bytes = readFileSync(searched.file);
    bytes.fill(0xff, 2 * 4_096);
    writeFileSync(searched.file, bytes);
    const store = await open(searched.location);
    await expect(followSearch(store)).rejects.toThrow(/malformed|not a database/);
    await followSearch(store);
    await expectCurrent(searched, store);
  });

  it('begins anew when the database was restored to an earlier state, and other commits followed', async () => {
    const searched = await createSearched('sqlite');
    const { location } = searched;
    if (location.engine !== 'sqlite') throw new Error('asked for sqlite');
    await searched.commit([note('one', 'first')]);
    await followSearch(searched.store);
    await searched.store.close();
    copyFileSync(location.file, `${location.file}-backup`);
    const second = await open(location);
    await second.write.commit(commitInput(searched.grant, [note('two', 'forgotten')]));
    await followSearch(second);
    await second.close();
    copyFileSync(`${location.file}-backup`, location.file);
    const third = await open(location);
    await third.write.commit(commitInput(searched.grant, [note('other', 'restored')]));
    await third.write.commit(commitInput(searched.grant, [note('more', 'restored')]));
    await followSearch(third);
    await expectCurrent(searched, third);
    expect(await find(third, searched, 'forgotten')).toEqual([]);
    expect(await find(third, searched, 'restored')).toHaveLength(2);
  });

  it('is one whole file after the store was closed', async () => {
    const { store, file, grant } = await filled();
    await findSearchedThrough(store.database, grant.repoId);
    await store.close();
    expect(readdirSync(dirname(file))).toEqual(['cairn.db', 'search.db', 'usage.db']);
  });
});
