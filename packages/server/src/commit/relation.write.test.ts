// Wrefs, assertions, collections, renames and tokens, written by commits and read at any sequence.
import type { CommitResult } from '@cairn/protocol/commit';
import { describe, expect, it } from 'vitest';
import {
  addTestRepository,
  createTestRepository,
  readableOf,
  recordWref,
  refreshed,
  type TestRepository,
} from '../../../../test/support/repository.ts';
import { ENGINES } from '../../../../test/support/store.ts';
import { verifyRepository } from '../../../../test/support/verify.ts';
import { findRecords } from '../read/record.sql.ts';
import { listCommits, readCommit } from './commit-read.sql.ts';

const shape = (name: string, fields: object) => ({ kind: 'shape', name, data: { fields } });
const add = (name: string, data: object = {}) => ({ operation: 'add', name, data });
const revise = (name: string, data: object) => ({ operation: 'revise', name, data });
const rename = (name: string, newName: string) => ({ operation: 'rename', name, newName });
const retract = (name: string) => ({ operation: 'retract', name });

async function read(repository: TestRepository, wref: string, atRepoSeq?: number) {
  const { store, grant } = await refreshed(repository);
  const at = atRepoSeq ?? grant.repository.repoSeq;
  const [found] = await findRecords(store.database, grant, { wrefs: [recordWref(wref)], atRepoSeq: at });
  return found;
}

const refusal = (work: Promise<unknown>) =>
  work.then(
    () => ({ code: 'none' }) as Refusal,
    (error: unknown) => error as Refusal,
  );
interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly details: { operations: { code: string; message: string; details: unknown }[] };
}

const codesOf = ({ operations }: CommitResult) => operations.map(({ error, status }) => error?.code ?? status);

async function rooms(engine: (typeof ENGINES)[number]) {
  const repository = await createTestRepository(engine);
  await repository.commit([
    shape('Room', { 'size?': 'number' }),
    shape('Sensor', { 'room?': 'wref', 'links?': ['wref'], 'at?': { 'deep?': 'wref' } }),
    add('Room/a'),
    add('Room/b'),
  ]);
  return repository;
}

