import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { createSession } from '../../../test/support/principal.ts';
import { createOwnerToken, ownerIdOf, startTestServer } from '../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../test/support/store.ts';
import { deriveSigningKey } from '../../server/src/keys/session-jwt.ts';
import { CairnClient } from './index.ts';

const SECRET = 'a secret that is known to this test alone';

describe.each(UPPER_ENGINES)('client.auth on %s', (engine) => {
  it('lists sessions, and ends one or all', async () => {
    const { url, store } = await startTestServer(engine, { CAIRN_SECRET: SECRET });
    const pat = new CairnClient({ url, token: await createOwnerToken(store) });
    const who = { accountId: await ownerIdOf(store), url, key: deriveSigningKey(SECRET) };
    const [here, other] = [await createSession(store, who), await createSession(store, who)];
    const [client, second] = [here, other].map(({ token }) => new CairnClient({ url, token }));
    const { items = [] } = (await client?.auth.listSessions()) ?? {};
    expect(new Map(items.map(({ id, current }) => [id, current]))).toEqual(
      new Map([
        [here.sessionId, true],
        [other.sessionId, false],
      ]),
    );
    expect(await client?.auth.endSession(other.sessionId)).toMatchObject({ id: other.sessionId, kind: 'browser' });
    await expect(second?.auth.whoami()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    await expect(pat.auth.listSessions()).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(await client?.auth.endAllSessions({ kind: 'client' })).toEqual({ ended: 0 });
    expect(await client?.auth.endAllSessions()).toEqual({ ended: 1 });
    await expect(client?.auth.whoami()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });
});

describe.each(UPPER_ENGINES)('client.token on %s', (engine) => {
  it(verifies('creates, lists, gets, rotates and revokes', '5/token-sdk'), async () => {
    const { url, store } = await startTestServer(engine);
    const client = new CairnClient({ url, token: await createOwnerToken(store) });
    await client.repo.create('ada', 'world');
    const { token, ...record } = await client.token.create('reader', {
      scopes: [{ resource: 'ada/world', permissions: ['repo:read'] }],
    });
    expect(await client.token.get('reader')).toEqual(record);
    expect((await client.token.list()).items).toEqual([record]);
    const reader = new CairnClient({ url, token });
    expect(await reader.repo.get('ada', 'world')).toMatchObject({ name: 'world' });
    const rotated = await client.token.rotate('reader', { previousValidUntil: Date.now() });
    await expect(reader.auth.whoami()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    const again = new CairnClient({ url, token: rotated.token });
    expect(await again.auth.whoami()).toMatchObject({ tokenName: 'reader' });
    expect((await client.token.revoke('reader')).revokedAt).toBeTypeOf('number');
    await expect(again.auth.whoami()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    const { items } = await client.audit.list('ada', { action: 'token.revoke' });
    expect(items).toMatchObject([{ target: 'token:ada/reader', actor: 'token:ada/all' }]);
  });
});
