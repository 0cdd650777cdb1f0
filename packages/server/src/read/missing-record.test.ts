// Errors for records that do not exist under the requested name.
import { CairnClient, CairnError } from '@cairn/sdk';
import { describe, expect, it } from 'vitest';
import { createOwnerToken, startTestServer } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';

async function refusalOf(promise: Promise<unknown>): Promise<Pick<CairnError, 'code' | 'message' | 'hint'>> {
  const error: unknown = await promise.then(
    () => new Error('nothing was refused'),
    (refused: unknown) => refused,
  );
  if (!(error instanceof CairnError)) throw error;
  const { code, message, hint } = error;
  return { code, message, ...(hint !== undefined && { hint }) };
}

async function renamedWorld(engine: (typeof UPPER_ENGINES)[number]) {
  const { url, store } = await startTestServer(engine);
  const owner = new CairnClient({ url, token: await createOwnerToken(store) });
  for (const name of ['world', 'other']) await owner.repo.create('ada', name);
  await owner.shape.create('ada', 'world', 'Room', { fields: {} });
  const operations = [
    { name: 'Room/a', data: {} },
    { name: 'Room/b', data: {} },
  ];
  await owner.commit.submit('ada', 'world', { operations });
  await owner.thing.rename('ada', 'world', 'Room/a', 'Room/entry');
  await owner.thing.rename('ada', 'world', 'Room/entry', 'Room/lobby');
  await owner.shape.rename('ada', 'world', 'Room', 'Hall');
  const narrowed = async (name: string, refs: string[]) => {
    const { token } = await owner.token.create(name, {
      scopes: [{ resource: 'ada/world', permissions: ['repo:read'], refs }],
    });
    return new CairnClient({ url, token });
  };
  return { owner, narrowed };
}

describe.each(UPPER_ENGINES)('a name of before on %s', (engine) => {
  it('leads to the present one, on every way to a record', async () => {
    const { owner } = await renamedWorld(engine);
    const { thing, shape } = owner;
    const hint = 'It was renamed: ask for Hall/lobby.';
    for (const wref of ['Room/a', 'Room/entry', 'Room/lobby', 'Hall/a', 'Room/a@v1']) {
      const message = `There is no record ${wref} in ada/world.`;
      expect(await refusalOf(thing.get('ada', 'world', wref))).toEqual({ code: 'NOT_FOUND', message, hint });
    }
    for (const asked of [
      () => thing.history('ada', 'world', 'Room/a'),
      () => thing.names('ada', 'world', 'Room/a'),
      () => thing.refs('ada', 'world', 'Room/a'),
      () => thing.graph('ada', 'world', 'Room/a'),
      () => thing.diff('ada', 'world', 'Room/a', { sinceRepoSeq: 1 }),
    ]) {
      expect(await refusalOf(asked())).toMatchObject({ code: 'NOT_FOUND', hint });
    }
    for (const asked of [() => shape.get('ada', 'world', 'Room'), () => shape.history('ada', 'world', 'Room')]) {
      expect(await refusalOf(asked())).toEqual({
        code: 'NOT_FOUND',
        message: 'There is no shape Room in ada/world.',
        hint: 'It was renamed: ask for Hall.',
      });
    }
    expect(await refusalOf(thing.get('ada', 'other', 'wh:ada/world/Room/a'))).toMatchObject({
      hint: 'It was renamed: ask for wh:ada/world/Hall/lobby.',
    });
  });

  it('leads nowhere where nobody bore it, or at a sequence', async () => {
    const { owner } = await renamedWorld(engine);
    const asked = owner.thing.get('ada', 'world', 'Room/none');
    expect(await refusalOf(asked)).toEqual({
      code: 'NOT_FOUND',
      message: 'There is no record Room/none in ada/world.',
    });
    const before = await refusalOf(owner.thing.get('ada', 'world', 'Room/a', { atRepoSeq: 1 }));
    expect(before).toEqual({ code: 'NOT_FOUND', message: 'There is no record Room/a in ada/world at sequence 1.' });
    expect(await refusalOf(owner.thing.history('ada', 'world', 'Room/a', { atRepoSeq: 1 }))).toEqual(before);
    expect(await refusalOf(owner.thing.names('ada', 'world', 'Room/a', { atRepoSeq: 1 }))).toEqual(before);
    expect(await refusalOf(owner.thing.refs('ada', 'world', 'Room/a', { atRepoSeq: 1 }))).toEqual(before);
  });

  it('tells who is narrowed nothing, whichever of the names they may see', async () => {
    const { narrowed } = await renamedWorld(engine);
    for (const refs of [['Hall/lobby'], ['Room/a'], ['Hall/**', 'Room/**']]) {
      const client = await narrowed(`of ${refs.join(' ')}`.replaceAll(/[^a-z]+/gi, '-').replace(/-$/, ''), refs);
      const hidden = await refusalOf(client.thing.get('ada', 'world', 'Room/a'));
      const missing = await refusalOf(client.thing.get('ada', 'world', 'Room/none'));
      expect(hidden).toEqual({ ...missing, message: missing.message.replace('Room/none', 'Room/a') });
      const then = await refusalOf(client.thing.get('ada', 'world', 'Room/none', { atRepoSeq: 1 }));
      expect(then.message).toBe('There is no record Room/none in ada/world at sequence 1.');
    }
  });
});