describe.each(ENGINES)('wref fields on %s', (engine) => {
  it('are pinned to the version that is current, wherever in the data they are', async () => {
    const repository = await rooms(engine);
    await repository.commit([revise('Room/a', { size: 2 })]);
    await repository.commit([
      add('Sensor/s', { room: 'Room/a', links: ['Room/b', 'Room/a@v1', 'Room'], at: { deep: 'Room/b@HEAD' } }),
    ]);
    const item = await read(repository, 'Sensor/s');
    expect(item).toMatchObject({
      data: { room: 'Room/a@v2', links: ['Room/b@v1', 'Room/a@v1', 'Room@v1'], at: { deep: 'Room/b@v1' } },
    });
    const { durableId = '' } = (await read(repository, 'Room/a')) ?? {};
    expect(item?.refs).toHaveLength(5);
    expect(item?.refs).toContainEqual(['/room', `${durableId}@v2`]);
    expect(item?.refs).toContainEqual(['/links/1', `${durableId}@v1`]);
  });

  it('may be given by durable ID or by the whole address, and mean the same', async () => {
    const repository = await rooms(engine);
    const { durableId = '' } = (await read(repository, 'Room/a')) ?? {};
    const { orgName, name } = repository.grant.repository;
    await repository.commit([
      add('Sensor/s', { links: [durableId, `${durableId}@v1`, `wh:${orgName}/${name}/Room/a`] }),
    ]);
    expect(await read(repository, 'Sensor/s')).toMatchObject({
      data: { links: ['Room/a@v1', 'Room/a@v1', 'Room/a@v1'] },
    });
  });

  it('are refused when they mean nothing, each with its place', async () => {
    const repository = await rooms(engine);
    await repository.commit([add('Room/gone'), retract('Room/gone')]);
    const refused = async (data: object) => {
      const { details } = await refusal(repository.commit([add('Sensor/s', data)]));
      return details.operations[0];
    };
    expect(await refused({ links: ['Room/a', 'Room/x', 'Hall/x'], room: 'Room/y' })).toMatchObject({
      code: 'TARGET_NOT_FOUND',
      details: [{ path: '/links/1' }, { path: '/links/2' }, { path: '/room' }],
    });
    expect(await refused({ links: ['Room/a', 7, 'Room/x'], room: 'Room/y' })).toMatchObject({
      code: 'SHAPE_MISMATCH',
      details: [
        { path: '/links/1', message: 'expected a wref, got 7' },
        { path: '/links/2', message: expect.stringContaining('no record Room/x') },
        { path: '/room' },
      ],
    });
    expect(await refused({ room: 'Room/a@v2' })).toMatchObject({ code: 'TARGET_NOT_FOUND' });
    expect(await refused({ room: 'Room/gone' })).toMatchObject({
      code: 'TARGET_NOT_FOUND',
      message: expect.stringContaining('such as @v1'),
    });
    expect(await refused({ room: 'Room/a@ALL' })).toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(await refused({ room: 'not a wref' })).toMatchObject({ code: 'SHAPE_MISMATCH' });
    expect(await refused({ room: 'Room/a@v0' })).toMatchObject({ code: 'SHAPE_MISMATCH' });
    expect(await refused({ room: 'wh:nobody/nothing/Room/a' })).toMatchObject({ code: 'TARGET_NOT_FOUND' });
    await repository.commit([add('Sensor/s', { room: 'Room/gone@v1' })]);
    expect(await read(repository, 'Sensor/s')).toMatchObject({ data: { room: 'Room/gone@v1' } });
  });

  it('may be restricted to shapes, which are meant by identity', async () => {
    const repository = await rooms(engine);
    await repository.commit([
      shape('Lamp', { 'room?': { type: 'wref', shape: 'Room' }, 'any?': { type: 'wref', shape: ['Hall', 'Lamp'] } }),
    ]);
    await repository.commit([add('Lamp/l', { room: 'Room/a' }), add('Lamp/m', { any: 'Lamp/l' })]);
    const refused = await refusal(repository.commit([add('Lamp/n', { room: 'Lamp/l' })]));
    expect(refused.details.operations).toMatchObject([{ code: 'SHAPE_MISMATCH', details: [{ path: '/room' }] }]);
    await repository.commit([rename('Room', 'Chamber'), shape('Room', {}), add('Room/new')]);
    await repository.commit([add('Lamp/n', { room: 'Chamber/b' })]);
    expect((await refusal(repository.commit([add('Lamp/o', { room: 'Room/new' })]))).code).toBe('SHAPE_MISMATCH');
    await repository.commit([shape('Hall', {}), add('Hall/h'), add('Lamp/o', { any: 'Hall/h' })]);
    const { code } = await refusal(repository.commit([rename('Hall', 'Foyer'), add('Lamp/p', { any: 'Foyer/h' })]));
    expect(code).toBe('SHAPE_MISMATCH');
  });

  it('may be restricted to shapes that come later in the commit, and keep what they hold', async () => {
    const repository = await rooms(engine);
    const asks = (name: string) => ({ 'of?': { type: 'wref', shape: name } });
    await repository.commit([shape('Egg', asks('Hen')), shape('Hen', asks('Egg')), add('Egg/e'), add('Hen/h')]);
    await repository.commit([rename('Hen', 'Chicken')]);
    expect(await read(repository, 'Egg')).toMatchObject({ data: { fields: asks('Chicken') } });
    await repository.commit([revise('Egg/e', { of: 'Chicken/h' }), revise('Chicken/h', { of: 'Egg/e' })]);
    await repository.commit([shape('Nest', asks('Tree')), shape('Twig', {})]);
    await repository.commit([shape('Tree', {}), add('Tree/t'), add('Nest/n', { of: 'Tree/t' }), rename('Tree', 'Oak')]);
    await repository.commit([revise('Nest/n', { of: 'Oak/t', more: 1 })]);
    expect((await refusal(repository.commit([add('Nest/m', { of: 'Oak/t' })]))).code).toBe('SHAPE_MISMATCH');
    await repository.commit([rename('Twig', 'Stick')]);
    await repository.commit([revise('Stick', { fields: asks('Twig') }), rename('Stick', 'Twig')]);
    expect(await verifyRepository(repository.store, repository.grant.repoId)).toEqual([]);
  });

  it('keep what they are restricted to through anything that the same commit does, and a retraction', async () => {
    const repository = await rooms(engine);
    const fields = { 'room?': { type: 'wref', shape: 'Room' }, 'next?': { type: 'wref', shape: 'Lamp' } };
    await repository.commit([
      shape('Lamp', fields),
      rename('Room', 'Chamber'),
      add('Lamp/l', { room: 'Chamber/a' }),
      rename('Lamp', 'Light'),
      add('Light/m', { room: 'Chamber/b', next: 'Light/l' }),
      retract('Light'),
    ]);
    const shown = { 'room?': { type: 'wref', shape: 'Chamber' }, 'next?': { type: 'wref', shape: 'Light' } };
    expect(await read(repository, 'Light')).toMatchObject({ active: false, data: { fields: shown } });
    await repository.commit([shape('Room', {}), revise('Light/l', { room: 'Chamber/b' })]);
    await repository.commit([revise('Light', { fields: shown })]);
    await repository.commit([add('Light/n', { room: 'Chamber/a' })]);
    expect(await verifyRepository(repository.store, repository.grant.repoId)).toEqual([]);
  });

  it('of another repository are held to the shapes of their place, also when they come from another place', async () => {
    const repository = await rooms(engine);
    const far = await addTestRepository(repository.store, 'far');
    await far.commit([shape('Star', {}), add('Star/sol')]);
    await repository.commit([shape('N', { 'any?': 'wref', 'who?': { type: 'wref', shape: 'Person' } })]);
    const readable = [readableOf(far)];
    await repository.commit([add('N/x', { any: 'wh:far/world/Star/sol' })], { readable });
    const moved = revise('N/x', { who: 'wh:far/world/Star/sol@v1' });
    expect((await refusal(repository.commit([moved], { readable }))).code).toBe('SHAPE_MISMATCH');
  });

  it('may stay as they are when their target is retracted', async () => {
    const repository = await rooms(engine);
    await repository.commit([add('Sensor/s', { room: 'Room/a', links: ['Room/b'] })]);
    await repository.commit([revise('Room/a', { size: 1 }), retract('Room/a')]);
    expect(codesOf(await repository.commit([revise('Sensor/s', { room: 'Room/a', links: ['Room/b'] })]))).toEqual([
      'noop',
    ]);
    await repository.commit([revise('Sensor/s', { room: 'Room/a' })]);
    expect(await read(repository, 'Sensor/s')).toMatchObject({ data: { room: 'Room/a@v1' } });
    await repository.commit([revise('Sensor/s', { links: ['Room/b', 'Room/a'] })]);
    await repository.commit([revise('Sensor/s', { links: ['Room/b'] })]);
    const again = revise('Sensor/s', { links: ['Room/a'] });
    expect((await refusal(repository.commit([again]))).code).toBe('TARGET_NOT_FOUND');
  });

  it('show the shapes that they are restricted to by their present names, which still mean the same when revised', async () => {
    const repository = await rooms(engine);
    const fields = { 'room?': { type: 'wref', shape: ['Room', 'Later'] } };
    const { repoSeq } = await repository.commit([shape('Lamp', fields)]);
    await repository.commit([rename('Room', 'Chamber'), shape('Room', {}), add('Room/x')]);
    const shown = { 'room?': { type: 'wref', shape: ['Chamber', 'Later'] } };
    const lamp = await read(repository, 'Lamp');
    expect(lamp).toMatchObject({ data: { fields: shown } });
    expect(await read(repository, 'Lamp', repoSeq)).toMatchObject({ data: { fields } });
    await repository.commit([revise('Lamp', { ...(lamp?.data as object), description: 'it shines' })]);
    await repository.commit([add('Lamp/l', { room: 'Chamber/a' })]);
    const refused = await refusal(repository.commit([add('Lamp/m', { room: 'Room/x' })]));
    expect(refused.message).toContain('expected a wref of Chamber or Later');
  });

  it('read with present names in versions that a retraction made', async () => {
    const repository = await rooms(engine);
    await repository.commit([add('Sensor/s', { room: 'Room/a' }), rename('Room/a', 'Room/b2'), retract('Sensor/s')]);
    await repository.commit([add('Sensor/t', { room: 'Room/b' })]);
    await repository.commit([rename('Room/b', 'Room/c')]);
    await repository.commit([retract('Sensor/t')]);
    for (const version of ['', '@v1', '@v2']) {
      expect(await read(repository, `Sensor/s${version}`)).toMatchObject({ data: { room: 'Room/b2@v1' } });
      expect(await read(repository, `Sensor/t${version}`)).toMatchObject({ data: { room: 'Room/c@v1' } });
    }
  });

  it('see what the commit has done so far, and nothing of what it will do', async () => {
    const repository = await rooms(engine);
    await repository.commit([
      revise('Room/a', { size: 1 }),
      add('Sensor/one', { room: 'Room/a' }),
      revise('Room/a', { size: 2 }),
      add('Room/new'),
      rename('Room/b', 'Room/c'),
      add('Sensor/two', { links: ['Room/a', 'Room/new', 'Room/c'] }),
    ]);
    expect(await read(repository, 'Sensor/one')).toMatchObject({ data: { room: 'Room/a@v2' } });
    expect(await read(repository, 'Sensor/two')).toMatchObject({
      data: { links: ['Room/a@v3', 'Room/new@v1', 'Room/c@v1'] },
    });
    const early = [add('Sensor/x', { room: 'Room/later' }), add('Room/later')];
    expect((await refusal(repository.commit(early))).code).toBe('TARGET_NOT_FOUND');
    const old = [rename('Room/c', 'Room/d'), add('Sensor/x', { room: 'Room/c' })];
    expect((await refusal(repository.commit(old))).code).toBe('TARGET_NOT_FOUND');
  });

  it('make a revise a noop when they mean the same, whatever the target is called or at by now', async () => {
    const repository = await rooms(engine);
    await repository.commit([add('Sensor/s', { room: 'Room/a', links: ['Room/b'] })]);
    await repository.commit([rename('Room/a', 'Room/z'), revise('Room/b', { size: 3 })]);
    const status = async (data: object) => codesOf(await repository.commit([revise('Sensor/s', data)]))[0];
    expect(await status({ room: 'Room/z@v1', links: ['Room/b@v1'] })).toBe('noop');
    expect(await status({ room: 'Room/z', links: ['Room/b'] })).toBe('noop');
    expect(await status({ room: 'Room/z', links: ['Room/b@v2'] })).toBe('applied');
    expect(await status({ room: 'Room/b', links: ['Room/z'] })).toBe('applied');
  });

  it('are another when the same text means another record', async () => {
    const repository = await rooms(engine);
    await repository.commit([add('Sensor/s', { room: 'Room/a' })]);
    const first = await read(repository, 'Sensor/s');
    await repository.commit([rename('Room/a', 'Room/old'), add('Room/a')]);
    expect(codesOf(await repository.commit([revise('Sensor/s', { room: 'Room/a' })]))).toEqual(['applied']);
    const second = await read(repository, 'Sensor/s');
    expect(second?.dataHash).toBe(first?.dataHash);
    expect(second?.refs).not.toEqual(first?.refs);
    expect(await read(repository, 'Sensor/s@v1')).toMatchObject({ data: { room: 'Room/old@v1' } });
  });

  it('read with the names of the sequence, in heads and in history', async () => {
    const repository = await rooms(engine);
    const { repoSeq } = await repository.commit([add('Sensor/s', { room: 'Room/a' })]);
    const before = await read(repository, 'Sensor/s');
    await repository.commit([rename('Room/a', 'Room/hall')]);
    await repository.commit([rename('Room', 'Chamber')]);
    expect(await read(repository, 'Sensor/s')).toMatchObject({
      data: { room: 'Chamber/hall@v1' },
      dataHash: before?.dataHash,
      refs: before?.refs,
    });
    expect(await read(repository, 'Sensor/s', repoSeq)).toEqual(before);
    expect(await read(repository, 'Sensor/s', repoSeq + 1)).toMatchObject({ data: { room: 'Room/hall@v1' } });
    expect(await read(repository, 'Chamber/hall')).toMatchObject({ name: 'Chamber/hall', shapeName: 'Chamber' });
    expect(await read(repository, 'Room/a', repoSeq)).toMatchObject({ name: 'Room/a', shapeName: 'Room' });
    expect(await read(repository, 'Room/a')).toBeUndefined();
  });

  it('read with the names of the sequence in a retracted record too, which keeps its text', async () => {
    const repository = await rooms(engine);
    await repository.commit([add('Sensor/s', { room: 'Room/a' })]);
    await repository.commit([rename('Room/a', 'Room/hall')]);
    await repository.commit([retract('Sensor/s')]);
    expect(await read(repository, 'Sensor/s')).toMatchObject({ active: false, data: { room: 'Room/hall@v1' } });
    await repository.commit([rename('Room/hall', 'Room/den')]);
    expect(await read(repository, 'Sensor/s')).toMatchObject({ data: { room: 'Room/den@v1' } });
    expect(await read(repository, 'Sensor/s', 4)).toMatchObject({ data: { room: 'Room/hall@v1' } });
  });

  it('are those of the shape that the data was checked against, which a retraction does not change', async () => {
    const repository = await rooms(engine);
    await repository.commit([add('Room/c', { next: 'nobody' })]);
    await repository.commit([revise('Room', { fields: { 'next?': 'wref' } })]);
    await repository.commit([retract('Room/c')]);
    expect(await verifyRepository(repository.store, repository.grant.repoId)).toEqual([]);
  });
});

