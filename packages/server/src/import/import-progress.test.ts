// Interrupted, aborted and concurrent imports, of which others see nothing.

import { formatDurableId, parseDurableId } from '@cairn/model/wref';
import type { ProcedureName } from '@cairn/protocol/procedure-kinds';
import type { ProcedureInput } from '@cairn/protocol/procedures';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { grantOn } from '../../../../test/support/grant.ts';
import {
  type ExportFile,
  finish,
  headerOf,
  importFile,
  lineOf,
  thingLine,
  withoutIdentity,
} from '../../../../test/support/import/file.ts';
import {
  COPY,
  createImportWorld,
  fillWorld,
  type ImportWorld,
  OTHER,
  WORLD,
} from '../../../../test/support/import/world.ts';
import { caller } from '../../../../test/support/procedure.ts';
import { addTestRepository, commitInput } from '../../../../test/support/repository.ts';
import { preparedLocation, UPPER_ENGINES } from '../../../../test/support/store.ts';
import { REPOSITORY_TABLES } from '../repository/repository-removal.sql.ts';
import { buildIndexes } from '../shape/index-build.job.ts';
import { openStore, type Store } from '../store.ts';

async function rowCounts({ database }: Store, repoId: number): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { name, owner, where = 'true' } of REPOSITORY_TABLES) {
    const sql = `select count(*) as n from ${name} where ${owner} = $1 and ${where}`;
    const [row] = await database.query<{ n: number }>(sql, [repoId]);
    counts[`${name} ${owner}`] = row?.n ?? -1;
  }
  return counts;
}

