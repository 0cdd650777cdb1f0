import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { createOwnerToken, startTestServer } from '../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../test/support/store.ts';
import { CairnClient } from './index.ts';

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