describe.each(ENGINES)('references to other repositories on %s', (engine) => {
  async function twoRepositories() {
    const near = await rooms(engine);
    const far = await addTestRepository(near.store, 'far');
    await far.commit([shape('Star', {}), add('Star/sol')]);
    return { near, far, readable: [readableOf(far)] };
  }

  it('are kept as they were written, and by identity', async () => {
    const { near, far, readable } = await twoRepositories();
    const { durableId = '' } = (await read(far, 'Star/sol')) ?? {};
    await near.commit([add('Sensor/s', { links: ['wh:far/world/Star/sol', durableId] })], { readable });
    await far.commit([rename('Star/sol', 'Star/sun'), revise('Star/sun', { hot: true })]);
    const item = await read(near, 'Sensor/s');
    expect(item).toMatchObject({ data: { links: ['wh:far/world/Star/sol@v1', 'wh:far/world/Star/sol@v1'] } });
    expect(item?.refs).toEqual([
      ['/links/0', `${durableId}@v1`],
      ['/links/1', `${durableId}@v1`],
    ]);
  });

  it('answer the same for what is missing and for what may not be read', async () => {
    const { near, readable } = await twoRepositories();
    const attempt = (wref: string, allowed: typeof readable) =>
      refusal(near.commit([add('Sensor/s', { room: wref })], { readable: allowed }));
    const hidden = await attempt('wh:far/world/Star/sol', []);
    const missing = await attempt('wh:far/world/Star/xyz', readable);
    const nowhere = await attempt('wh:far/wxyzw/Star/sol', readable);
    expect(hidden.code).toBe('TARGET_NOT_FOUND');
    expect(hidden.message).toBe(missing.message.replace('xyz', 'sol'));
    expect(hidden.message).toBe(nowhere.message.replace('wxyzw', 'world'));
    expect(Object.keys(hidden.details)).toEqual(Object.keys(missing.details));
  });

  it('stay when a record is revised by someone who may not read the target', async () => {
    const { near, far, readable } = await twoRepositories();
    await near.commit([add('Sensor/s', { room: 'wh:far/world/Star/sol' })], { readable });
    await far.commit([rename('Star/sol', 'Star/sun'), add('Star/sol')]);
    const room = 'wh:far/world/Star/sol@v1';
    await near.commit([revise('Sensor/s', { room, links: ['Room/a'] })], { readable });
    await near.commit([revise('Sensor/s', { room, links: [room] })]);
    const item = await read(near, 'Sensor/s');
    const { durableId = '' } = (await read(far, 'Star/sun')) ?? {};
    expect(item?.refs).toEqual([
      ['/links/0', `${durableId}@v1`],
      ['/room', `${durableId}@v1`],
    ]);
    expect((await refusal(near.commit([revise('Sensor/s', { room: 'wh:far/world/Star/sol' })]))).code).toBe(
      'TARGET_NOT_FOUND',
    );
  });

  it('stay apart when one text stands for two records, of which the first gave its name up', async () => {
    const { near, far, readable } = await twoRepositories();
    const wref = 'wh:far/world/Star/sol';
    await near.commit([add('Sensor/s', { room: wref })], { readable });
    await far.commit([rename('Star/sol', 'Star/sun'), add('Star/sol')]);
    await near.commit([revise('Sensor/s', { room: `${wref}@v1`, links: [wref] })], { readable });
    const { refs, data } = (await read(near, 'Sensor/s')) ?? {};
    expect(data).toEqual({ room: `${wref}@v1`, links: [`${wref}@v1`] });
    expect(codesOf(await near.commit([revise('Sensor/s', data as object)]))).toEqual(['noop']);
    await near.commit([revise('Sensor/s', { ...(data as object), more: true })]);
    expect((await read(near, 'Sensor/s'))?.refs).toEqual(refs);
    expect(new Set(refs?.map(([, identity]) => identity)).size).toBe(2);
  });
});

