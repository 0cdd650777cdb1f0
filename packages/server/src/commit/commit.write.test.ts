import type { CairnError } from '@cairn/protocol/errors';
import { describe, expect, it } from 'vitest';
import {
  addTestRepository,
  commitInput,
  createTestRepository,
  recordWref,
  type TestRepository,
} from '../../../../test/support/repository.ts';
import { ENGINES } from '../../../../test/support/store.ts';
import { findRecords, listVersions } from '../read/record.sql.ts';
import { listCommits, readCommit } from './commit-read.sql.ts';

const location = { kind: 'shape', name: 'Location', data: { fields: { x: 'number', 'label?': 'string' } } };
const add = (name: string, data: unknown = { x: 1 }) => ({ operation: 'add', name, data });
const revise = (name: string, data: unknown, rest: object = {}) => ({ operation: 'revise', name, data, ...rest });
const retract = (name: string, rest: object = {}) => ({ operation: 'retract', name, ...rest });

async function read({ store, grant }: TestRepository, wref: string, atRepoSeq = Number.MAX_SAFE_INTEGER) {
  const [found] = await findRecords(store.database, grant, { wrefs: [recordWref(wref)], atRepoSeq });
  return found;
}

async function refusal(promise: Promise<unknown>): Promise<CairnError> {
  return await promise.then(
    () => Promise.reject(new Error('it was not refused')),
    (error: CairnError) => error,
  );
}