describe.each(UPPER_ENGINES)('an import under way on %s', (engine) => {
  let world: ImportWorld;
  let file: ExportFile;

  beforeEach(async () => {
    world = await createImportWorld(engine);
    await fillWorld(world);
    file = await world.exported();
  });

  const begin = async (call = world.session) => (await call('import.begin', { ...COPY, header: file.header })).data();
  const append = async (importId: string, offset: number, rows = 4) =>
    await world.session('import.append', {
      ...COPY,
      importId,
      offset,
      lines: file.lines.slice(offset, offset + rows).join('\n'),
    });
  const repoIdOf = async (address: typeof COPY) => (await grantOn(world.store, address)).repoId;

  async function appendAll(): Promise<string> {
    const { importId } = await begin();
    for (let offset = 0; offset < file.lines.length; offset += 4) (await append(importId, offset)).data();
    return importId;
  }

  it('goes on where it was cut', async () => {
    const { importId } = await begin();
    (await append(importId, 0)).data();
    expect((await append(importId, 0)).status).toBe(409);
    expect(await begin()).toEqual({ importId, offset: 4 });
    await importFile(world.session, COPY, file, { rows: 3 });
    expect(withoutIdentity(await world.exported(COPY))).toEqual(withoutIdentity(file));
  });

  it('is one, whoever begins it at once', async () => {
    const begun = await Promise.all([begin(), begin(), begin()]);
    expect(new Set(begun.map(({ importId }) => importId)).size).toBe(1);
  });

  it('takes each row once, however many send it at once', async () => {
    const { importId } = await begin();
    const answers = await Promise.all([append(importId, 0), append(importId, 0), append(importId, 0)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    await importFile(world.session, COPY, file);
    const done = { importId, recordCount: file.recordCount };
    const finished = await Promise.all([finish(world.session, COPY, done), finish(world.session, COPY, done)]);
    expect(finished[0]).toEqual(finished[1]);
    expect(withoutIdentity(await world.exported(COPY))).toEqual(withoutIdentity(file));
  });

  it('takes no commits, and tells who tries one why', async () => {
    const importId = await appendAll();
    const operations = [{ kind: 'shape', name: 'Mine', data: { fields: {} } }];
    for (const procedure of ['commit.submit', 'commit.validate'] as const) {
      const refused = await world.session(procedure, { ...COPY, operations });
      expect([refused.status, refused.message]).toEqual([
        409,
        expect.stringContaining('Finish the import, or abort it'),
      ]);
    }
    await finish(world.session, COPY, { importId, recordCount: file.recordCount });
    expect(await world.commit(operations, { at: COPY })).toBe(file.header.atRepoSeq + 1);
  });

  it('is cleared away when it is given up, at any step', async () => {
    const repoId = await repoIdOf(COPY);
    const before = await rowCounts(world.store, repoId);
    const grant = await grantOn(world.store, COPY);
    for (let steps = 0; steps <= 6; steps++) {
      const importId = await appendAll();
      for (let step = 0; step < steps; step++) {
        await world.store.write.finishImport({ grant, importId, recordCount: file.recordCount });
        if (step === 4) await buildIndexes(world.store);
      }
      const state = (await world.session('repo.get', COPY)).data();
      if (state.importedRepoSeq !== undefined) break;
      expect(state).toMatchObject({ importing: true });
      expect(await world.store.write.abortImport({ grant, importId, rowsMax: 3 })).toBe(false);
      expect((await append(importId, file.lines.length)).status).toBe(409);
      expect((await world.session('import.begin', { ...COPY, header: file.header })).status).toBe(409);
      const end = { type: 'end', recordCount: file.recordCount } as const;
      expect((await world.session('import.finish', { ...COPY, importId, end })).status).toBe(409);
      expect((await world.session('import.abort', { ...COPY, importId })).data()).toEqual({ done: true });
      expect((await world.session('import.abort', { ...COPY, importId })).data()).toEqual({ done: true });
      expect(await rowCounts(world.store, repoId)).toEqual(before);
      expect((await world.session('repo.get', COPY)).data()).not.toHaveProperty('importing');
    }
    expect(withoutIdentity(await world.exported(COPY))).toEqual(withoutIdentity(file));
  });

  it('can be deleted with its repository, restored with it, and go on', async () => {
    const importId = await appendAll();
    (await world.session('repo.delete', COPY)).data();
    expect((await append(importId, file.lines.length)).status).toBe(404);
    (await world.session('repo.restore', COPY)).data();
    await finish(world.session, COPY, { importId, recordCount: file.recordCount });
    expect(withoutIdentity(await world.exported(COPY))).toEqual(withoutIdentity(file));
  });

  it('needs repo:admin and repo:write', async () => {
    for (const permission of ['repo:admin', 'repo:write'] as const) {
      const scopes = [{ resource: 'ada/copy', permissions: [permission, 'repo:read' as const] }];
      const { token } = (await world.session('token.create', { name: permission.replace(':', '-'), scopes })).data();
      const refused = await caller(world.app, token)('import.begin', { ...COPY, header: file.header });
      expect(refused.status).toBe(403);
    }
  });

  it('is seen by nobody before it is whole', async () => {
    const { session } = world;
    await session('repo.setVisibility', { ...COPY, visibility: 'public' });
    const importId = await appendAll();
    const grant = await grantOn(world.store, COPY);
    for (;;) {
      const step = await world.store.write.finishImport({ grant, importId, recordCount: file.recordCount });
      const [row] = await world.store.database.query<{ step: string }>('select step from import');
      expect(step.state).toBe('checking');
      if (row?.step === 'show') break;
    }
    await buildIndexes(world.store);
    while (await world.store.followSearch());
    const durableIds = file.lines.map((line) => {
      const { recordId } = parseDurableId(JSON.parse(line).durableId) ?? { recordId: 0 };
      return { repoId: grant.repoId, recordId };
    });
    const wrefs = [...new Set(durableIds.map(formatDurableId))];
    const anonymous = caller(world.app);
    const none = async <Name extends ProcedureName>(name: Name, input: ProcedureInput<Name>) => {
      for (const call of [session, anonymous]) {
        const answer = await call(name, input);
        expect([name, answer.status, answer.body]).toEqual([
          name,
          expect.any(Number),
          expect.not.stringMatching(/Room|Belief|bee|gone/),
        ]);
        if (answer.status !== 200) expect([name, answer.status]).toEqual([name, 404]);
      }
    };
    await none('thing.head', { ...COPY, includeRetracted: true });
    await none('thing.query', { ...COPY, order: 'name' });
    await none('thing.search', { ...COPY, q: 'far' });
    await none('shape.list', COPY);
    await none('commit.log', COPY);
    await none('commit.get', { ...COPY, repoSeq: 2 });
    await none('thing.changes', { ...COPY, sinceRepoSeq: 0 });
    expect((await session('thing.count', COPY)).data()).toEqual({ repoSeq: 0, count: 0 });
    expect((await session('repo.stats', COPY)).data()).toMatchObject({ retracted: 0, shapes: [], lastCommitAt: null });
    expect((await session('repo.describe', COPY)).data()).toMatchObject({ shapes: [], contents: [] });
    for (const at of [COPY, WORLD]) {
      const { items } = (await session('thing.getMany', { ...at, wrefs })).data();
      expect(items).toEqual(wrefs.map(() => null));
    }
    expect((await session('thing.get', { ...COPY, wref: 'Room/a' })).status).toBe(404);
    expect((await session('thing.get', { ...WORLD, wref: 'wh:ada/copy/Room/a' })).status).toBe(404);
    expect((await session('thing.history', { ...WORLD, wref: String(wrefs[1]) })).status).toBe(404);
    const refs = (
      await session('thing.refs', { ...OTHER, wref: 'Far/away', direction: 'in', acrossRepos: true })
    ).data();
    expect(refs.items.map(({ wref }) => wref).sort()).toEqual(['wh:ada/world/Belief/far@v1']);
    const about = (await session('thing.about', { ...OTHER, wref: 'Far/away', acrossRepos: true })).data();
    expect('items' in about && about.items.map(({ wref }) => wref)).toEqual(['wh:ada/world/Belief/far']);
    for (const next of ['wh:ada/copy/Room/a', ...wrefs.slice(0, 2)]) {
      const operations = [{ name: 'Room/ref', data: { next } }];
      const refused = await session('commit.submit', { ...WORLD, operations });
      expect([refused.status, refused.code]).toEqual([400, 'TARGET_NOT_FOUND']);
    }
    const readable = [{ repoId: grant.repoId, orgName: 'ada', repoName: 'copy' }];
    const late = commitInput(
      await grantOn(world.store, WORLD),
      [{ name: 'Room/ref', data: { next: 'wh:ada/copy/Room/a' } }],
      { readable },
    );
    await expect(world.store.write.commit(late)).rejects.toMatchObject({ code: 'TARGET_NOT_FOUND' });
    const exported = await world.app.request('/api/repos/ada/copy/export', {
      headers: { authorization: `Bearer ${world.token}` },
    });
    expect(exported.status).toBe(409);
    const scopes = [{ resource: 'ada/copy', permissions: ['repo:read' as const], shapes: ['Room'] }];
    expect((await session('token.create', { name: 'shape', scopes })).status).toBe(400);

    await finish(session, COPY, { importId, recordCount: file.recordCount });
    expect((await anonymous('thing.get', { ...COPY, wref: 'Room/a' })).status).toBe(200);
  });
});

describe.each(UPPER_ENGINES)('an import whose server ends on %s', (engine) => {
  it('goes on after any step', async () => {
    const location = await preparedLocation(engine);
    const opened: Store[] = [];
    onTestFinished(async () => {
      for (const store of opened) await store.close();
    });
    const reopen = async () => {
      await opened.pop()?.close();
      const store = await openStore(location);
      opened.push(store);
      return store;
    };
    const { grant } = await addTestRepository(await reopen(), 'ada');
    const lines = [lineOf({ recordId: 1 }), ...Array.from({ length: 9 }, (_, n) => thingLine({ recordId: n + 2 }))];
    const limits = { dataBytes: 1_000, dataDepth: 10, importIncrementRows: 100 };
    const states: string[] = [];
    for (let done = false; !done; ) {
      const store = await reopen();
      const { importId, offset } = await store.write.beginImport({
        grant,
        header: headerOf(1),
        createdBy: 'user:ada',
      });
      const some = { lines: lines.slice(offset, offset + 4).join('\n'), readable: [], limits };
      if (offset < lines.length) await store.write.appendImport({ grant, importId, offset, ...some });
      else {
        const { state } = await store.write.finishImport({ grant, importId, recordCount: lines.length });
        states.push(state);
        done = state === 'complete';
      }
    }
    expect(states.length).toBeGreaterThan(3);
    const store = await reopen();
    const again = await store.write.beginImport({ grant, header: headerOf(1), createdBy: 'user:ada' });
    expect(again.offset).toBe(lines.length);
    const [{ n } = { n: 0 }] = await store.database.query<{ n: number }>('select count(*) as n from record');
    expect(n).toBe(lines.length);
  });
});