describe.each(ENGINES)('assertions on %s', (engine) => {
  it('are about one version of any record, for ever', async () => {
    const repository = await rooms(engine);
    await repository.commit([shape('Belief', { safe: 'boolean' })]);
    const safe = { safe: true };
    await repository.commit([
      { name: 'Belief/room', about: 'Room/a', data: safe },
      { kind: 'assertion', name: 'Belief/belief', about: 'Belief/room', data: safe },
      { name: 'Belief/shape', about: 'Room', data: safe },
    ]);
    await repository.commit([revise('Room/a', { size: 1 }), revise('Belief/room', { safe: false })]);
    const { durableId } = (await read(repository, 'Room/a')) ?? {};
    expect(await read(repository, 'Belief/room')).toMatchObject({
      kind: 'assertion',
      aboutWref: 'Room/a@v1',
      aboutDurableId: `${durableId}@v1`,
      version: 2,
    });
    expect(await read(repository, 'Belief/belief')).toMatchObject({ aboutWref: 'Belief/room@v1' });
    expect(await read(repository, 'Belief/shape')).toMatchObject({ aboutWref: 'Room@v1' });
    await repository.commit([rename('Room/a', 'Room/hall')]);
    expect(await read(repository, 'Belief/room')).toMatchObject({ aboutWref: 'Room/hall@v1' });
    expect(await read(repository, 'Belief/room', 3)).toMatchObject({ aboutWref: 'Room/a@v1' });
  });

  it('need a target that exists, and cannot change it', async () => {
    const repository = await rooms(engine);
    await repository.commit([shape('Belief', {}), { name: 'Belief/b', about: 'Room/a', data: {} }]);
    const code = async (operation: object) => (await refusal(repository.commit([operation]))).code;
    expect(await code({ name: 'Belief/c', about: 'Room/x', data: {} })).toBe('TARGET_NOT_FOUND');
    expect(await code({ name: 'Belief/c', about: 'Room/a@ALL', data: {} })).toBe('VALIDATION_ERROR');
    expect(await code({ kind: 'assertion', name: 'Belief/c', data: {} })).toBe('VALIDATION_ERROR');
    expect(await code({ kind: 'thing', name: 'Belief/c', about: 'Room/a', data: {} })).toBe('VALIDATION_ERROR');
    expect(await code({ operation: 'revise', name: 'Belief/b', about: 'Room/b', data: {} })).toBe('VALIDATION_ERROR');
    expect(await code({ operation: 'revise', kind: 'thing', name: 'Belief/b', data: {} })).toBe('VALIDATION_ERROR');
  });
});

