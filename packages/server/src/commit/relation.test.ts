// References between repositories, by procedures: permissions, following and visibility.
import { CairnClient, CairnError } from '@cairn/sdk';
import { describe, expect, it } from 'vitest';
import { createOwnerToken, OWNER, startTestServer } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import { createToken } from '../account/account.ts';

type Engine = (typeof UPPER_ENGINES)[number];

async function refusalOf(promise: Promise<unknown>): Promise<CairnError> {
  const error: unknown = await promise.then(
    () => new Error('nothing was refused'),
    (refused: unknown) => refused,
  );
  if (!(error instanceof CairnError)) throw error;
  return error;
}

async function twoRepositories(engine: Engine, visibility: 'public' | 'private' = 'private') {
  const { url, store } = await startTestServer(engine);
  const owner = new CairnClient({ url, token: await createOwnerToken(store) });
  await owner.repo.create('ada', 'near');
  await owner.repo.create('ada', 'far', { visibility });
  await owner.shape.create('ada', 'near', 'Note', { fields: { 'of?': 'wref' } });
  await owner.shape.create('ada', 'far', 'Star', { fields: { 'next?': 'wref' } });
  const operations = [
    { name: 'Star/sol', data: {} },
    { name: 'Star/vega', data: { next: 'Star/sol' } },
  ];
  await owner.commit.submit('ada', 'far', { operations });
  const { token } = await createToken(store, {
    email: OWNER.email,
    name: 'near-only',
    scopes: [{ resource: 'ada/near', permissions: ['repo:read', 'repo:write'] }],
  });
  return { owner, writer: new CairnClient({ url, token }), anonymous: new CairnClient({ url }) };
}

const note = (name: string, of: string) => ({ name: `Note/${name}`, data: { of } });

