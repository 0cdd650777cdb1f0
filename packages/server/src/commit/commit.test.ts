// Commits, shapes and things by procedures: permissions, visibility and answers.

import { CairnClient, CairnError } from '@cairn/sdk';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import { createPerson } from '../../../../test/support/person.ts';
import { addTestRepository, commitInput } from '../../../../test/support/repository.ts';
import { createOwnerToken, OWNER, startTestServer } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import { createToken } from '../account/account.ts';

type Engine = (typeof UPPER_ENGINES)[number];

async function connect(engine: Engine) {
  const { url, store } = await startTestServer(engine);
  const owner = new CairnClient({ url, token: await createOwnerToken(store) });
  const withScopes = async (name: string, permissions: ('repo:read' | 'repo:write')[]) => {
    const { token } = await createToken(store, { email: OWNER.email, name, scopes: [{ permissions }] });
    return new CairnClient({ url, token });
  };
  return { url, store, owner, withScopes, anonymous: new CairnClient({ url }) };
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  return await promise.then(
    () => 'done',
    (error: unknown) => (error instanceof CairnError ? error.code : String(error)),
  );
}

const fields = { x: 'number', 'label?': 'string' };
const add = (name: string, x = 1) => ({ operation: 'add', name, data: { x } });

describe.each(UPPER_ENGINES)('commits by procedures on %s', (engine) => {
  it(
    verifies('write shapes and records through the SDK', '4.6/shapes-sdk', '4.6/shapes-commits', '4.6/writes-sdk'),
    async () => {
      const { owner } = await connect(engine);
      await owner.repo.create('ada', 'world');
      const shape = await owner.shape.create('ada', 'world', 'Location', { fields });
      expect(shape).toMatchObject({ name: 'Location', version: 1, data: { fields }, indexes: [] });
      expect(
        await owner.shape.revise('ada', 'world', 'Location', { fields: { ...fields, y: 'number?' } }),
      ).toMatchObject({ version: 2 });
      const operations = [
        { kind: 'shape', name: 'Person', data: { fields: { name: 'string' } } },
        add('Location/cave'),
      ];
      expect(await owner.commit.submit('ada', 'world', { operations, message: 'both' })).toMatchObject({ repoSeq: 3 });
      expect((await owner.shape.list('ada', 'world')).items.map(({ name }) => name)).toEqual(['Location', 'Person']);
      expect((await owner.shape.history('ada', 'world', 'Location')).items.map(({ version }) => version)).toEqual([
        2, 1,
      ]);
      expect(await owner.shape.retract('ada', 'world', 'Person', { reason: 'nobody' })).toMatchObject({
        active: false,
        reason: 'nobody',
      });
      expect((await owner.shape.list('ada', 'world')).items).toHaveLength(1);
      expect(await owner.thing.get('ada', 'world', 'Location/cave')).toMatchObject({
        createdBy: 'token:ada/all',
        data: { x: 1 },
      });
      expect(await owner.commit.get('ada', 'world', 3)).toMatchObject({
        message: 'both',
        operationCount: 2,
        operations: [{}, {}],
      });
    },
  );

  it(
    verifies(
      'number commits by an integer sequence that only goes up',
      '2.1/repo-seq-integer',
      '2.1/repo-seq-monotonic',
    ),
    async () => {
      const { owner } = await connect(engine);
      expect((await owner.repo.create('ada', 'world')).repoSeq).toBe(0);
      await owner.shape.create('ada', 'world', 'Location', { fields });
      const seen = [1];
      for (let n = 0; n < 5; n++) {
        const { repoSeq } = await owner.commit.submit('ada', 'world', { operations: [add(`Location/l${n}`)] });
        expect(Number.isInteger(repoSeq)).toBe(true);
        expect((await owner.repo.get('ada', 'world')).repoSeq).toBe(repoSeq);
        seen.push(repoSeq);
      }
      expect(seen).toEqual([1, 2, 3, 4, 5, 6]);
    },
  );

  it(verifies('of one repository show nothing of another', '1/hosts-repos'), async () => {
    const { owner } = await connect(engine);
    for (const name of ['first', 'second']) {
      await owner.repo.create('ada', name);
      await owner.shape.create('ada', name, 'Location', { fields });
      await owner.commit.submit('ada', name, { operations: [add(`Location/${name}`)] });
    }
    expect(await codeOf(owner.thing.get('ada', 'first', 'Location/second'))).toBe('NOT_FOUND');
    expect(await owner.thing.get('ada', 'first', 'Location/first')).toMatchObject({ name: 'Location/first' });
    expect(JSON.stringify(await owner.commit.log('ada', 'first'))).not.toContain('second');
  });

  it('are for who may write, and read by who may read', async () => {
    const { owner, anonymous, withScopes, store, url } = await connect(engine);
    for (const visibility of ['public', 'private'] as const) {
      await owner.repo.create('ada', visibility, { visibility });
      await owner.shape.create('ada', visibility, 'Location', { fields });
    }
    const reader = await withScopes('reader', ['repo:read']);
    const writer = await withScopes('writer', ['repo:write']);
    await createPerson(store, { email: 'eve@example.com', password: 'long enough it is', operator: false });
    const { token } = await createToken(store, {
      email: 'eve@example.com',
      name: 'eve',
      scopes: [{ permissions: ['repo:read', 'repo:write'] }],
    });
    const stranger = new CairnClient({ url, token });
    const outcomes = async (client: CairnClient, repo: string) => ({
      submit: await codeOf(client.commit.submit('ada', repo, { operations: [add(`Location/${Math.random()}`)] })),
      validate: await codeOf(client.commit.validate('ada', repo, { operations: [add('Location/tried')] })),
      create: await codeOf(client.shape.create('ada', repo, `S${Math.random()}`, { fields })),
      get: await codeOf(client.shape.get('ada', repo, 'Location')),
      log: await codeOf(client.commit.log('ada', repo)),
    });
    const denied = (code: string) => ({ submit: code, validate: code, create: code });
    expect(await outcomes(anonymous, 'public')).toEqual({ ...denied('UNAUTHENTICATED'), get: 'done', log: 'done' });
    expect(await outcomes(anonymous, 'private')).toEqual({
      ...denied('UNAUTHENTICATED'),
      get: 'NOT_FOUND',
      log: 'NOT_FOUND',
    });
    expect(await outcomes(stranger, 'public')).toEqual({ ...denied('FORBIDDEN'), get: 'done', log: 'done' });
    expect(await outcomes(stranger, 'private')).toEqual({ ...denied('NOT_FOUND'), get: 'NOT_FOUND', log: 'NOT_FOUND' });
    expect(await outcomes(reader, 'private')).toEqual({
      submit: 'FORBIDDEN',
      validate: 'done',
      create: 'FORBIDDEN',
      get: 'done',
      log: 'done',
    });
    expect(await outcomes(writer, 'private')).toEqual({
      submit: 'done',
      validate: 'done',
      create: 'done',
      get: 'NOT_FOUND',
      log: 'NOT_FOUND',
    });
    expect(await outcomes(owner, 'missing')).toEqual({ ...denied('NOT_FOUND'), get: 'NOT_FOUND', log: 'NOT_FOUND' });
  });

  it('tell a caller who may not read neither hashes nor what others wrote', async () => {
    const { owner, withScopes } = await connect(engine);
    await owner.repo.create('ada', 'world');
    await owner.shape.create('ada', 'world', 'Location', { fields, description: 'a secret of the shape' });
    await owner.commit.submit('ada', 'world', { operations: [add('Location/a')] });
    const writer = await withScopes('writer', ['repo:write']);
    const skipped = await writer.commit.submit('ada', 'world', { operations: [add('Location/a')], skipExisting: true });
    expect(skipped).toMatchObject({ operations: [{ status: 'noop' }] });
    expect(JSON.stringify(skipped)).not.toContain('dataHash');
    const guess = (x: number) => ({ operations: [{ operation: 'revise', name: 'Location/a', data: { x } }] });
    const [right, wrong] = [
      await writer.commit.validate('ada', 'world', guess(1)),
      await writer.commit.validate('ada', 'world', guess(2)),
    ];
    expect(right).toEqual(wrong);
    expect(JSON.stringify(await writer.shape.retract('ada', 'world', 'Location'))).not.toContain('secret');
  });

  it('write how components are set up only with repo:configure', async () => {
    const { owner, withScopes } = await connect(engine);
    await owner.repo.create('ada', 'world');
    const operations = [{ name: 'ComponentConfig/mail', data: { config: { on: true } } }];
    const writer = await withScopes('writer', ['repo:write']);
    expect(await codeOf(writer.commit.submit('ada', 'world', { operations }))).toBe('FORBIDDEN');
    await owner.commit.submit('ada', 'world', { operations });
    const { durableId } = await owner.thing.get('ada', 'world', 'ComponentConfig/mail');
    for (const name of ['ComponentConfig/mail', durableId]) {
      const retract = { operations: [{ operation: 'retract', name }] };
      expect(await codeOf(writer.commit.submit('ada', 'world', retract))).toBe('FORBIDDEN');
    }
  });

  it('name tokens to members alone', async () => {
    const { owner, anonymous } = await connect(engine);
    await owner.repo.create('ada', 'world', { visibility: 'public' });
    await owner.shape.create('ada', 'world', 'Location', { fields });
    expect((await owner.commit.log('ada', 'world')).items[0]?.createdBy).toBe('token:ada/all');
    for (const answer of [
      await anonymous.commit.log('ada', 'world'),
      await anonymous.commit.get('ada', 'world', 1),
      await anonymous.shape.list('ada', 'world'),
      await anonymous.shape.get('ada', 'world', 'Location'),
      await anonymous.thing.getMany('ada', 'world', ['Location']),
      await anonymous.thing.history('ada', 'world', 'Location'),
    ]) {
      expect(JSON.stringify(answer)).toContain('"createdBy":"token:ada"');
    }
  });

  it('are read within a budget of bytes', async () => {
    const { owner } = await connect(engine);
    await owner.repo.create('ada', 'world');
    await owner.shape.create('ada', 'world', 'Large', { fields: { text: 'string' } });
    const data = { text: 'x'.repeat(1_000_000) };
    await owner.commit.submit('ada', 'world', { operations: [{ name: 'Large/a', data }] });
    const wrefs = Array.from({ length: 500 }, () => 'Large/a');
    expect(await codeOf(owner.thing.getMany('ada', 'world', wrefs))).toBe('PAYLOAD_TOO_LARGE');
    expect((await owner.thing.getMany('ada', 'world', wrefs.slice(0, 5))).items).toHaveLength(5);
  });

  it('are refused by an archived repository', async () => {
    const { owner } = await connect(engine);
    await owner.repo.create('ada', 'world');
    await owner.shape.create('ada', 'world', 'Location', { fields });
    await owner.repo.archive('ada', 'world');
    expect(await codeOf(owner.commit.submit('ada', 'world', { operations: [add('Location/a')] }))).toBe('ARCHIVED');
    expect(await codeOf(owner.shape.revise('ada', 'world', 'Location', { fields: {} }))).toBe('ARCHIVED');
    expect((await owner.commit.log('ada', 'world')).items).toHaveLength(1);
  });

  it('are refused when they are empty, too many, or oddly told', async () => {
    const { owner } = await connect(engine);
    await owner.repo.create('ada', 'world');
    const submit = (options: object) =>
      codeOf(owner.commit.submit('ada', 'world', options as { operations: object[] }));
    expect(await submit({ operations: [] })).toBe('VALIDATION_ERROR');
    expect(await submit({ operations: Array.from({ length: 10_001 }, () => add('Location/x')) })).toBe(
      'PAYLOAD_TOO_LARGE',
    );
    expect(await submit({ operations: [add('L/x')], submissionId: 'not a uuid' })).toBe('VALIDATION_ERROR');
    expect(await submit({ operations: [add('L/x')], committer: 'not a wref' })).toBe('VALIDATION_ERROR');
    expect(await submit({ operations: [add('L/x')], message: 'a\u0000b' })).toBe('VALIDATION_ERROR');
    expect(await submit({ operations: [add('L/x')], unknown: 1 })).toBe('VALIDATION_ERROR');
    expect((await owner.repo.get('ada', 'world')).repoSeq).toBe(0);
  });

  it('answer the same receipt for a submission id, to its owner alone', async () => {
    const { owner, store, url } = await connect(engine);
    await owner.repo.create('ada', 'world', { visibility: 'public' });
    await owner.shape.create('ada', 'world', 'Location', { fields });
    const submissionId = '5f0c2d5e-3b1a-4a57-9d49-0d8f2f6f4c11';
    const first = await owner.commit.submit('ada', 'world', { operations: [add('Location/a')], submissionId });
    expect(await owner.commit.submit('ada', 'world', { operations: [add('Location/a')], submissionId })).toEqual(first);
    expect(await codeOf(owner.commit.submit('ada', 'world', { operations: [add('Location/b')], submissionId }))).toBe(
      'CONFLICT',
    );
    const shouted = submissionId.toUpperCase();
    expect(
      await codeOf(owner.commit.submit('ada', 'world', { operations: [add('Location/b')], submissionId: shouted })),
    ).toBe('CONFLICT');
    expect(await owner.commit.receipt('ada', 'world', submissionId)).toEqual(first);
    await createPerson(store, { email: 'bob@example.com', password: 'long enough it is', operator: true });
    const { token } = await createToken(store, {
      email: 'bob@example.com',
      name: 't',
      scopes: [{ permissions: ['repo:write'] }],
    });
    await owner.repo.setRole('ada', 'world', { handle: 'bob' }, 'write');
    expect(await codeOf(new CairnClient({ url, token }).commit.receipt('ada', 'world', submissionId))).toBe(
      'NOT_FOUND',
    );
  });

  it('are read in pages that form one history while commits go on', async () => {
    const { owner } = await connect(engine);
    await owner.repo.create('ada', 'world');
    await owner.shape.create('ada', 'world', 'Location', { fields });
    await owner.commit.submit('ada', 'world', { operations: [add('Location/a', 0)] });
    const revise = (x: number) =>
      owner.commit.submit('ada', 'world', { operations: [{ operation: 'revise', name: 'Location/a', data: { x } }] });
    for (let x = 1; x < 7; x++) await revise(x);
    const versions: number[] = [];
    let cursor: string | undefined;
    do {
      const page = await owner.thing.history('ada', 'world', 'Location/a', {
        limit: 3,
        ...(cursor !== undefined && { cursor }),
      });
      versions.push(...page.items.map(({ version }) => version));
      cursor = page.nextCursor;
      await revise(100 + versions.length);
    } while (cursor !== undefined);
    expect(versions).toEqual([7, 6, 5, 4, 3, 2, 1]);
    const { nextCursor = '' } = await owner.commit.log('ada', 'world', { limit: 1 });
    expect(await codeOf(owner.thing.history('ada', 'world', 'Location/a', { cursor: nextCursor }))).toBe(
      'VALIDATION_ERROR',
    );
  });

  it('are listed up to a sequence, page by page', async () => {
    const { owner } = await connect(engine);
    await owner.repo.create('ada', 'world');
    await owner.shape.create('ada', 'world', 'Location', { fields });
    for (const x of [1, 2, 3, 4]) {
      await owner.commit.submit('ada', 'world', { operations: [add(`Location/${x}`, x)] });
    }
    const log = (options: Parameters<typeof owner.commit.log>[2]) => owner.commit.log('ada', 'world', options);
    const listed: number[] = [];
    for await (const { repoSeq } of log({ atRepoSeq: 3, limit: 2 })) listed.push(repoSeq);
    expect(listed).toEqual([3, 2, 1]);
    expect((await log({ atRepoSeq: 5, limit: 1 })).items.map(({ repoSeq }) => repoSeq)).toEqual([5]);
    expect((await log({ atRepoSeq: 0 })).items).toEqual([]);
    expect(await codeOf(log({ atRepoSeq: 6 }))).toBe('VALIDATION_ERROR');
    const { nextCursor = '' } = await log({ atRepoSeq: 3, limit: 1 });
    expect(await codeOf(log({ atRepoSeq: 4, cursor: nextCursor }))).toBe('VALIDATION_ERROR');
  });

  it('are read at any sequence, and many at once', async () => {
    const { owner } = await connect(engine);
    await owner.repo.create('ada', 'world');
    await owner.shape.create('ada', 'world', 'Location', { fields });
    await owner.commit.submit('ada', 'world', { operations: [add('Location/a', 1), add('Location/b', 1)] });
    await owner.commit.submit('ada', 'world', { operations: [{ operation: 'retract', name: 'Location/b' }] });
    const many = await owner.thing.getMany('ada', 'world', [
      'Location/a',
      'Location/b',
      'Location/none',
      'Location/b@v1',
      'Location',
    ]);
    expect(many.repoSeq).toBe(3);
    expect(many.items.map((item) => item?.pinnedWref ?? null)).toEqual([
      'Location/a@v1',
      null,
      null,
      'Location/b@v1',
      'Location@v1',
    ]);
    const before = await owner.thing.getMany('ada', 'world', ['Location/b'], { atRepoSeq: 2 });
    expect(before).toMatchObject({ repoSeq: 2, items: [{ version: 1 }] });
    expect(await codeOf(owner.thing.get('ada', 'world', 'Location/b'))).toBe('NOT_FOUND');
    expect(await owner.thing.get('ada', 'world', 'Location/b', { includeRetracted: true })).toMatchObject({
      active: false,
    });
    expect(await codeOf(owner.thing.get('ada', 'world', 'Location/a', { atRepoSeq: 99 }))).toBe('VALIDATION_ERROR');
    expect(await codeOf(owner.thing.get('ada', 'world', 'Location/a@v9'))).toBe('NOT_FOUND');
    expect(await codeOf(owner.thing.get('ada', 'world', 'Location/a@newest'))).toBe('VALIDATION_ERROR');
  });

  it('answer for many operations, which another thread checks, as for few', async () => {
    const { owner, store } = await connect(engine);
    await owner.repo.create('ada', 'world');
    const alike = await addTestRepository(store, 'alike');
    const shape = {
      fields: { x: { type: 'number', indexed: true }, 'at?': { type: 'wref', shape: 'Location' }, 'label?': 'string' },
    };
    const prepared = [{ kind: 'shape', name: 'Location', data: shape }, add('Location/there')];
    await owner.commit.submit('ada', 'world', { operations: prepared });
    await alike.commit(prepared);
    const odd = [
      { name: 'Location/e\u0301', data: { x: 1 } },
      { name: 'Location/wrong', data: { x: 'one' } },
      { name: 'Location/more', data: { x: 1, other: true } },
      { name: 'Location/there', data: { x: 2 } },
      { name: 'Location/there', data: { x: 2 }, skipExisting: true },
      { name: 'Location/to', data: { x: 2, at: 'Location/there' } },
      { name: 'Location/nowhere', data: { x: 2, at: 'Location/missing' } },
      { name: 'Location/$1', data: { x: 3 } },
      { operation: 'revise', name: '#1', data: { x: 4 } },
      { operation: 'revise', name: 'Location/there', data: { x: 5 } },
      { operation: 'rename', name: 'Location/there', newName: 'Location/here' },
      { name: 'Location/after', data: { x: 6, at: 'Location/here' } },
      { kind: 'assertion', name: 'Location/said', about: 'Location/to', data: { x: 7 } },
      { kind: 'shape', name: 'Late', data: { fields: { y: 'string' } } },
      { name: 'Late/one', data: { y: 'z' } },
      { operation: 'revise', kind: 'shape', name: 'Location', data: { fields: { x: 'string' } } },
      { name: 'Location/stale', data: { x: 8 } },
      { name: 'Location/fresh', data: { x: 'eight' } },
      { name: 'Nothing/at-all', data: {} },
      { operation: 'no such' },
      'no operation',
      null,
    ];
    const operations = [...Array.from({ length: 500 }, (_, n) => add(`Location/l${n}`, n)), ...odd];
    const minted = /[0-9a-z]{26}/;
    const plain = (result: { operations: readonly { name: string; dataHash?: unknown }[] }) =>
      result.operations.map((one) => ({ ...one, name: one.name.replace(minted, 'MINTED') }));
    const checked = await owner.commit.submit('ada', 'world', { operations: operations as never, atomic: false });
    const unchecked = await store.write.commit(commitInput(alike.grant, operations, { atomic: false }));
    expect(plain(checked)).toEqual(plain(unchecked));
    expect(new Set(checked.operations.map(({ status }) => status))).toEqual(new Set(['applied', 'error', 'noop']));
    const atomic = { operations: operations as never };
    const refused = await owner.commit.submit('ada', 'world', atomic).catch((error: CairnError) => error);
    const refusedToo = await store.write
      .commit(commitInput(alike.grant, operations))
      .catch((error: CairnError) => error);
    const fieldsOf = (error: unknown) => {
      const { code, message, details, hint } = error as CairnError;
      return { code, message, details, hint };
    };
    expect(fieldsOf(refused)).toEqual(fieldsOf(refusedToo));
  });
});