describe.each(ENGINES)('collections on %s', (engine) => {
  it('have the data of their type, by name or by a derived one', async () => {
    const repository = await rooms(engine);
    const ab = ['Room/a', 'Room/b'];
    const { operations } = await repository.commit([
      { kind: 'collection', type: 'arc', name: 'Arc/a-to-b', members: ab },
      { type: 'bond', name: 'tie', members: ['Room/b', 'Room/a'] },
      { type: 'set', name: 'both', members: ['Room/b', 'Room/a'] },
      { type: 'list', name: 'tour', members: ['Room/b', 'Room/a', 'Room/b'] },
      { type: 'pair', name: 'two', members: ab },
      { type: 'arc', members: ab },
      { type: 'set', name: 'of-collections', members: ['Arc/a-to-b', 'Bond/tie'] },
    ]);
    expect(operations.map(({ kind, submittedName }) => [kind, submittedName])).toContainEqual(['collection', 'tie']);
    const [a, b] = ['Room/a@v1', 'Room/b@v1'];
    expect(await read(repository, 'Arc/a-to-b')).toMatchObject({
      kind: 'collection',
      collection: 'arc',
      shapeName: 'Arc',
      data: { from: a, to: b },
    });
    expect(await read(repository, 'Bond/tie')).toMatchObject({ data: { ends: [a, b] } });
    expect(await read(repository, 'Set/both')).toMatchObject({ data: { members: [a, b] } });
    expect(await read(repository, 'List/tour')).toMatchObject({ data: { items: [b, a, b] } });
    expect(await read(repository, 'Pair/two')).toMatchObject({ data: { first: a, second: b } });
    expect(operations[5]?.name).toMatch(/^Arc\/[0-9a-f]{32}$/);
    expect(await read(repository, 'Set/of-collections')).toMatchObject({
      data: { members: ['Arc/a-to-b@v1', 'Bond/tie@v1'] },
    });
  });

  it('without a name are found again, whatever became of their members', async () => {
    const repository = await rooms(engine);
    const set = (members: string[]) => ({ type: 'set', members });
    const first = await repository.commit([set(['Room/a', 'Room/b']), set(['Room/b', 'Room/a'])]);
    expect(codesOf(first)).toEqual(['applied', 'noop']);
    await repository.commit([rename('Room/a', 'Room/z'), revise('Room/b', { size: 1 })]);
    const again = await repository.commit([set(['Room/b', 'Room/z'])]);
    expect(codesOf(again)).toEqual(['noop']);
    expect(again.operations[0]?.name).toBe(first.operations[0]?.name);
    const swapped = [rename('Room/z', 'Room/t'), rename('Room/b', 'Room/z'), rename('Room/t', 'Room/b')];
    const third = await repository.commit([...swapped, set(['Room/b', 'Room/z']), { type: 'set', members: [] }]);
    expect(codesOf(third)).toEqual(['applied', 'applied', 'applied', 'noop', 'applied']);
    const name = String(first.operations[0]?.name);
    await repository.commit([retract(name)]);
    expect((await refusal(repository.commit([set(['Room/b', 'Room/z'])]))).code).toBe('ALREADY_EXISTS');
  });

  it('that exist by name are left alone, whatever became of the members that are sent again', async () => {
    const repository = await rooms(engine);
    const tie = { type: 'bond', name: 'tie', members: ['Room/a', 'Room/b'], skipExisting: true };
    await repository.commit([tie]);
    await repository.commit([retract('Room/b')]);
    expect(codesOf(await repository.commit([tie]))).toEqual(['noop']);
    expect((await refusal(repository.commit([{ ...tie, skipExisting: false }]))).code).toBe('ALREADY_EXISTS');
  });

  it('may be revised by members or by data, which must fit their type', async () => {
    const repository = await rooms(engine);
    await repository.commit([add('Room/c'), { type: 'arc', name: 'x', members: ['Room/a', 'Room/b'] }]);
    await repository.commit([{ operation: 'revise', name: 'Arc/x', members: ['Room/b', 'Room/c'] }]);
    expect(await read(repository, 'Arc/x')).toMatchObject({ version: 2, data: { from: 'Room/b@v1', to: 'Room/c@v1' } });
    await repository.commit([revise('Arc/x', { from: 'Room/c', to: 'Room/c' })]);
    expect(await read(repository, 'Arc/x')).toMatchObject({ version: 3, data: { from: 'Room/c@v1', to: 'Room/c@v1' } });
    const code = async (operation: object) => (await refusal(repository.commit([operation]))).code;
    expect(await code(revise('Arc/x', { from: 'Room/c' }))).toBe('SHAPE_MISMATCH');
    expect(await code(revise('Arc/x', { from: 'Room/c', to: 'Room/a', more: 1 }))).toBe('SHAPE_MISMATCH');
    expect(await code({ operation: 'revise', name: 'Room/a', members: [] })).toBe('VALIDATION_ERROR');
    expect(await code({ type: 'arc', members: ['Room/a'] })).toBe('VALIDATION_ERROR');
    expect(await code({ type: 'bond', members: ['Room/a', 'Room/a@v1'] })).toBe('VALIDATION_ERROR');
    expect(await code({ type: 'set', members: ['Room/a', 'Room/a'] })).toBe('VALIDATION_ERROR');
    expect(await code({ type: 'arc', name: 'Bond/x', members: ['Room/a', 'Room/b'] })).toBe('VALIDATION_ERROR');
    expect(await code({ type: 'set', members: ['Room/nobody'] })).toBe('TARGET_NOT_FOUND');
    expect(await code({ kind: 'thing', name: 'Arc/y', data: { from: 'Room/a', to: 'Room/b' } })).toBe('RESERVED_NAME');
    expect(await code({ kind: 'collection', members: ['Room/a'] })).toBe('VALIDATION_ERROR');
    expect(await code({ type: 'circle', members: ['Room/a'] })).toBe('VALIDATION_ERROR');
  });
});

