// Imports end to end: a restored repository reads and exports like the original.

import type { ProcedureName } from '@cairn/protocol/procedure-kinds';
import type { ProcedureInput } from '@cairn/protocol/procedures';
import { beforeEach, describe, expect, it } from 'vitest';
import { grantOn } from '../../../../test/support/grant.ts';
import { importFile, rowsOf, withoutIdentity, withoutIdentityIn } from '../../../../test/support/import/file.ts';
import {
  COPY,
  createImportWorld,
  fillWorld,
  type ImportWorld,
  OTHER,
  WORLD,
} from '../../../../test/support/import/world.ts';
import { caller } from '../../../../test/support/procedure.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import { SUBSCRIPTION_FORM } from '../../../../test/support/subscription.ts';
import { buildIndexes } from '../shape/index-build.job.ts';

type Address = typeof WORLD;

describe.each(UPPER_ENGINES)('an import on %s', (engine) => {
  let world: ImportWorld;

  beforeEach(async () => {
    world = await createImportWorld(engine);
    await fillWorld(world);
  });

  const read = async <Name extends ProcedureName>(
    name: Name,
    at: Address,
    input: Omit<ProcedureInput<Name>, 'orgName' | 'repoName'>,
  ) => (await world.session(name, { ...at, ...input } as ProcedureInput<Name>)).data();

  async function expectSame<Name extends ProcedureName>(
    name: Name,
    input: Omit<ProcedureInput<Name>, 'orgName' | 'repoName'>,
  ): Promise<void> {
    const [original, copy] = [await read(name, WORLD, input), await read(name, COPY, input)];
    const plain = (answer: unknown) =>
      JSON.parse(
        withoutIdentityIn(JSON.stringify(answer))
          .replaceAll('"imported":true,', '')
          .replaceAll(/,?"nextCursor":"[^"]*"/g, '')
          .replaceAll(/"(record|version)CreatedAt":\d+/g, '"at":0'),
      );
    expect(plain(copy)).toEqual(plain(original));
  }

  it('fires no subscription: what it brings happened elsewhere', async () => {
    const { store, session } = world;
    (await session('repo.get', COPY)).data();
    const grant = await grantOn(store, COPY);
    await store.write.createSubscription({
      ...SUBSCRIPTION_FORM,
      home: { homeId: grant.repoId, grant },
      name: 'all',
    });
    await importFile(session, COPY, await world.exported(), { rows: 1_000 });
    expect(await store.database.query('select run_id from run')).toEqual([]);
  });

  it.each([1, 3, 1_000])('gives back what was exported, row by row, %s rows at a time', async (rows) => {
    const file = await world.exported();
    const finished = await importFile(world.session, COPY, file, { rows });
    expect(finished).toMatchObject({ repoSeq: file.header.atRepoSeq, recordCount: file.lines.length });
    const again = await world.exported(COPY);
    expect(withoutIdentity(again)).toEqual(withoutIdentity(file));
    expect(again.header).toMatchObject({ atRepoSeq: file.header.atRepoSeq, commitId: finished.commitId });
    expect((await world.session('repo.get', COPY)).data()).toMatchObject({
      repoSeq: file.header.atRepoSeq,
      importedRepoSeq: file.header.atRepoSeq,
    });
  });

  it('gives back what a copy of a copy holds', async () => {
    await importFile(world.session, COPY, await world.exported());
    await world.commit([{ operation: 'revise', name: 'Room/a', data: { size: 11 } }], { at: COPY });
    const file = await world.exported(COPY);
    (await world.session('repo.create', { orgName: 'ada', name: 'third' })).data();
    const third = { orgName: 'ada', repoName: 'third' };
    await importFile(world.session, third, file);
    expect(withoutIdentity(await world.exported(third))).toEqual(withoutIdentity(file));
  });

  it('takes an export of nothing', async () => {
    const third = { orgName: 'ada', repoName: 'third' };
    (await world.session('repo.create', { orgName: 'ada', name: 'third' })).data();
    const file = await world.exported(third);
    expect(await importFile(world.session, COPY, file)).toMatchObject({ repoSeq: 0, recordCount: 0 });
    const { importing, importedRepoSeq, repoSeq } = (await world.session('repo.get', COPY)).data();
    expect([importing, importedRepoSeq, repoSeq]).toEqual([undefined, undefined, 0]);
    expect(await world.commit([{ kind: 'shape', name: 'New', data: { fields: {} } }], { at: COPY })).toBe(1);
  });

  it('reads as the original does, by every read', async () => {
    const { header } = await world.exported();
    await importFile(world.session, COPY, await world.exported(), { rows: 4 });
    await buildIndexes(world.store);
    const seq = header.atRepoSeq;
    for (const order of ['created', '-created', 'updated', '-updated', 'name'] as const) {
      await expectSame('thing.head', { order, includeRetracted: true });
      await expectSame('thing.head', { order, limit: 3 });
      await expectSame('thing.query', { order, shape: 'Room', where: ['size:gte:2'] });
    }
    for (const where of ['hue:eq:red', 'size:eq:10', 'next:eq:Room/bee', 'next:eq:Room/a', 'next:exists:true']) {
      await expectSame('thing.query', { shape: 'Room', where: [where], includeRetracted: true });
    }
    for (const wref of ['Room/a', 'Room/bee', 'Room/d', 'Belief/x', 'Belief/far', 'Arc/ab', 'Room']) {
      await expectSame('thing.get', { wref });
      await expectSame('thing.about', { wref, resolveCollections: true, depth: 2 });
      await expectSame('thing.refs', { wref, direction: 'both' });
      await expectSame('thing.refs', { wref, direction: 'in', acrossRepos: false });
      await expectSame('thing.graph', { wref, depth: 2 });
    }
    await expectSame('thing.get', { wref: 'Room/c', includeRetracted: true });
    await expectSame('shape.list', { includeRetracted: true });
    await expectSame('shape.history', { name: 'Room' });
    await expectSame('thing.count', {});
    await expectSame('thing.changes', { sinceRepoSeq: seq });
    await expectSame('thing.diff', { wref: 'Room/a', sinceRepoSeq: seq });
    const [original, copy] = [await read('repo.describe', WORLD, {}), await read('repo.describe', COPY, {})];
    expect(copy).toEqual({ ...original, repository: copy.repository });
    const { lastCommitAt: _, ...stats } = await read('repo.stats', WORLD, {});
    expect(await read('repo.stats', COPY, {})).toMatchObject(stats);
  });

  it('is written to as any repository is, and reads at its passed sequences', async () => {
    const { header } = await world.exported();
    await importFile(world.session, COPY, await world.exported());
    await buildIndexes(world.store);
    for (const at of [WORLD, COPY]) {
      await world.commit([{ operation: 'revise', name: 'Room/a', data: { size: 12, next: 'Room/d' } }], { at });
      await world.commit([{ operation: 'retract', name: 'Room/d' }], { at });
      await world.commit(
        [
          { operation: 'rename', name: 'Room/bee', newName: 'Room/b' },
          { name: 'Room/e', data: { size: 12 } },
        ],
        { at },
      );
    }
    const seq = header.atRepoSeq;
    for (const atRepoSeq of [seq, seq + 1, seq + 2, seq + 3]) {
      for (const order of ['created', 'updated', '-updated', 'name'] as const) {
        await expectSame('thing.head', { order, atRepoSeq });
      }
      await expectSame('thing.query', { shape: 'Room', where: ['size:eq:12'], atRepoSeq });
    }
    const changed = await read('thing.changes', COPY, { sinceRepoSeq: seq });
    expect(changed.items.map(({ name, change }) => [name, change])).toEqual([
      ['Room/a', 'revised'],
      ['Room/d', 'retracted'],
      ['Room/b', 'renamed'],
      ['Room/e', 'added'],
    ]);
    const { items } = await read('thing.history', COPY, { wref: 'Room/a' });
    expect(items.map(({ version, imported }) => [version, imported])).toEqual([
      [3, undefined],
      [2, true],
    ]);
    const names = await read('thing.names', COPY, { wref: 'Room/b' });
    expect(names.items.map(({ name, repoSeq, imported }) => [name, repoSeq, imported])).toEqual([
      ['Room/bee', seq, true],
      ['Room/b', seq + 3, undefined],
    ]);
  });

  it('knows a collection without a name when it is added again', async () => {
    const members = ['Room/a', 'Agent/bot', 'wh:ada/other/Far/away'];
    const add = async (at: Address) => {
      const operations = [{ kind: 'collection', type: 'set', members }];
      const [result] = (await world.session('commit.submit', { ...at, operations })).data().operations;
      return [result?.status, result?.name];
    };
    const [, name] = await add(WORLD);
    expect(await add(WORLD)).toEqual(['noop', name]);
    await importFile(world.session, COPY, await world.exported());
    expect(await add(COPY)).toEqual(['noop', name]);
  });

  it('says of what it holds that it was imported, and from where', async () => {
    const file = await world.exported();
    const { commitId } = await importFile(world.session, COPY, file);
    const seq = file.header.atRepoSeq;
    await world.commit([{ name: 'Room/new', data: {} }], { at: COPY });
    const [first, last] = (await read('commit.log', COPY, {})).items;
    expect(first).toMatchObject({ repoSeq: seq + 1 });
    expect(first).not.toHaveProperty('imported');
    const import_ = { repoSeq: seq, commitId, imported: true, operationCount: file.recordCount, createdBy: 'user:ada' };
    expect(last).toMatchObject({ ...import_, message: `Imported from ada/world at sequence ${seq}` });
    expect(await read('commit.get', COPY, { repoSeq: seq })).toEqual({ ...last, operations: [] });
    expect((await read('commit.log', COPY, { limit: 1 })).nextCursor).toBeDefined();
    expect(await read('thing.get', COPY, { wref: 'Room/a' })).toMatchObject({ imported: true, createdBy: 'user:ada' });
    expect(await read('thing.get', COPY, { wref: 'Room/new' })).not.toHaveProperty('imported');
  });

  it('refuses to be read before the sequence that was imported', async () => {
    const file = await world.exported();
    await importFile(world.session, COPY, file);
    const seq = file.header.atRepoSeq;
    const before = { ...COPY, atRepoSeq: seq - 1 };
    const { session } = world;
    const answers = [
      await session('thing.head', before),
      await session('thing.query', before),
      await session('thing.get', { ...before, wref: 'Room/a' }),
      await session('thing.getMany', { ...before, wrefs: ['Room/a'] }),
      await session('thing.history', { ...before, wref: 'Room/a' }),
      await session('thing.names', { ...before, wref: 'Room/a' }),
      await session('thing.about', { ...before, wref: 'Room/a' }),
      await session('thing.refs', { ...before, wref: 'Room/a' }),
      await session('thing.graph', { ...before, wref: 'Room/a' }),
      await session('shape.list', before),
      await session('repo.stats', before),
      await session('repo.describe', before),
      await session('thing.changes', { ...COPY, sinceRepoSeq: seq - 1 }),
      await session('thing.diff', { ...COPY, wref: 'Room/a', sinceRepoSeq: seq - 1 }),
      await session('commit.get', { ...COPY, repoSeq: seq - 1 }),
    ];
    for (const { code, message } of answers) {
      expect(code).toBe('VALIDATION_ERROR');
      expect(message).toMatch(new RegExp(`(atRepoSeq|sinceRepoSeq|repoSeq): .*imported at sequence ${seq}`));
    }
    for (const query of [`?atRepoSeq=${seq - 1}`, `?sinceRepoSeq=${seq - 1}`]) {
      await expect(world.exported(COPY, query)).rejects.toThrow('export-seq-unavailable');
    }
    expect((await world.exported(COPY, `?sinceRepoSeq=${seq}`)).lines).toEqual([]);
  });

  it('says of a version that it does not hold where it is', async () => {
    await importFile(world.session, COPY, await world.exported());
    const missing = await world.session('thing.get', { ...COPY, wref: 'Room/a@v1' });
    expect(missing.status).toBe(404);
    expect(missing.body).toContain('Only the original');
    expect(await read('thing.get', COPY, { wref: 'Room/a@v2' })).toMatchObject({ version: 2 });
    expect(await read('thing.get', COPY, { wref: 'Room@v1' })).toMatchObject({ version: 1 });
  });

  it('is found by words', async () => {
    await importFile(world.session, COPY, await world.exported());
    const found = async () => {
      while (await world.store.followSearch());
      const answer = await read('thing.search', COPY, { q: 'far' });
      return [answer.searchedThrough, answer.items.map(({ name }) => name)];
    };
    const seq = (await world.session('repo.get', COPY)).data().repoSeq;
    await expect.poll(found).toEqual([seq, ['Belief/far']]);
    await world.commit([{ operation: 'rename', kind: 'shape', name: 'Belief', newName: 'Farce' }], { at: COPY });
    await expect.poll(found).toEqual([seq + 1, ['Farce/far']]);
  });

  describe('of references to other repositories', () => {
    const rowIn = async (name: string) => rowsOf(await world.exported(COPY)).find((row) => row.name === name);

    it('keeps those that the importer may read', async () => {
      await importFile(world.session, COPY, await world.exported());
      const far = (await read('thing.get', OTHER, { wref: 'Far/away' })).durableId;
      expect((await rowIn('Room/c'))?.refs).toEqual([['/next', `${far}@v1`]]);
      expect((await rowIn('Belief/far'))?.aboutDurableId).toBe(`${far}@v1`);
      const about = await read('thing.about', OTHER, { wref: 'Far/away', acrossRepos: true });
      expect('items' in about && about.items.map(({ wref }) => wref).sort()).toEqual([
        'wh:ada/copy/Belief/far',
        'wh:ada/world/Belief/far',
      ]);
    });

    it.each(['it is of another server', 'the target is gone'])('keeps the text alone where %s', async (why) => {
      const file = await world.exported();
      if (why === 'the target is gone') await world.session('repo.delete', OTHER);
      const server = why === 'the target is gone' ? file.header.server : 'another';
      await importFile(world.session, COPY, { ...file, header: { ...file.header, server } });
      const [room, claim] = [await rowIn('Room/c'), await rowIn('Belief/far')];
      expect(room).toMatchObject({ data: { next: 'wh:ada/other/Far/away@v1' } });
      expect(room).not.toHaveProperty('refs');
      expect(claim).toMatchObject({ aboutWref: 'wh:ada/other/Far/away@v1' });
      expect(claim).not.toHaveProperty('aboutDurableId');
      const item = await read('thing.get', COPY, { wref: 'Belief/far' });
      expect(item).toMatchObject({ kind: 'assertion', aboutWref: 'wh:ada/other/Far/away@v1' });
      expect(item).not.toHaveProperty('aboutDurableId');
      expect((await read('thing.refs', COPY, { wref: 'Belief/far', direction: 'out' })).items).toEqual([]);
      expect((await rowIn('Belief/x'))?.refs).toHaveLength(1);
    });

    it('keeps the text alone where the importer may not read', async () => {
      const file = await world.exported();
      const permissions = ['repo:admin' as const, 'repo:write' as const];
      const scopes = [{ resource: 'ada/copy', permissions }];
      const { token } = (await world.session('token.create', { name: 'importer', scopes })).data();
      await importFile(caller(world.app, token), COPY, file);
      expect(await rowIn('Room/c')).not.toHaveProperty('refs');
    });
  });
});