describe.each(ENGINES)('commits on %s', (engine) => {
  it('add, revise and retract, each commit with one sequence', async () => {
    const repository = await createTestRepository(engine);
    const { commit } = repository;
    expect(await commit([location, add('Location/cave')])).toMatchObject({
      repoSeq: 1,
      partial: false,
      operations: [
        { opIndex: 0, operation: 'add', kind: 'shape', name: 'Location', version: 1, status: 'applied' },
        { opIndex: 1, operation: 'add', kind: 'thing', name: 'Location/cave', version: 1, status: 'applied' },
      ],
    });
    expect(await commit([revise('Location/cave', { x: 2 })])).toMatchObject({
      repoSeq: 2,
      operations: [{ version: 2 }],
    });
    expect(await commit([retract('Location/cave', { reason: 'collapsed' })])).toMatchObject({ repoSeq: 3 });
    expect(await read(repository, 'Location/cave')).toMatchObject({
      version: 3,
      active: false,
      reason: 'collapsed',
      data: { x: 2 },
    });
    expect(await commit([revise('Location/cave', { x: 2 })])).toMatchObject({
      operations: [{ version: 4, status: 'applied' }],
    });
    expect(await read(repository, 'Location/cave')).toMatchObject({ version: 4, active: true, createdBy: 'user:ada' });
  });

  it('read as it was at every sequence, by name, version and identity', async () => {
    const repository = await createTestRepository(engine);
    const { commit, store, grant } = repository;
    await commit([location]);
    await commit([add('Location/cave', { x: 1 })]);
    await commit([revise('Location/cave', { x: 2 })]);
    expect(await read(repository, 'Location/cave', 1)).toBeUndefined();
    expect(await read(repository, 'Location/cave', 2)).toMatchObject({ version: 1, data: { x: 1 }, repoSeq: 2 });
    expect(await read(repository, 'Location/cave@v1')).toMatchObject({ version: 1, data: { x: 1 } });
    expect(await read(repository, 'Location/cave@v2', 2)).toBeUndefined();
    const head = await read(repository, 'Location/cave@HEAD');
    expect(head).toMatchObject({
      version: 2,
      wref: 'Location/cave',
      pinnedWref: 'Location/cave@v2',
      shapeName: 'Location',
    });
    expect(await read(repository, head?.durableId ?? '')).toEqual(head);
    const page = { recordId: 2, atRepoSeq: 3, before: undefined, limit: 10, maxBytes: 1e9 };
    expect((await listVersions(store.database, grant, page)).map(({ version }) => version)).toEqual([2, 1]);
  });

  it('apply nothing when one operation fails, and name it', async () => {
    const repository = await createTestRepository(engine);
    const { commit, store, grant } = repository;
    await commit([location]);
    const operations = Array.from({ length: 50 }, (_, n) => add(`Location/l${n}`, { x: n === 31 ? 'many' : n }));
    const error = await refusal(commit(operations));
    expect(error).toMatchObject({
      code: 'SHAPE_MISMATCH',
      details: {
        failed: 1,
        operations: [{ index: 31, name: 'Location/l31', code: 'SHAPE_MISMATCH', details: [{ path: '/x' }] }],
      },
    });
    expect(await read(repository, 'Location/l0')).toBeUndefined();
    expect(await listCommits(store.database, grant, { before: undefined, limit: 10 })).toHaveLength(1);
    const partial = await commit(operations, { atomic: false });
    expect(partial).toMatchObject({ repoSeq: 2, partial: true });
    expect(partial.operations.filter(({ status }) => status === 'applied')).toHaveLength(49);
    expect(partial.operations[31]).toMatchObject({ status: 'error', error: { code: 'SHAPE_MISMATCH' } });
  });

  it('take no sequence when nothing was applied', async () => {
    const { commit } = await createTestRepository(engine);
    await commit([location, add('Location/cave')]);
    expect(await commit([revise('Location/cave', { x: 1 })])).toMatchObject({
      repoSeq: 1,
      commitId: null,
      operations: [{ status: 'noop', version: 1 }],
    });
    expect(await commit([{ ...add('Location/cave', { x: 5 }), skipExisting: true }])).toMatchObject({
      repoSeq: 1,
      commitId: null,
    });
    expect(await commit([add('Location/cave', { x: 5 })], { skipExisting: true })).toMatchObject({
      operations: [{ status: 'noop' }],
    });
    expect(
      await commit([{ operation: 'add', name: 'Location', kind: 'thing', data: {} }], { atomic: false }),
    ).toMatchObject({
      repoSeq: 1,
      partial: false,
    });
  });

  it('let a later operation see an earlier one, and change a record several times', async () => {
    const repository = await createTestRepository(engine);
    const { commit } = repository;
    const result = await commit([
      location,
      add('Location/cave', { x: 1 }),
      revise('Location/cave', { x: 2 }, { expectedVersion: 1 }),
      retract('Location/cave', { expectedVersion: 2 }),
      revise('Location/cave', { x: 3 }, { expectedVersion: 3 }),
    ]);
    expect(result.operations.map(({ version }) => version)).toEqual([1, 1, 2, 3, 4]);
    expect(await read(repository, 'Location/cave')).toMatchObject({ version: 4, data: { x: 3 } });
    expect(await read(repository, 'Location/cave', 1)).toMatchObject({ version: 4 });
    expect(await read(repository, 'Location/cave@v2')).toMatchObject({ version: 2, data: { x: 2 } });
  });

  it.each<[string, unknown, string]>([
    ['an unknown shape', add('Nowhere/x'), 'TARGET_NOT_FOUND'],
    ['a name that is taken', add('Location/taken'), 'ALREADY_EXISTS'],
    ['a shape that is taken', location, 'ALREADY_EXISTS'],
    ['a record that is not there', revise('Location/none', { x: 1 }), 'NOT_FOUND'],
    ['a record of a shape that is not there', retract('Nowhere/none'), 'NOT_FOUND'],
    ['another version than the present one', revise('Location/taken', { x: 9 }, { expectedVersion: 7 }), 'CONFLICT'],
    ['data that does not fit', add('Location/y', { x: 'one' }), 'SHAPE_MISMATCH'],
    ['data that is no object', add('Location/y', 'text'), 'SHAPE_MISMATCH'],
    ['a built-in shape', { kind: 'shape', name: 'Arc', data: { fields: {} } }, 'RESERVED_NAME'],
    ['a record of a guarded shape', add('ComponentInstall/x', {}), 'RESERVED_NAME'],
    [
      'a shape whose fields are wrong',
      { kind: 'shape', name: 'Bad', data: { fields: { x: 'numbr' } } },
      'VALIDATION_ERROR',
    ],
    ['an unknown operation', { operation: 'upsert', name: 'Location/y', data: {} }, 'VALIDATION_ERROR'],
    ['an unknown field', { ...add('Location/y'), nmae: 1 }, 'VALIDATION_ERROR'],
    ['no data', { operation: 'add', name: 'Location/y' }, 'VALIDATION_ERROR'],
    ['no object', 'add', 'VALIDATION_ERROR'],
    ['a name with white space', add('Location/a b'), 'VALIDATION_ERROR'],
    ['a thing without a name of its own', add('Location'), 'VALIDATION_ERROR'],
  ])('refuse %s', async (_, operation, code) => {
    const { commit } = await createTestRepository(engine);
    await commit([location, add('Location/taken')]);
    expect(await refusal(commit([operation]))).toMatchObject({ code, details: { operations: [{ index: 0, code }] } });
    expect(await commit([operation], { atomic: false })).toMatchObject({
      repoSeq: 1,
      operations: [{ status: 'error', error: { code } }],
    });
  });

  it('make a built-in shape at its first use', async () => {
    const repository = await createTestRepository(engine);
    const { commit, store, grant } = repository;
    const written = await commit([add('Content/Readme', { content: '# World' })]);
    expect(written.operations).toHaveLength(1);
    expect(await read(repository, 'Content')).toMatchObject({ kind: 'shape', version: 1 });
    expect(await readCommit(store.database, grant, 1)).toMatchObject({
      operations: [{ name: 'Content/Readme' }],
    });
    expect(await refusal(commit([revise('Content/Readme', { content: 'x'.repeat(65_537) })]))).toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
    });
  });

  it('forget what a draft that was never written made of a shape', async () => {
    const { commit, store, grant } = await createTestRepository(engine);
    const shape = (fields: object) => ({ operation: 'revise', name: 'Location', data: { fields } });
    await commit([location]);
    await store.write.dryRunCommit(commitInput(grant, [shape({ bogus: 'string' }), add('Location/x', { bogus: '' })]));
    await refusal(commit([shape({ other: 'string' }), add('Location/y', { nothing: 1 })]));
    await commit([shape({ x: 'number', label: 'string' })]);
    expect(await refusal(commit([add('Location/z', { bogus: '' })]))).toMatchObject({ code: 'SHAPE_MISMATCH' });
    expect(await commit([add('Location/z', { x: 1, label: 'z' })])).toMatchObject({ repoSeq: 3 });
  });

  it('show only the first hundred failures in detail', async () => {
    const { commit } = await createTestRepository(engine);
    await commit([location]);
    const operations = Array.from({ length: 150 }, (_, n) => add(`Location/l${n}`, { x: 'wrong' }));
    const { operations: results } = await commit(operations, { atomic: false });
    expect(results.filter(({ error }) => error?.details !== undefined)).toHaveLength(100);
    expect(results.every(({ error }) => error?.code === 'SHAPE_MISMATCH')).toBe(true);
    expect(
      await refusal(commit(Array.from({ length: 201 }, (_, n) => ({ ...location, name: `S${n}` })))),
    ).toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
    });
  });

  it('take no sequence in a repository that was archived or deleted meanwhile', async () => {
    const { commit, store, grant } = await createTestRepository(engine);
    await commit([location]);
    const [archived, committed] = await Promise.allSettled([
      store.write.setRepositoryArchived({ grant, archived: true, now: Date.now() }),
      commit([add('Location/late')]),
    ]);
    expect(archived.status).toBe('fulfilled');
    const { repoSeq } = archived.status === 'fulfilled' ? archived.value : { repoSeq: -1 };
    if (committed.status === 'fulfilled') expect(committed.value.repoSeq).toBe(repoSeq);
    else expect(committed.reason).toMatchObject({ code: 'ARCHIVED' });
    expect(await refusal(commit([add('Location/later')]))).toMatchObject({ code: 'ARCHIVED' });
    await store.write.setRepositoryArchived({ grant, archived: false, now: Date.now() });
    await store.write.deleteRepository({ grant, now: Date.now() });
    expect(await refusal(commit([add('Location/latest')]))).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('validate records by the shape as it is, and keep every version of it', async () => {
    const repository = await createTestRepository(engine);
    const { commit } = repository;
    await commit([location, add('Location/cave', { x: 1 })]);
    await commit([revise('Location', { fields: { x: 'number', y: 'number' } })]);
    expect(await refusal(commit([revise('Location/cave', { x: 2 })]))).toMatchObject({ code: 'SHAPE_MISMATCH' });
    expect(await read(repository, 'Location/cave')).toMatchObject({ version: 1, data: { x: 1 } });
    expect(await read(repository, 'Location@v1')).toMatchObject({ data: { fields: { x: 'number' } } });
    await commit([retract('Location')]);
    expect(await refusal(commit([add('Location/new', { x: 1, y: 1 })]))).toMatchObject({ code: 'TARGET_NOT_FOUND' });
  });

  it('keep undeclared fields and warn about them', async () => {
    const repository = await createTestRepository(engine);
    const result = await repository.commit([location, add('Location/cave', { x: 1, mood: 'dark' })]);
    expect(result.operations[1]).toMatchObject({ status: 'applied', warnings: { undeclaredFields: ['/mood'] } });
    expect(await read(repository, 'Location/cave')).toMatchObject({ data: { x: 1, mood: 'dark' } });
  });

  it('evaluate a dry run without writing or reserving anything', async () => {
    const { store, grant, commit } = await createTestRepository(engine);
    await commit([location]);
    const operations = [add('Location/cave'), add('Location/cave')];
    const dry = await store.write.dryRunCommit(commitInput(grant, operations, { atomic: false }));
    expect(dry).toMatchObject({
      repoSeq: 1,
      commitId: null,
      partial: true,
      operations: [{ status: 'applied' }, { status: 'error' }],
    });
    expect(await refusal(store.write.dryRunCommit(commitInput(grant, operations)))).toMatchObject({
      code: 'ALREADY_EXISTS',
    });
    expect(await commit([add('Location/cave')])).toMatchObject({ repoSeq: 2 });
  });

  it('form a chain', async () => {
    const { commit, store, grant } = await createTestRepository(engine);
    const ids = [];
    for (const n of [1, 2, 3])
      ids.push((await commit([n === 1 ? location : add(`Location/l${n}`)], { message: `m${n}` })).commitId);
    const log = await listCommits(store.database, grant, { before: undefined, limit: 10 });
    expect(log.map(({ repoSeq, commitId, message }) => [repoSeq, commitId, message])).toEqual([
      [3, ids[2], 'm3'],
      [2, ids[1], 'm2'],
      [1, ids[0], 'm1'],
    ]);
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{64}$/);
  });

  it('stay apart in different repositories', async () => {
    const first = await createTestRepository(engine);
    const second = await addTestRepository(first.store, 'other');
    await first.commit([location, add('Location/cave', { x: 1 })]);
    expect(
      await second.commit([{ ...location, data: { fields: { x: 'string' } } }, add('Location/cave', { x: 'one' })]),
    ).toMatchObject({ repoSeq: 1 });
    expect(await read(first, 'Location/cave')).toMatchObject({ data: { x: 1 } });
    expect(await read(second, 'Location/cave')).toMatchObject({ data: { x: 'one' } });
  });
});