describe.each(ENGINES)('renames on %s', (engine) => {
  it('change the name alone, and free the old one at once', async () => {
    const repository = await rooms(engine);
    const before = await read(repository, 'Room/a');
    const { repoSeq, commitId, operations } = await repository.commit([rename('Room/a', 'Room/hall')]);
    expect(operations).toEqual([
      {
        opIndex: 0,
        operation: 'rename',
        kind: 'thing',
        name: 'Room/hall',
        submittedName: 'Room/a',
        version: 1,
        status: 'applied',
      },
    ]);
    expect(repoSeq).toBe(2);
    expect(commitId).toMatch(/^[0-9a-f]{64}$/);
    expect(await read(repository, 'Room/hall')).toEqual({
      ...before,
      name: 'Room/hall',
      wref: 'Room/hall',
      pinnedWref: 'Room/hall@v1',
    });
    await repository.commit([add('Room/a', { size: 9 })]);
    expect(await read(repository, 'Room/a', 1)).toEqual(before);
    expect(await read(repository, 'Room/a', 2)).toBeUndefined();
    expect(await read(repository, 'Room/a', 3)).toMatchObject({ data: { size: 9 } });
    expect(await read(repository, before?.durableId ?? '')).toMatchObject({ name: 'Room/hall' });
  });

  it('may cross each other within a commit, and leave names as they were when they come back', async () => {
    const repository = await rooms(engine);
    const [a, b] = [(await read(repository, 'Room/a'))?.durableId, (await read(repository, 'Room/b'))?.durableId];
    await repository.commit([rename('Room/a', 'Room/t'), rename('Room/b', 'Room/a'), rename('Room/t', 'Room/b')]);
    expect((await read(repository, 'Room/a'))?.durableId).toBe(b);
    expect((await read(repository, 'Room/b'))?.durableId).toBe(a);
    expect((await read(repository, 'Room/a', 1))?.durableId).toBe(a);
    const there = await repository.commit([rename('Room/a', 'Room/t'), rename('Room/t', 'Room/a')]);
    expect(there.repoSeq).toBe(3);
    expect((await read(repository, 'Room/a'))?.durableId).toBe(b);
    const fresh = await repository.commit([add('Room/n'), rename('Room/n', 'Room/m'), add('Room/n', { size: 1 })]);
    expect(codesOf(fresh)).toEqual(['applied', 'applied', 'applied']);
    expect(await read(repository, 'Room/m')).toMatchObject({ data: {} });
    expect(await read(repository, 'Room/n')).toMatchObject({ data: { size: 1 } });
  });

  it('of a shape take its records along, in the same commit too', async () => {
    const repository = await rooms(engine);
    await repository.commit([
      revise('Room/a', { size: 1 }),
      rename('Room', 'Chamber'),
      revise('Chamber/a', { size: 2 }),
      add('Chamber/c'),
      add('Sensor/s', { links: ['Chamber/a', 'Chamber/b', 'Chamber'] }),
      shape('Room', { label: 'string' }),
      add('Room/a', { label: 'another' }),
    ]);
    expect(await read(repository, 'Sensor/s')).toMatchObject({
      data: { links: ['Chamber/a@v3', 'Chamber/b@v1', 'Chamber@v1'] },
    });
    expect(await read(repository, 'Chamber/a')).toMatchObject({ version: 3, data: { size: 2 } });
    expect(await read(repository, 'Room/a')).toMatchObject({ version: 1, data: { label: 'another' } });
    expect(await read(repository, 'Room/a', 1)).toMatchObject({ version: 1, data: {} });
    const swap = [rename('Room', 'T'), rename('Chamber', 'Room'), rename('T', 'Chamber')];
    await repository.commit([...swap, revise('Chamber/a', { label: 'yet another' }), revise('Room/b', { size: 5 })]);
    expect(await read(repository, 'Room/a')).toMatchObject({ data: { size: 2 } });
    expect(await read(repository, 'Chamber/a')).toMatchObject({ version: 2, data: { label: 'yet another' } });
  });

  it('of a shape may make names longer than a new one can be, and those still lead to their records', async () => {
    const repository = await rooms(engine);
    const local = 'x'.repeat(500);
    const hall = `Hall${'-'.repeat(100)}`;
    await repository.commit([add(`Room/${local}`), rename('Room', hall)]);
    await repository.commit([revise(`${hall}/${local}`, { size: 1 }), add('Sensor/s', { room: `${hall}/${local}` })]);
    expect(await read(repository, `${hall}/${local}`)).toMatchObject({ version: 2 });
    expect((await refusal(repository.commit([add(`${hall}/y${local}`)]))).code).toBe('VALIDATION_ERROR');
  });

  it('are refused where the name is taken, changes the shape, or is not there', async () => {
    const repository = await rooms(engine);
    await repository.commit([add('Room/gone'), retract('Room/gone')]);
    const code = async (operation: object) => (await refusal(repository.commit([operation]))).code;
    expect(await code(rename('Room/a', 'Room/b'))).toBe('ALREADY_EXISTS');
    expect(await code(rename('Room/a', 'Room/gone'))).toBe('ALREADY_EXISTS');
    expect(await code(rename('Room/a', 'Sensor/a'))).toBe('VALIDATION_ERROR');
    expect(await code(rename('Room/a', 'Room'))).toBe('VALIDATION_ERROR');
    expect(await code(rename('Room', 'Room/a'))).toBe('VALIDATION_ERROR');
    expect(await code(rename('Room', 'Sensor'))).toBe('ALREADY_EXISTS');
    expect(await code(rename('Room', 'Set'))).toBe('RESERVED_NAME');
    expect(await code(rename('Room/x', 'Room/y'))).toBe('NOT_FOUND');
    expect(await code(rename('Room/a', 'Room/a b'))).toBe('VALIDATION_ERROR');
    expect(await code({ ...rename('Room/a', 'Room/z'), expectedVersion: 2 })).toBe('CONFLICT');
    expect(codesOf(await repository.commit([rename('Room/a', 'Room/a')]))).toEqual(['noop']);
    expect(codesOf(await repository.commit([rename('Room/gone', 'Room/lost')]))).toEqual(['applied']);
    await repository.commit([revise('Room/lost', { size: 1 })]);
    expect(await read(repository, 'Room/lost')).toMatchObject({ active: true, version: 3 });
  });

  it('are in the commit, with the names of the moment, and in its receipt', async () => {
    const repository = await rooms(engine);
    const submission = { id: 'x', owner: 'user:1', contentHash: new Uint8Array([1]) };
    const operations = [
      add('Room/n'),
      rename('Room/n', 'Room/m'),
      revise('Room/m', { size: 1 }),
      rename('Room', 'Hall'),
      revise('Hall/m', { size: 2 }),
    ];
    const result = await repository.commit(operations, { submission });
    expect(result.operations.map(({ operation, name }) => `${operation} ${name}`)).toEqual([
      'add Room/n',
      'rename Room/m',
      'revise Room/m',
      'rename Hall',
      'revise Hall/m',
    ]);
    await repository.commit([rename('Hall', 'Den'), rename('Den/m', 'Den/k')]);
    expect(await repository.commit(operations, { submission })).toEqual(result);
    const { store, grant } = await refreshed(repository);
    const read = await readCommit(store.database, grant, result.repoSeq);
    expect(read?.operations).toEqual(result.operations);
  });
});

