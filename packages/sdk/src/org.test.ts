import { describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { createOwnerToken, startTestServer } from '../../../test/support/server.ts';
import { ENGINES } from '../../../test/support/store.ts';
import { CairnClient } from './index.ts';

describe.each(ENGINES)('client.org on %s', (engine) => {
  it(verifies('manages organizations', '4.6/orgs-sdk'), async () => {
    const { url, store } = await startTestServer(engine);
    const { org } = new CairnClient({ url, token: await createOwnerToken(store) });
    const made = await org.create('acme', { displayName: 'Acme, Inc.' });
    expect(made).toMatchObject({ name: 'acme', displayName: 'Acme, Inc.', description: '', archived: false });
    expect(await org.create('zenith')).toMatchObject({ displayName: 'zenith' });
    expect(await org.get('acme')).toEqual(made);
    expect(await org.update('acme', { description: 'Anvils' })).toEqual({ ...made, description: 'Anvils' });
    expect(await org.rename('acme', { newName: 'apex' })).toMatchObject({ name: 'apex', description: 'Anvils' });
    await expect(org.get('acme')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await org.archive('apex')).toMatchObject({ archived: true });
    await expect(org.update('apex', { description: '' })).rejects.toMatchObject({ code: 'ARCHIVED', status: 409 });
    expect(await org.unarchive('apex')).toMatchObject({ archived: false });
    const { items, nextCursor } = await org.list({ limit: 2 });
    expect(items.map(({ name }) => name)).toEqual(['ada', 'apex']);
    expect(await org.list({ cursor: nextCursor })).toEqual({ items: [expect.objectContaining({ name: 'zenith' })] });
    expect((await org.list()).items).toHaveLength(3);
    await expect(org.list({ cursor: 'made-up' })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await expect(new CairnClient({ url }).org.create('new')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });
});
