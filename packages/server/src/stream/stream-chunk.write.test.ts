// Chunks of a stream: applied once, with the offset that counts them.
import { CairnError } from '@cairn/protocol/errors';
import { DEFAULT_LIMITS } from '@cairn/protocol/limits';
import { describe, expect, it } from 'vitest';
import { addTestRepository, createTestRepository, readableOf } from '../../../../test/support/repository.ts';
import { ENGINES } from '../../../../test/support/store.ts';
import { applyLines, chunkInput, linesOf, packed, STREAM } from '../../../../test/support/stream.ts';
import { verifyRepository } from '../../../../test/support/verify.ts';
import { type LearnedShape, LineChecker } from './line-checker.rule.ts';
import { readRefusals, readStream } from './stream.sql.ts';

const shape = {
  kind: 'shape',
  name: 'T',
  data: { fields: { 'n?': { type: 'number', indexed: true }, 'to?': 'wref' } },
};
const add = (name: string, data: object = {}) => ({ name: `T/${name}`, data });

async function codeOf(promise: Promise<unknown>): Promise<unknown> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return error instanceof CairnError ? [error.code, error.details] : error;
}

describe.each(ENGINES)('chunks of a stream on %s', (engine) => {
  async function created() {
    const repository = await createTestRepository(engine);
    await repository.commit([shape]);
    return repository;
  }

  it('are one commit each, and move the offset by their lines', async () => {
    const repository = await created();
    const first = await applyLines(repository, linesOf([add('a'), add('b'), add('a')]));
    expect(first).toMatchObject({ repoSeq: 2, applied: 2, noop: 0, error: 1 });
    expect(first.errors).toMatchObject([{ line: 3, code: 'ALREADY_EXISTS' }]);
    const second = await applyLines(repository, `\n${linesOf([add('c', { n: 1 })])}  \r\n`, { offset: 3 });
    expect(second).toMatchObject({ repoSeq: 3, applied: 1, error: 0, errors: [] });
    expect(await readStream(repository.store.database, repository.grant, STREAM)).toMatchObject({
      state: 'open',
      offset: 6,
      repoSeq: 3,
      applied: 3,
      noop: 0,
      error: 1,
    });
    expect(await verifyRepository(repository.store, repository.grant.repoId)).toEqual([]);
  });

  it('are refused at another offset, with the right one, and change nothing', async () => {
    const repository = await created();
    await applyLines(repository, linesOf([add('a')]));
    const conflict = ['CONFLICT', { reason: 'offset', offset: 1 }];
    expect(await codeOf(applyLines(repository, linesOf([add('b')])))).toEqual(conflict);
    expect(await codeOf(applyLines(repository, linesOf([add('b')]), { offset: 2 }))).toEqual(conflict);
    expect(await codeOf(applyLines(repository, '', { offset: 2 }))).toEqual(conflict);
    expect(await applyLines(repository, '', { offset: 1 })).toMatchObject({ repoSeq: 2, stream: { offset: 1 } });
    expect(await applyLines(repository, linesOf([add('b')]), { owner: 'user:2' })).toMatchObject({ applied: 1 });
  });

  it('of an upload that lost its place are refused, even where the stream stands by chance', async () => {
    const repository = await created();
    const [mine, theirs] = [{ submissionId: 'mine' }, { submissionId: 'theirs' }];
    await applyLines(repository, linesOf([add('a')]), mine);
    const conflict = ['CONFLICT', { reason: 'offset', offset: 1 }];
    expect(await codeOf(applyLines(repository, linesOf([add('x')]), theirs))).toEqual(conflict);
    expect(await codeOf(applyLines(repository, linesOf([add('y')]), { ...theirs, offset: 1 }))).toEqual(conflict);
    expect(await applyLines(repository, linesOf([add('b')]), { ...mine, offset: 1 })).toMatchObject({ applied: 1 });
    const next = { submissionId: 'next', offset: 2 };
    expect(await applyLines(repository, linesOf([add('c')]), next)).toMatchObject({ applied: 1 });
  });

  it('end at a line that is no JSON, with what came before it', async () => {
    const repository = await created();
    const found = await applyLines(repository, `${linesOf([add('a')])}{"name":\n${linesOf([add('b')])}`);
    expect(found).toMatchObject({ applied: 1, stream: { offset: 1 } });
    const bytes = Buffer.concat([Buffer.from(linesOf([add('b')])), Buffer.from([0xff, 0x0a])]);
    const invalid = await applyLines(repository, bytes, { offset: 1 });
    expect(invalid).toMatchObject({ applied: 1, stream: { offset: 2 } });
    expect(packed(repository, bytes).unreadable?.message).toContain('UTF-8');
    const refused = await codeOf(applyLines(repository, `${linesOf([add('c')])}nonsense`, { offset: 2, atomic: true }));
    expect(refused).toEqual(['VALIDATION_ERROR', { line: 4 }]);
    expect(await readStream(repository.store.database, repository.grant, STREAM)).toMatchObject({ offset: 2 });
  });

  it('refuse what would change without a word, line by line', async () => {
    const repository = await created();
    const lines = '{"name":"T/a","data":{"n":1,"n":2}}\n{"name":"T/b","data":{"n":12345678901234567890}}\n"x"\n';
    const found = await applyLines(repository, lines + linesOf([add('c')]));
    expect(found).toMatchObject({ applied: 1, error: 3, stream: { offset: 4 } });
    expect(found.errors.map(({ line, code }) => [line, code])).toEqual([
      [1, 'VALIDATION_ERROR'],
      [2, 'VALIDATION_ERROR'],
      [3, 'VALIDATION_ERROR'],
    ]);
  });

  it('are all or none where that is asked for, told by lines', async () => {
    const repository = await created();
    await applyLines(repository, linesOf([add('a')]));
    const lines = linesOf([add('b'), add('a')]);
    const refused = await repository.store.write
      .applyChunk(chunkInput(repository, lines, { offset: 1, atomic: true }))
      .catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'ALREADY_EXISTS', message: expect.stringContaining('line 3') });
    expect(await readStream(repository.store.database, repository.grant, STREAM)).toMatchObject({ offset: 1 });
    expect(await applyLines(repository, linesOf([add('b')]), { offset: 1 })).toMatchObject({ applied: 1 });
  });

  it('keep tokens for the life of the stream', async () => {
    const repository = await created();
    await applyLines(repository, linesOf([add('x-$1'), { name: 'T/y-$2', data: 5 }]));
    const second = linesOf([
      add('b', { to: '#1' }),
      { operation: 'revise', name: '#1', data: { n: 7 } },
      add('c', { to: '#2' }),
      add('z-$1'),
      add('d', { to: '#3' }),
      add('e-$3'),
    ]);
    const found = await applyLines(repository, second, { offset: 2 });
    expect(found).toMatchObject({ applied: 3, error: 3 });
    expect(
      found.errors.map(({ line, code, message }) => [line, code, message.replaceAll(/.*(line \d+).*/g, '$1')]),
    ).toEqual([
      [5, 'DEPENDENCY_FAILED', 'line 2'],
      [6, 'VALIDATION_ERROR', 'line 1'],
      [7, 'UNRESOLVED_TOKEN', expect.stringContaining('#3')],
    ]);
    const third = linesOf([
      add('f', { to: '#3' }),
      add('again-$1'),
      { operation: 'rename', name: '#1', newName: 'T/named' },
    ]);
    expect(await applyLines(repository, third, { offset: 8 })).toMatchObject({ applied: 2, error: 1 });
    const other = await applyLines(repository, linesOf([add('g', { to: '#1' }), add('h-$1')]), { streamId: 'other' });
    expect(other.errors).toMatchObject([{ line: 1, code: 'UNRESOLVED_TOKEN' }]);
    expect(await verifyRepository(repository.store, repository.grant.repoId)).toEqual([]);
  });

  it('are as long as one commit can hold; a line that none can hold is refused', async () => {
    const repository = await created();
    await applyLines(repository, linesOf([add('self')]));
    const links = (name: string, count: number) => ({ name: `L/${name}`, data: { to: Array(count).fill('T/self') } });
    const shapes = Array.from({ length: 250 }, (_, n) => ({ kind: 'shape', name: `S${n}`, data: { fields: {} } }));
    const list = { kind: 'shape', name: 'L', data: { fields: { to: ['wref'] } } };
    const sent = [...shapes, list, links('a', 6), '', links('b', 6), links('c', 11), links('d', 1)];
    const lines = sent.map((one) => (one === '' ? '\n' : linesOf([one]))).join('');
    const order = { limits: { ...DEFAULT_LIMITS, commitReferences: 10 } };
    const input = chunkInput(repository, lines, order);
    const offsets = [1];
    const refused: unknown[] = [];
    while ((offsets.at(-1) ?? 0) < sent.length + 1) {
      const offset = offsets.at(-1) ?? 0;
      const part = { ...input, offset, skipped: offset - 1 };
      const { stream, errors } = await repository.store.write.applyChunk(part);
      refused.push(...errors.map(({ line, code }) => [line, code]));
      offsets.push(stream.offset);
    }
    expect(refused).toEqual([[1 + sent.length - 1, 'PAYLOAD_TOO_LARGE']]);
    expect(offsets.length).toBeGreaterThan(4);
    expect(await readStream(repository.store.database, repository.grant, STREAM)).toMatchObject({
      offset: sent.length + 1,
      applied: 1 + sent.length - 2,
      error: 1,
    });
    const atomic = chunkInput(repository, linesOf([links('e', 1), links('f', 11)]), { ...order, atomic: true });
    const end = { ...atomic, offset: sent.length + 1 };
    const { stream } = await repository.store.write.applyChunk(end);
    expect(stream.offset).toBe(end.offset + 1);
    const rest = repository.store.write.applyChunk({ ...end, offset: stream.offset, skipped: 1 });
    expect(await codeOf(rest)).toMatchObject(['PAYLOAD_TOO_LARGE', { failed: 1 }]);
    expect(await verifyRepository(repository.store, repository.grant.repoId)).toEqual([]);
  });

  it('leave their refusals for who did not hear of them, until the stream is closed', async () => {
    const repository = await created();
    const { store, grant } = repository;
    const key = { repoId: grant.repoId, ...STREAM };
    const wrong = { name: 'T/wrong', data: { n: 'x' } };
    await applyLines(repository, linesOf([wrong, add('a'), wrong]));
    const { errors } = await applyLines(repository, linesOf([add('b'), wrong]), { offset: 3 });
    const all = await readRefusals(store.database, key, 0);
    expect(all.map(({ line, code }) => [line, code])).toEqual([1, 3, 5].map((line) => [line, 'SHAPE_MISMATCH']));
    expect(await readRefusals(store.database, key, 3)).toEqual(errors);
    const blank = '\n'.repeat(19_000);
    await applyLines(repository, `${blank}${linesOf(Array(1_001).fill(wrong))}`, { offset: 5 });
    expect((await readRefusals(store.database, key, 0)).map(({ line }) => line)).toEqual(
      Array.from({ length: 1_000 }, (_, index) => 19_006 + index),
    );
    expect(await readRefusals(store.database, key, 20_005)).toMatchObject([{ line: 20_006 }]);
    await store.write.closeStream({ grant, ...STREAM, now: 5 });
    expect(await readRefusals(store.database, key, 0)).toEqual([]);
  });

  it('take no more lines once the stream is closed', async () => {
    const repository = await created();
    const { store, grant } = repository;
    await applyLines(repository, linesOf([add('x-$1'), add('x-$2'), add('x-$3')]));
    const closed = await store.write.closeStream({ grant, ...STREAM, now: 5 });
    expect(closed).toMatchObject({ state: 'closed', offset: 3, closedAt: 5 });
    expect(await store.write.closeStream({ grant, ...STREAM, now: 9 })).toEqual(closed);
    expect(await codeOf(applyLines(repository, linesOf([add('b')]), { offset: 3 }))).toEqual([
      'CONFLICT',
      { reason: 'closed' },
    ]);
    const tokens = () => store.database.query('select label from stream_token');
    expect(await tokens()).toEqual([{ label: 1 }, { label: 2 }, { label: 3 }]);
    const step = { grant, ...STREAM, placeholdersMax: 2 };
    expect(await store.write.forgetPlaceholders(step)).toBe(false);
    expect(await tokens()).toEqual([{ label: 3 }]);
    expect(await store.write.forgetPlaceholders(step)).toBe(true);
    expect(await tokens()).toEqual([]);
    const unused = { ...STREAM, streamId: 'unused' };
    expect(await store.write.closeStream({ grant, ...unused, now: 5 })).toMatchObject({
      state: 'closed',
      offset: 0,
    });
  });

  it('name the repositories that they lead to, and refer to those that may be read', async () => {
    const near = await created();
    const far = await addTestRepository(near.store, 'far');
    await far.commit([shape, add('there')]);
    const lines = linesOf([add('a', { to: 'wh:far/world/T/there' }), add('b', { to: 'wh:acme/world/T/a' })]);
    expect(packed(near, lines).referred).toEqual([
      { orgName: 'far', repoName: 'world' },
      { orgName: 'acme', repoName: 'world' },
    ]);
    const hidden = await applyLines(near, lines);
    expect(hidden.errors).toMatchObject([
      { line: 1, code: 'TARGET_NOT_FOUND' },
      { line: 2, code: 'DEPENDENCY_FAILED' },
    ]);
    const readable = [readableOf(far)];
    expect(await applyLines(near, lines, { offset: 2, readable })).toMatchObject({ applied: 2 });
  });

  it('are checked ahead against what the writer told of shapes, as long as that holds', async () => {
    const repository = await created();
    const { grant } = repository;
    const checker = new LineChecker();
    const checked = (operations: unknown[], learned: readonly LearnedShape[] = []) => {
      const bytes = new TextEncoder().encode(linesOf(operations));
      const request = {
        repoId: grant.repoId,
        bytes,
        skipExisting: false,
        committer: undefined,
        limits: DEFAULT_LIMITS,
      };
      return checker.check({ ...request, learned });
    };
    const first = await applyLines(repository, '', { lines: checked([add('a', { n: 1 })]) });
    expect(first.learned).toMatchObject([{ shapeName: 'T' }]);
    const operations = [
      add('b', { to: 'T/a', n: 2 }),
      add('c', { to: 'T/missing' }),
      add('d', { n: 'none' }),
      add('e', { other: '\0' + '0', to: 'T/a' }),
      add('a'),
    ];
    const lines = checked(operations, first.learned);
    expect(lines.definitions).toMatchObject([{ shapeName: 'T' }]);
    const second = await applyLines(repository, '', { offset: 1, lines });
    expect(second.learned).toEqual([]);
    expect(second.errors).toMatchObject([
      { line: 3, code: 'TARGET_NOT_FOUND' },
      { line: 4, code: 'SHAPE_MISMATCH' },
      { line: 6, code: 'ALREADY_EXISTS' },
    ]);
    await repository.commit([{ operation: 'revise', name: 'T', data: { fields: { n: 'number' } } }]);
    const third = await applyLines(repository, '', { offset: 6, lines: checked([add('f', { n: 3 }), add('g')]) });
    expect(third).toMatchObject({
      applied: 1,
      errors: [{ line: 8, code: 'SHAPE_MISMATCH' }],
      learned: [{ shapeName: 'T' }],
    });
    expect(await verifyRepository(repository.store, grant.repoId)).toEqual([]);
  });
});