describe.each(ENGINES)('tokens on %s', (engine) => {
  it('make unique names, and lead to them from anywhere a wref is taken', async () => {
    const repository = await rooms(engine);
    const { operations } = await repository.commit([
      add('Room/$1'),
      add('Room/hall-$2-x', { size: 1 }),
      add('Sensor/s', { room: '#1', links: ['#2@v1', '#1'] }),
      { name: 'Sensor/claim-$3', about: '#2', data: {} },
      { type: 'arc', name: '$4', members: ['#1', '#2'] },
      { operation: 'revise', name: '#2', data: { size: 2 } },
      { operation: 'rename', name: '#1', newName: 'Room/named' },
      { operation: 'retract', name: '#3' },
    ]);
    const [one, two, , claim, arc] = operations.map(({ name }) => name);
    expect(one).toMatch(/^Room\/[0-9a-z]{26}$/);
    expect(two).toMatch(/^Room\/hall-[0-9a-z]{26}-x$/);
    expect(arc).toMatch(/^Arc\/[0-9a-z]{26}$/);
    expect(operations[0]).toMatchObject({ submittedName: 'Room/$1' });
    expect(operations[5]).toMatchObject({ name: two, submittedName: '#2', version: 2 });
    expect(await read(repository, 'Sensor/s')).toMatchObject({
      data: { room: 'Room/named@v1', links: [`${two}@v1`, 'Room/named@v1'] },
    });
    expect(await read(repository, String(arc))).toMatchObject({ data: { from: 'Room/named@v1', to: `${two}@v1` } });
    expect(await read(repository, String(claim))).toMatchObject({ aboutWref: `${two}@v1`, active: false });
  });

  it('say what is wrong: never made, made later, failed, or used twice', async () => {
    const repository = await rooms(engine);
    const result = await repository.commit(
      [
        add('Sensor/a', { room: '#9' }),
        add('Sensor/b', { room: '#1' }),
        add('Room/$1'),
        add('Room/$1'),
        add('Room/$2', { size: 'wrong' }),
        add('Sensor/c', { room: '#2' }),
        { name: 'Sensor/d', about: '#2', data: {} },
        { operation: 'revise', name: '#2', data: {} },
        { operation: 'revise', name: '#7', data: {} },
        add('Room/named', { size: 'wrong' }),
        add('Sensor/e', { room: 'Room/named' }),
        { operation: 'revise', name: 'Room/named', data: {} },
        shape('Bad', { x: 'nothing' }),
        add('Bad/x'),
        add('Sensor/f', { room: '#x' }),
        { nonsense: true, name: 'Room/$5' },
        add('Sensor/g', { room: '#5' }),
        add('Sensor/ok', { room: '#1' }),
      ],
      { atomic: false },
    );
    expect(codesOf(result)).toEqual([
      'UNRESOLVED_TOKEN',
      'UNRESOLVED_TOKEN',
      'applied',
      'VALIDATION_ERROR',
      'SHAPE_MISMATCH',
      'DEPENDENCY_FAILED',
      'DEPENDENCY_FAILED',
      'DEPENDENCY_FAILED',
      'UNRESOLVED_TOKEN',
      'SHAPE_MISMATCH',
      'DEPENDENCY_FAILED',
      'DEPENDENCY_FAILED',
      'VALIDATION_ERROR',
      'DEPENDENCY_FAILED',
      'SHAPE_MISMATCH',
      'VALIDATION_ERROR',
      'DEPENDENCY_FAILED',
      'applied',
    ]);
    expect(result.operations[5]?.error?.message).toContain('operation 4');
  });

  it('and names are left unmade by what would have made them, and by nothing else', async () => {
    const repository = await rooms(engine);
    await repository.commit([shape('Hall', {}), retract('Hall')]);
    const result = await repository.commit(
      [
        { type: 'bond', name: 'tie', members: ['Room/a', 'Room/nobody'] },
        add('Sensor/a', { room: 'Bond/tie' }),
        rename('Room/a', 'Room/$1'),
        add('Room/$1'),
        rename('Room', 'Hall'),
        add('Hall/x'),
      ],
      { atomic: false },
    );
    expect(codesOf(result)).toEqual([
      'TARGET_NOT_FOUND',
      'DEPENDENCY_FAILED',
      'VALIDATION_ERROR',
      'applied',
      'ALREADY_EXISTS',
      'TARGET_NOT_FOUND',
    ]);
  });

  it('lead to what the first use made, whatever a second one asks for', async () => {
    const repository = await rooms(engine);
    const operations = [
      add('Sensor/$1'),
      { operation: 'revise', name: '#1', data: { room: 'Room/a' } },
      add('Room/$1'),
    ];
    const result = await repository.commit(operations, { atomic: false });
    expect(codesOf(result)).toEqual(['applied', 'applied', 'VALIDATION_ERROR']);
  });

  it('mean nothing outside their own commit', async () => {
    const repository = await rooms(engine);
    await repository.commit([add('Room/$1')]);
    expect((await refusal(repository.commit([add('Sensor/s', { room: '#1' })]))).code).toBe('UNRESOLVED_TOKEN');
  });
});

