import { describe, expect, it } from 'vitest';
import { smallManifest } from '../../../test/support/manifest.ts';
import { startReceiver, withStatus } from '../../../test/support/receiver.ts';
import { listOf } from '../../../test/support/sdk-world.ts';
import { createOwnerToken, startTestServer } from '../../../test/support/server.ts';
import { ENGINES } from '../../../test/support/store.ts';
import { CairnClient, eachItem } from './index.ts';

async function openWorld(engine: (typeof ENGINES)[number]) {
  const endpoint = await startReceiver();
  const { url, store } = await startTestServer(engine, { CAIRN_OUTBOUND_ALLOW: endpoint.address });
  const client = new CairnClient({ url, token: await createOwnerToken(store) });
  await client.repo.create('ada', 'world');
  const manifest = (version: string) => ({
    ...smallManifest({ version }),
    shapes: [{ name: 'Signal', fields: { x: 'number' } }],
  });
  return { client, endpoint, manifest };
}

describe.each(ENGINES)('client.component on %s', (engine) => {
  it('registers, publishes, lists, shows and unregisters', async () => {
    const { client, manifest } = await openWorld(engine);
    const registered = await client.component.register('ada', 'small', { manifest: manifest('1.0.0') });
    expect(registered).toMatchObject({ orgName: 'ada', name: 'small', version: '1.0.0', visibility: 'private' });
    await client.component.publish('ada', 'small', { manifest: manifest('1.1.0'), visibility: 'public' });
    const items = eachItem((cursor) => client.component.registry({ orgName: 'ada', limit: 1, cursor }));
    expect(await listOf(items)).toMatchObject([{ name: 'small', version: '1.1.0', visibility: 'public' }]);
    expect(await client.component.view('ada', 'small', { version: '1.0.0' })).toMatchObject({
      version: '1.0.0',
      latestVersion: '1.1.0',
      manifest: manifest('1.0.0'),
    });
    await client.component.unregister('ada', 'small');
    await expect(client.component.view('ada', 'small')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('installs by the handshake, step by step', async () => {
    const { client, endpoint, manifest } = await openWorld(engine);
    const setupUrl = `${endpoint.url}/setup`;
    await client.component.register('ada', 'small', { manifest: manifest('1.0.0'), setupUrl });
    const resolved = await client.component.resolve('ada', 'small', 'ada/world');
    expect(resolved).toMatchObject({ version: '1.0.0', hasSetup: true, eligible: true, reasons: [] });
    const begun = await client.component.install('ada', 'world', 'ada/small', { callSetup: false });
    expect([begun.state, begun.installId, endpoint.received.length]).toEqual(['installing', resolved.installId, 0]);
    const call = {
      installRepo: 'ada/world',
      installId: resolved.installId,
      expectedManifestHash: resolved.manifestHash,
    };
    endpoint.answer(withStatus(500));
    expect(await client.component.setupCall('ada', 'small', call)).toMatchObject({ status: 'failed', httpStatus: 500 });
    expect(await client.component.get('ada', 'world', 'ada/small')).toMatchObject({ state: 'degraded' });
    endpoint.answer(withStatus(200));
    expect(await client.component.setupCall('ada', 'small', call)).toMatchObject({ status: 'completed' });
    expect(endpoint.received[1]?.body).toMatchObject({ installRepo: 'ada/world', component: 'ada/small' });
    expect(await client.component.doctor('ada', 'world', 'ada/small')).toMatchObject({ state: 'ready', findings: [] });
    const stale = { ...call, expectedManifestHash: '0'.repeat(64) };
    await expect(client.component.setupCall('ada', 'small', stale)).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('updates, pauses, resumes and ends what is installed', async () => {
    const { client, manifest } = await openWorld(engine);
    await client.component.register('ada', 'small', { manifest: manifest('1.0.0') });
    await expect(client.component.update('ada', 'world', 'ada/small')).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await client.component.install('ada', 'world', 'ada/small')).toMatchObject({ state: 'ready' });
    await client.component.publish('ada', 'small', { manifest: manifest('1.1.0') });
    expect(await client.component.update('ada', 'world', 'ada/small')).toMatchObject({ version: '1.1.0' });
    expect((await client.component.list('ada', 'world')).items).toMatchObject([
      { component: 'ada/small', state: 'ready' },
    ]);
    expect(await client.component.pause('ada', 'world', 'ada/small')).toMatchObject({ state: 'paused' });
    expect(await client.component.resume('ada', 'world', 'ada/small')).toMatchObject({ state: 'ready' });
    const unknown = client.component.exec('ada', 'world', 'ada/small', 'none');
    await expect(unknown).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const ended = await client.component.teardown('ada', 'world', 'ada/small');
    expect(ended).toMatchObject({ state: 'uninstalled', uninstall: { status: 'skipped' } });
    expect((await client.shape.get('ada', 'world', 'Signal')).name).toBe('Signal');
  });
});
