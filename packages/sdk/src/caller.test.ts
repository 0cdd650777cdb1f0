// Tokens that expire while a client works: it gets another one, and nothing is lost. Personal access tokens stand in
// for session tokens, since they can be revoked at any moment.
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { exportText, openWorld, type SdkWorld } from '../../../test/support/sdk-world.ts';
import { UPPER_ENGINES } from '../../../test/support/store.ts';
import { CairnClient, CairnError } from './index.ts';

const PERMISSIONS = ['repo:read', 'repo:checkpoint-read', 'repo:write'] as const;

/** The client uses the first of several tokens that was not refused; `end` revokes the current one. */
async function openChanging({ url, client }: SdkWorld, count: number) {
  const tokens: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const { token } = await client.token.create(`t${at}`, { scopes: [{ permissions: [...PERMISSIONS] }] });
    tokens.push(token);
  }
  let used = 0;
  const getToken = async (refused?: string) => {
    if (refused === tokens[used] && used < tokens.length - 1) used += 1;
    return tokens[used];
  };
  return {
    changing: new CairnClient({ url, getToken, retry: { pauseMs: 0 } }),
    end: () => client.token.revoke(`t${used}`),
  };
}

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'done',
    (error: unknown) => (error instanceof CairnError ? error.code : String(error)),
  );

describe('a token that is none', () => {
  it.each([
    ['', 'The token is empty. Leave it out to call anonymously, or give one.'],
    [' \n', 'The token is empty. Leave it out to call anonymously, or give one.'],
    ['Bearer cairn_pat_SECRET', 'The token starts with Bearer.'],
    [7, 'The token is not a string.'],
    [null, 'The token is not a string.'],
  ])('is told to be so before anything is sent: %j', async (token, message) => {
    const client = new CairnClient({ url: 'http://localhost:1', token: token as string });
    const refused = await client.auth.whoami().catch((error: unknown) => error);
    expect(refused).toMatchObject({
      code: 'UNAUTHENTICATED',
      isRetryable: false,
      message: expect.stringContaining(message),
    });
  });
});

describe('a token that cannot be sent', () => {
  it.each(['cairn_pat_SECRET\nabc', 'cairn_pat_SECRET\0', 'cairn_pat_SECRET€'])(
    'is refused before anything is sent, and not quoted: %j',
    async (token) => {
      const client = new CairnClient({ url: 'http://localhost:1', token });
      const refused = await client.auth.whoami().catch((error: unknown) => error);
      expect(refused).toMatchObject({ code: 'UNAUTHENTICATED', isRetryable: false });
      expect(String(refused)).not.toContain('SECRET');
    },
  );
});

describe.each(UPPER_ENGINES)('a token that ends on %s', (engine) => {
  it('is followed by another, for reads, writes and exports', async () => {
    const world = await openWorld(engine);
    const { changing, end } = await openChanging(world, 4);
    expect(await changing.auth.whoami()).toMatchObject({ tokenName: 't0' });
    await end();
    const both = await Promise.all([changing.auth.whoami(), changing.repo.get('ada', 'world')]);
    expect(both).toMatchObject([{ tokenName: 't1' }, { name: 'world' }]);
    await end();
    await changing.commit.submit('ada', 'world', { operations: [{ name: 'Room/after', data: {} }] });
    expect(await changing.auth.whoami()).toMatchObject({ tokenName: 't2' });
    await end();
    expect(await exportText(changing)).toContain('Room/after');
    expect(await changing.auth.whoami()).toMatchObject({ tokenName: 't3' });
    await end();
    expect(await codeOf(changing.auth.whoami())).toBe('UNAUTHENTICATED');
  });

  it.each(['stream', 'requests'] as const)('does not end a stream that is sent by %s', async (upload) => {
    const world = await openWorld(engine);
    const { changing, end } = await openChanging(world, 3);
    const acknowledged = vi.fn();
    async function* lines() {
      for (let index = 0; index < 3_000; index += 1) {
        if (index === 1_000 || index === 2_000) {
          await expect.poll(() => acknowledged.mock.calls.length > 0).toBe(true);
          acknowledged.mockClear();
          await end();
        }
        yield { name: `Room/s-${index}`, data: { size: index } };
      }
    }
    const sent = await changing.repo.stream('ada', 'world', lines(), { upload, onProgress: acknowledged });
    expect(sent).toMatchObject({ offset: 3_000, applied: 3_000, error: 0 });
    await end();
    const refused = changing.repo.stream('ada', 'world', [{ name: 'Room/no', data: {} }], { upload });
    expect(await codeOf(refused)).toBe('UNAUTHENTICATED');
  });

  it('does not end a live stream, unless there is no other', async () => {
    const world = await openWorld(engine);
    const { changing, end } = await openChanging(world, 2);
    const ready = vi.fn();
    const heard: string[] = [];
    const live = changing.repo.live('ada', 'world', (change) => void heard.push(...change.affectedRecords), {
      onReady: ready,
    });
    onTestFinished(() => live.close());
    const times = (count: number) => expect.poll(() => ready.mock.calls.length >= count).toBe(true);
    await times(1);
    await end();
    await times(2);
    await world.client.commit.submit('ada', 'world', { operations: [{ name: 'Room/live', data: {} }] });
    await expect.poll(() => heard.includes('Room/live')).toBe(true);
    await end();
    expect(await codeOf(live.closed)).toBe('UNAUTHENTICATED');
  });
});

describe('a getToken that fails', () => {
  it('fails the call with a CairnError, and is not asked again', async () => {
    const getToken = vi.fn(async () => {
      throw new Error('The keychain is locked.');
    });
    const client = new CairnClient({ url: 'http://127.0.0.1:1', getToken });
    await expect(client.auth.whoami()).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
      message: 'There is no token to send, because getToken failed: The keychain is locked.',
    });
    expect(getToken).toHaveBeenCalledTimes(1);
  });

  it('fails the call with its own error', async () => {
    const getToken = async () => {
      throw new CairnError('UNAUTHENTICATED', { message: 'The session has ended.' });
    };
    const client = new CairnClient({ url: 'http://127.0.0.1:1', getToken });
    expect(await codeOf(client.auth.whoami())).toBe('UNAUTHENTICATED');
    expect(await codeOf(client.repo.exportLines('ada', 'world')[Symbol.asyncIterator]().next())).toBe(
      'UNAUTHENTICATED',
    );
  });
});