describe.each(ENGINES)('submission ids on %s', (engine) => {
  const submission = (content: string, owner = 'user:1') => ({
    id: '8e9c4a9e-0000-4000-8000-000000000001',
    owner,
    contentHash: new TextEncoder().encode(content),
  });

  it('apply a commit once, and answer the same receipt every time', async () => {
    const { commit } = await createTestRepository(engine);
    await commit([location, add('Location/old')]);
    const operations = [
      add('Location/old'),
      add('Location/a', { x: 1, extra: true }),
      { bad: 1 },
      revise('Location/old', { x: 1 }),
    ];
    const options = { atomic: false, submission: submission('content') };
    const results = await Promise.all(Array.from({ length: 20 }, () => commit(operations, options)));
    expect(results[0]).toMatchObject({ repoSeq: 2, partial: true });
    expect(results[0]?.operations.map(({ status }) => status)).toEqual(['error', 'applied', 'error', 'noop']);
    for (const result of results) expect(result).toEqual(results[0]);
    expect(await commit([add('Location/b')])).toMatchObject({ repoSeq: 3 });
    expect(await commit(operations, options)).toEqual(results[0]);
  });

  it('refuse other content, and are unrelated for another owner', async () => {
    const { commit } = await createTestRepository(engine);
    await commit([location], { submission: submission('a') });
    expect(await refusal(commit([add('Location/a')], { submission: submission('b') }))).toMatchObject({
      code: 'CONFLICT',
      details: { reason: 'submission_mismatch' },
    });
    expect(await commit([add('Location/a')], { submission: submission('b', 'user:2') })).toMatchObject({ repoSeq: 2 });
  });

  it('are answered even when the repository takes no more commits', async () => {
    const { commit, store, grant } = await createTestRepository(engine);
    const first = await commit([location], { submission: submission('a') });
    await store.write.setRepositoryArchived({ grant, archived: true, now: Date.now() });
    expect(await commit([location], { submission: submission('a') })).toEqual(first);
    expect(await refusal(commit([add('Location/a')]))).toMatchObject({ code: 'ARCHIVED' });
  });

  it('are free again when the commit was refused, and kept when it changed nothing', async () => {
    const { commit } = await createTestRepository(engine);
    await commit([location, add('Location/a')]);
    const options = { submission: submission('x') };
    await refusal(commit([add('Location/a')], options));
    const noop = await commit([revise('Location/a', { x: 1 })], options);
    expect(noop).toMatchObject({ repoSeq: 1, commitId: null });
    expect(await commit([revise('Location/a', { x: 1 })], options)).toEqual(noop);
  });
});
