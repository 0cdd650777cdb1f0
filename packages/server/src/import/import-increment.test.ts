// Increments: changes of the original reach the copy, all at once.

import { formatDurableId } from '@cairn/model/wref';
import { beforeEach, describe, expect, it } from 'vitest';
import { grantOn } from '../../../../test/support/grant.ts';
import {
  exportFile,
  finish,
  headerOf,
  importFile,
  lineOf,
  thingLine,
  withoutIdentity,
} from '../../../../test/support/import/file.ts';
import {
  COPY,
  changeWorld,
  createImportWorld,
  fillWorld,
  type ImportWorld,
  WORLD,
} from '../../../../test/support/import/world.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import { exportLines } from '../export/export-stream.ts';
import { buildIndexes } from '../shape/index-build.job.ts';

describe.each(UPPER_ENGINES)('an increment on %s', (engine) => {
  let world: ImportWorld;
  let since: number;

  beforeEach(async () => {
    world = await createImportWorld(engine);
    await fillWorld(world);
    const file = await world.exported();
    since = file.header.atRepoSeq;
    await importFile(world.session, COPY, file);
  });

  const increment = () => world.exported(WORLD, `?sinceRepoSeq=${since}`);
  const namesWhere = async (where: string, shape = 'Room') => {
    const answer = (await world.session('thing.query', { ...COPY, shape, where: [where] })).data();
    return 'items' in answer ? answer.items.map(({ name }) => name) : [];
  };
  const searched = async (q: string) => {
    while (await world.store.followSearch());
    const { items, searchedThrough } = (await world.session('thing.search', { ...COPY, q })).data();
    return [searchedThrough, ...items.map(({ name }) => name).sort()];
  };

  it.each(['before', 'after'])('makes the copy what the original is, indexes built %s', async (when) => {
    if (when === 'before') await buildIndexes(world.store);
    await changeWorld(world);
    const file = await increment();
    const before = await world.exported(COPY);
    const finished = await importFile(world.session, COPY, file, { rows: 2 });
    await buildIndexes(world.store);
    const whole = await world.exported();
    const copy = await world.exported(COPY);
    expect(withoutIdentity(copy)).toEqual(withoutIdentity(whole));
    expect(copy.header.commitId).toBe(finished.commitId);
    expect(copy.header.commitId).not.toBe(before.header.commitId);
    const [log] = (await world.session('commit.log', COPY)).data().items;
    expect(log).toMatchObject({
      imported: true,
      message: `Imported from ada/world at sequence ${whole.header.atRepoSeq}, from ${since} on`,
    });
    for (const where of [
      'size:gte:5',
      'hue:eq:blue',
      'hue:eq:red',
      'size:eq:2',
      'size:exists:true',
      'next:eq:Room/d',
    ]) {
      const original = (await world.session('thing.query', { ...WORLD, shape: 'Room', where: [where] })).data();
      expect([where, await namesWhere(where)]).toEqual([
        where,
        'items' in original && original.items.map(({ name }) => name),
      ]);
    }
    expect(await namesWhere('wide:eq:7', 'Door')).toEqual(['Door/back']);
    for (const wref of ['Room/a', 'Room/bee', 'Door/back', 'Room/c']) {
      const refs = async (at: typeof WORLD) =>
        (await world.session('thing.refs', { ...at, wref }))
          .data()
          .items.map(({ wref, role, direction }) => [wref, role, direction]);
      expect([wref, await refs(COPY)]).toEqual([wref, await refs(WORLD)]);
    }
    const updated = async (at: typeof WORLD) => {
      await world.commit([{ kind: 'shape', name: 'Later', data: { fields: {} } }], { at });
      const input = { ...at, order: '-updated', atRepoSeq: whole.header.atRepoSeq } as const;
      const answer = (await world.session('thing.head', input)).data();
      return 'items' in answer && answer.items.map(({ name }) => name);
    };
    expect(await updated(COPY)).toEqual(await updated(WORLD));
  });

  it('is followed by the search index, renamed shapes too', async () => {
    await expect.poll(() => searched('agent')).toEqual([since, 'Agent', 'Agent/bot']);
    await changeWorld(world);
    const { repoSeq } = await importFile(world.session, COPY, await increment());
    await expect.poll(() => searched('bot')).toEqual([repoSeq, 'Bot', 'Bot/bot']);
    expect(await searched('agent')).toEqual([repoSeq]);
    expect(await searched('shut')).toEqual([repoSeq, 'Belief/door']);
  });

  it('follows increment after increment', async () => {
    await changeWorld(world);
    since = (await importFile(world.session, COPY, await increment())).repoSeq;
    await world.commit([{ operation: 'revise', name: 'Room/d', data: { hue: 'grey' } }]);
    await importFile(world.session, COPY, await increment());
    expect(withoutIdentity(await world.exported(COPY))).toEqual(withoutIdentity(await world.exported()));
  });

  it('that holds nothing leaves everything as it is', async () => {
    const before = await world.exported(COPY);
    const finished = await importFile(world.session, COPY, await increment());
    expect(finished).toMatchObject({ repoSeq: since, recordCount: 0, commitId: before.header.commitId });
    const after = await world.exported(COPY);
    expect([after.header.commitId, after.lines]).toEqual([before.header.commitId, before.lines]);
  });

  it('shows nothing until it is finished, and nothing when it is aborted', async () => {
    await changeWorld(world);
    const before = await world.exported(COPY);
    const file = await increment();
    const { importId } = (await world.session('import.begin', { ...COPY, header: file.header })).data();
    await world.session('import.append', { ...COPY, importId, offset: 0, lines: file.lines.join('\n') });
    expect((await world.session('repo.get', COPY)).data()).not.toHaveProperty('importing');
    expect((await world.exported(COPY)).lines).toEqual(before.lines);
    expect((await world.session('import.abort', COPY)).data()).toEqual({ done: true });
    expect((await world.exported(COPY)).lines).toEqual(before.lines);
    await importFile(world.session, COPY, file);
    expect(withoutIdentity(await world.exported(COPY))).toEqual(withoutIdentity(await world.exported()));
  });

  it('is refused when the copy does not stand where it begins', async () => {
    await changeWorld(world);
    const file = await increment();
    const begin = async (header = file.header) => await world.session('import.begin', { ...COPY, header });
    const early = await begin({ ...file.header, sinceRepoSeq: since - 1 });
    expect([early.status, early.message]).toEqual([409, expect.stringContaining(`sinceRepoSeq=${since}`)]);
    const whole = await begin((await world.exported()).header);
    expect([whole.status, whole.message]).toEqual([409, expect.stringContaining('empty repository')]);
    const other = await begin({ ...file.header, server: 'another' });
    expect([other.status, other.message]).toEqual([409, expect.stringContaining('from a different one')]);
    await world.session('repo.create', { orgName: 'ada', name: 'empty' });
    const empty = await world.session('import.begin', { orgName: 'ada', repoName: 'empty', header: file.header });
    expect([empty.status, empty.message]).toEqual([409, expect.stringContaining('Import a full export first')]);
    await world.commit([{ name: 'Room/own', data: {} }], { at: COPY });
    const own = await begin();
    expect([own.status, own.message]).toEqual([409, expect.stringContaining('This copy has commits')]);
  });

  it('of another repository of the same server is refused with its first row', async () => {
    const third = { orgName: 'ada', repoName: 'third' };
    await world.session('repo.create', { orgName: 'ada', name: 'third' });
    for (let n = 0; n <= since; n++)
      await world.commit([{ kind: 'shape', name: `S${n}`, data: { fields: {} } }], { at: third });
    const file = await exportFile(world.app, world.token, { ...third, query: `?sinceRepoSeq=${since}` });
    const { importId } = (await world.session('import.begin', { ...COPY, header: file.header })).data();
    const lines = file.lines.join('\n');
    const refused = await world.session('import.append', { ...COPY, importId, offset: 0, lines });
    expect([refused.status, refused.message]).toEqual([409, expect.stringContaining('from a different one')]);
  });

  it('is refused at its end when something was committed meanwhile', async () => {
    await changeWorld(world);
    const file = await increment();
    const { importId } = (await world.session('import.begin', { ...COPY, header: file.header })).data();
    await world.session('import.append', { ...COPY, importId, offset: 0, lines: file.lines.join('\n') });
    await world.commit([{ name: 'Room/own', data: {} }], { at: COPY });
    const before = await world.exported(COPY);
    const end = { type: 'end', recordCount: file.recordCount } as const;
    const refused = await world.session('import.finish', { ...COPY, importId, end });
    expect([refused.status, refused.message]).toEqual([409, expect.stringContaining('This copy has commits')]);
    expect((await world.exported(COPY)).lines).toEqual(before.lines);
    expect((await world.session('import.abort', { ...COPY, importId })).data()).toEqual({ done: true });
  });

  it('ends lists that were begun before it, and says so', async () => {
    const list = { ...COPY, limit: 2 };
    const first = (await world.session('thing.head', list)).data();
    const shapes = (await world.session('shape.list', list)).data();
    await changeWorld(world);
    await importFile(world.session, COPY, await increment());
    for (const answer of [
      await world.session('thing.head', { ...list, cursor: 'nextCursor' in first ? first.nextCursor : '' }),
      await world.session('shape.list', { ...list, cursor: shapes.nextCursor }),
    ]) {
      expect([answer.code, answer.message]).toEqual([
        'VALIDATION_ERROR',
        expect.stringContaining('Start the list again'),
      ]);
    }
  });

  it('lets an export go on that was begun before it', async () => {
    const whole = await world.exported(COPY);
    await changeWorld(world);
    await importFile(world.session, COPY, await increment());
    const grant = await grantOn(world.store, COPY);
    const source = { grant, repo: 'ada/copy', sinceRepoSeq: 0, atRepoSeq: since };
    let text = '';
    for await (const lines of exportLines(world.store, source)) text += Buffer.from(lines).toString();
    expect(text.trimEnd().split('\n').slice(1, -1)).toEqual(whole.lines);
  });

  it('names the line that does not fit what is there, and keeps the copy as it was', async () => {
    await changeWorld(world);
    const file = await increment();
    const before = await world.exported(COPY);
    const at = file.lines.findIndex((line) => line.includes('"Door/back"'));
    const line = file.lines[at]?.replace('"Door/back"', '"Room/a"').replace('"shapeName":"Door"', '"shapeName":"Room"');
    const lines = file.lines.with(at, line ?? '');
    const { importId } = (await world.session('import.begin', { ...COPY, header: file.header })).data();
    (await world.session('import.append', { ...COPY, importId, offset: 0, lines: lines.join('\n') })).data();
    const end = { type: 'end', recordCount: file.recordCount } as const;
    const refused = await world.session('import.finish', { ...COPY, importId, end });
    expect([refused.status, refused.message]).toEqual([
      400,
      expect.stringContaining(`Line ${at + 2} of the export: name:`),
    ]);
    expect((await world.exported(COPY)).lines).toEqual(before.lines);
    expect((await world.session('import.abort', COPY)).data()).toEqual({ done: true });
    expect(await finish(world.session, COPY, { importId, recordCount: 0 }).catch(String)).toContain('NOT_FOUND');
  });

  it('that refers to nothing is refused as a whole', async () => {
    const { session } = world;
    await session('repo.create', { orgName: 'ada', name: 'small' });
    const small = { orgName: 'ada', repoName: 'small' };
    await importFile(session, small, { header: headerOf(1), lines: [lineOf({ recordId: 1 })], recordCount: 1 });
    const target = `${formatDurableId({ repoId: 77, recordId: 9 })}@v1`;
    const made = { recordId: 2, repoSeq: 2 };
    for (const line of [
      thingLine({ ...made, kind: 'assertion', aboutWref: 'Shape1/n9@v1', aboutDurableId: target }),
      thingLine({ ...made, data: { a: 'Shape1/n9@v1' }, refs: [['/a', target]] }),
      thingLine({ ...made, committerWref: 'Shape1/n9@v1', committerDurableId: target }),
    ]) {
      const { importId } = (await session('import.begin', { ...small, header: headerOf(2, 1) })).data();
      (await session('import.append', { ...small, importId, offset: 0, lines: line })).data();
      const end = { type: 'end', recordCount: 1 } as const;
      const refused = await session('import.finish', { ...small, importId, end });
      expect([refused.status, refused.message]).toEqual([
        400,
        expect.stringContaining('which the export does not contain'),
      ]);
      expect((await session('repo.get', small)).data().repoSeq).toBe(1);
      expect((await session('import.abort', small)).data()).toEqual({ done: true });
    }
    const last = thingLine({
      ...made,
      data: { a: 'Shape1/n3@v1' },
      refs: [['/a', `${formatDurableId({ repoId: 77, recordId: 3 })}@v1`]],
    });
    const lines = [last, thingLine({ recordId: 3, repoSeq: 2 })];
    await importFile(session, small, { header: headerOf(2, 1), lines, recordCount: 2 });
    expect((await session('thing.refs', { ...small, wref: 'Shape1/n3', direction: 'in' })).data().items).toHaveLength(
      1,
    );
  });
});