describe.each(UPPER_ENGINES)('a reference into another repository on %s', (engine) => {
  it('is refused to who may not read there exactly as one to nothing', async () => {
    const { owner, writer } = await twoRepositories(engine);
    const { durableId } = await owner.thing.get('ada', 'far', 'Star/sol');
    const attempts = (wref: string) => [
      { operations: [note('a', wref)] },
      { operations: [{ name: 'Note/a', about: wref, data: {} }] },
      { operations: [{ type: 'set', members: [wref] }] },
      { operations: [{ name: 'Note/a', data: {} }], committer: wref },
    ];
    const told = async (client: CairnClient, wref: string) => {
      const refusals = [];
      for (const request of attempts(wref)) {
        const submitted = await refusalOf(client.commit.submit('ada', 'near', request));
        const validated = await refusalOf(client.commit.validate('ada', 'near', request));
        for (const { code, message, hint, details } of [submitted, validated]) {
          refusals.push(JSON.stringify({ code, message, hint, details }).replaceAll(wref, 'WREF'));
        }
      }
      return refusals;
    };
    const missing = await told(owner, 'wh:ada/far/Star/none');
    expect(missing.every((text) => text.includes('TARGET_NOT_FOUND'))).toBe(true);
    expect(await told(writer, 'wh:ada/far/Star/sol')).toEqual(missing);
    expect(await told(writer, 'wh:ada/far/Star')).toEqual(missing);
    expect(await told(writer, 'wh:ada/far/Star/sol@v1')).toEqual(missing);
    expect(await told(writer, 'wh:ada/none/Star/sol')).toEqual(missing);
    expect(await told(writer, 'wh:none/far/Star/sol')).toEqual(missing);
    expect(await told(writer, durableId)).toEqual(missing);
    expect(await told(writer, `${durableId}@v1`)).toEqual(missing);
  });

  it('is made by who may read there, also because it is public', async () => {
    const { writer } = await twoRepositories(engine, 'public');
    await writer.commit.submit('ada', 'near', { operations: [note('a', 'wh:ada/far/Star/sol')] });
    expect(await writer.thing.get('ada', 'near', 'Note/a')).toMatchObject({
      data: { of: 'wh:ada/far/Star/sol@v1' },
    });
  });

  it('reads as it was written, whatever the target, its repository or its organization are called by now', async () => {
    const { owner, writer } = await twoRepositories(engine);
    await owner.commit.submit('ada', 'near', { operations: [note('a', 'wh:ada/far/Star/sol')] });
    const [pair] = (await owner.thing.get('ada', 'near', 'Note/a')).refs ?? [];
    const identity = pair?.[1] ?? '';
    await owner.commit.submit('ada', 'far', {
      operations: [
        { operation: 'rename', name: 'Star/sol', newName: 'Star/sun' },
        { operation: 'rename', name: 'Star', newName: 'Sphere' },
        { operation: 'retract', name: 'Sphere/sun' },
      ],
    });
    await owner.repo.rename('ada', 'far', { newName: 'farther' });
    await owner.org.create('space');
    await owner.repo.transfer('ada', 'farther', { newOrgName: 'space' });
    await owner.org.rename('space', { newName: 'cosmos' });
    const seen = { data: { of: 'wh:ada/far/Star/sol@v1' }, refs: [['/of', identity]] };
    expect(await owner.thing.get('ada', 'near', 'Note/a')).toMatchObject(seen);
    expect(await writer.thing.get('ada', 'near', 'Note/a')).toMatchObject(seen);
    expect(await owner.thing.get('ada', 'near', identity)).toMatchObject({
      name: 'Sphere/sun',
      wref: 'wh:cosmos/farther/Sphere/sun',
      pinnedWref: 'wh:cosmos/farther/Sphere/sun@v1',
    });
    expect((await refusalOf(writer.thing.get('ada', 'near', identity))).code).toBe('NOT_FOUND');
    const again = await owner.commit.submit('ada', 'near', {
      operations: [{ operation: 'revise', name: 'Note/a', data: { of: 'wh:ada/far/Star/sol@v1' } }],
    });
    expect(again.operations).toMatchObject([{ status: 'noop' }]);
  });

  it('is followed by reads, one, many and history, as far as the caller may read there', async () => {
    const { owner, writer, anonymous } = await twoRepositories(engine);
    const wrefs = ['wh:ada/far/Star/vega', 'Note', 'wh:ada/far/Star/none', 'wh:ada/near/Note', 'wh:ada/none/Star/sol'];
    const { items, repoSeq } = await owner.thing.getMany('ada', 'near', wrefs);
    expect(repoSeq).toBe(1);
    expect(items.map((item) => item?.wref)).toEqual(['wh:ada/far/Star/vega', 'Note', undefined, 'Note', undefined]);
    expect(items[0]?.data).toEqual({ next: 'Star/sol@v1' });
    const hidden = await writer.thing.getMany('ada', 'near', wrefs);
    expect(hidden.items.map((item) => item?.wref)).toEqual([undefined, 'Note', undefined, 'Note', undefined]);
    const history = await owner.thing.history('ada', 'near', 'wh:ada/far/Star/sol@ALL');
    expect(history.items.map(({ pinnedWref }) => pinnedWref)).toEqual(['wh:ada/far/Star/sol@v1']);
    for (const read of [
      (wref: string) => writer.thing.get('ada', 'near', wref),
      (wref: string) => writer.thing.history('ada', 'near', wref),
    ]) {
      const [hiding, missing] = [await refusalOf(read(wrefs[0] ?? '')), await refusalOf(read(wrefs[2] ?? ''))];
      expect(hiding.code).toBe('NOT_FOUND');
      expect(hiding.message.replace('vega', 'none')).toBe(missing.message);
    }
    expect((await refusalOf(anonymous.thing.get('ada', 'near', 'wh:ada/far/Star/sol'))).code).toBe('NOT_FOUND');
  });

  it('cannot be followed at a sequence, which is not the one of the other repository', async () => {
    const { owner } = await twoRepositories(engine);
    for (const wref of ['wh:ada/far/Star/sol', 'wh:ada/none/Star/sol']) {
      const refused = await refusalOf(owner.thing.get('ada', 'near', wref, { atRepoSeq: 1 }));
      expect([refused.code, refused.details]).toMatchObject(['VALIDATION_ERROR', [{ path: 'atRepoSeq' }]]);
    }
    expect((await refusalOf(owner.thing.get('ada', 'near', 'Note@ALL'))).code).toBe('VALIDATION_ERROR');
  });

  it('leads nowhere once the other repository is deleted, and stays where it is', async () => {
    const { owner } = await twoRepositories(engine);
    const request = { operations: [note('a', 'wh:ada/far/Star/sol')] };
    await owner.commit.submit('ada', 'near', request);
    await owner.repo.delete('ada', 'far');
    expect((await refusalOf(owner.thing.get('ada', 'near', 'wh:ada/far/Star/sol'))).code).toBe('NOT_FOUND');
    const other = { operations: [note('b', 'wh:ada/far/Star/sol')] };
    expect((await refusalOf(owner.commit.submit('ada', 'near', other))).code).toBe('TARGET_NOT_FOUND');
    expect(await owner.thing.get('ada', 'near', 'Note/a')).toMatchObject({ data: { of: 'wh:ada/far/Star/sol@v1' } });
  });
});