describe.each(ENGINES)('operations by durable ID on %s', (engine) => {
  it('change the record whatever it is called', async () => {
    const repository = await rooms(engine);
    const { durableId = '' } = (await read(repository, 'Room/a')) ?? {};
    const shapeId = (await read(repository, 'Room'))?.durableId ?? '';
    const { operations } = await repository.commit([
      rename(shapeId, 'Hall'),
      revise(durableId, { size: 1 }),
      rename(durableId, 'Hall/z'),
      retract(durableId),
    ]);
    expect(operations.map(({ name }) => name)).toEqual(['Hall', 'Hall/a', 'Hall/z', 'Hall/z']);
    expect(operations[1]).toMatchObject({ submittedName: durableId });
    const other = durableId.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    expect((await refusal(repository.commit([revise(other, {})]))).code).toBe('VALIDATION_ERROR');
    const far = await addTestRepository(repository.store, 'far');
    expect((await refusal(far.commit([revise(durableId, {})]))).code).toBe('NOT_FOUND');
  });
});

describe.each(ENGINES)('a committer on %s', (engine) => {
  it('is a record, pinned, which the commit itself may make', async () => {
    const repository = await rooms(engine);
    await repository.commit([shape('Agent', {}), add('Agent/bot')], { committer: 'Agent/bot' });
    await repository.commit([add('Room/c')], { committer: 'Agent/bot' });
    expect((await refusal(repository.commit([add('Room/d')], { committer: 'Agent/nobody' }))).code).toBe(
      'TARGET_NOT_FOUND',
    );
    await repository.commit([rename('Agent/bot', 'Agent/robot')]);
    expect(await read(repository, 'Room/c')).toMatchObject({ committerWref: 'Agent/robot@v1' });
    expect(await read(repository, 'Room/c', 3)).toMatchObject({ committerWref: 'Agent/bot@v1' });
    const { store, grant } = await refreshed(repository);
    const [, last] = await listCommits(store.database, grant, { before: undefined, limit: 2 });
    expect(last).toMatchObject({ committerWref: 'Agent/robot@v1' });
  });
});

describe.each(ENGINES)('an operation that fails on %s', (engine) => {
  it('leaves no trace, not even of a built-in shape that it would have needed first', async () => {
    const repository = await rooms(engine);
    const failing = { type: 'arc', name: 'x', members: ['Room/a', 'Room/nobody'] };
    const nothing = await repository.commit([failing], { atomic: false });
    expect(nothing).toMatchObject({ repoSeq: 1, commitId: null });
    expect(await read(repository, 'Arc')).toBeUndefined();
    await repository.commit([failing, { ...failing, name: 'y', members: ['Room/a', 'Room/b'] }], { atomic: false });
    expect(await read(repository, 'Arc/y')).toMatchObject({ version: 1 });
  });

  it('is told of by the record that it is about', async () => {
    const repository = await rooms(engine);
    const { durableId = '' } = (await read(repository, 'Room/a')) ?? {};
    await repository.commit([{ type: 'arc', name: 'x', members: ['Room/a', 'Room/b'] }, add('Sensor/s')]);
    const { operations } = await repository.commit(
      [
        { operation: 'revise', name: durableId, data: { size: 'wrong' } },
        { type: 'arc', name: 'x', members: ['Room/a', 'Room/b'] },
        { operation: 'revise', name: 'Arc/x', members: ['Room/a'] },
        add('Room/$1', { size: 'wrong' }),
        { operation: 'retract', name: 'Nothing/here' },
      ],
      { atomic: false },
    );
    expect(operations.map(({ kind, name, submittedName }) => [kind, name, submittedName])).toEqual([
      ['thing', 'Room/a', durableId],
      ['collection', 'Arc/x', 'x'],
      ['collection', 'Arc/x', undefined],
      ['thing', 'Room/$1', undefined],
      ['thing', 'Nothing/here', undefined],
    ]);
  });

  it('is not blamed for what is missing for another reason', async () => {
    const repository = await rooms(engine);
    const again = [add('Room/x', { size: 'wrong' }), add('Room/x'), rename('Room/x', 'Room/y')];
    const there = [add('Room/b'), rename('Room/b', 'Room/r'), retract('Room/b')];
    const result = await repository.commit([...again, add('Sensor/s', { room: 'Room/x' }), ...there], {
      atomic: false,
    });
    expect(codesOf(result).slice(3)).toEqual(['TARGET_NOT_FOUND', 'ALREADY_EXISTS', 'applied', 'NOT_FOUND']);
  });

  it('comes before what is wrong with the committer', async () => {
    const repository = await rooms(engine);
    const wrong = [add('Room/x', { size: 'wrong' })];
    expect((await refusal(repository.commit(wrong, { committer: 'Room/x' }))).code).toBe('SHAPE_MISMATCH');
  });

  it('leaves an answer of bearable size, however much is wrong', async () => {
    const repository = await rooms(engine);
    const links = Array.from({ length: 100 }, (_, n) => `Room/${n}-${'x'.repeat(400)}`);
    const operations = Array.from({ length: 300 }, (_, n) => add(`Sensor/${n}`, { links }));
    const refused = await refusal(repository.commit(operations));
    expect(refused.details.operations).toHaveLength(100);
    expect(refused.message).toContain('At least 100 of 300');
    expect(JSON.stringify(refused.details).length).toBeLessThan(500_000);
    const { operations: told } = await repository.commit(operations, { atomic: false });
    expect(told).toHaveLength(300);
    expect(JSON.stringify(told).length).toBeLessThan(700_000);
  });
});
