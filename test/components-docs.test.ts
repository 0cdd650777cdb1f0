// The examples of docs/components.md, run in order and unchanged, with the component from that page.
import { createHash, createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CairnClient } from '@cairn/sdk';
import { expect, it, vi } from 'vitest';
import { checkManifest } from '../packages/server/src/component/manifest.rule.ts';
import { blocksOf, readPage } from './support/page-example.ts';
import { openPageServer } from './support/page-server.ts';
import { PATIENCE_MS } from './support/patience.ts';
import { ROOT, startProcess, testFolder } from './support/server.ts';

const PAGE = 'docs/components.md';
const SETUP_SIGNING_SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;

async function isCounted(client: CairnClient): Promise<void> {
  const read = () => client.thing.get('acme', 'lab', 'WordCount/first');
  await vi.waitFor(read, { timeout: PATIENCE_MS, interval: 200 });
}

it('the examples of docs/components.md do what they say', async () => {
  const component = startProcess('node', ['run.mjs', 'examples/component-word-count/server.ts'], {
    PORT: '0',
    SETUP_SIGNING_SECRET,
  });
  const [, host = ''] = await component.printed(/is at http:\/\/(\S+)/);
  const { client, runCommands, runScript } = await openPageServer(PAGE, {
    settings: { CAIRN_OUTBOUND_ALLOW: host },
    environment: { SETUP_SIGNING_SECRET },
    replaced: { '127.0.0.1:9100': host, 'examples/component-word-count': join(ROOT, 'examples/component-word-count') },
  });
  await runCommands(async (command) => {
    if (command.includes('thing get')) await isCounted(client);
    if (command.includes('teardown')) await runScript();
  });
});

it('the manifest of docs/components.md is a good one', () => {
  const [, json = ''] = /```json\n(\{\n {2}"\$schema".*?)```/s.exec(readPage(PAGE)) ?? [];
  const { problems, warnings } = checkManifest(JSON.parse(json));
  expect({ problems, warnings }).toEqual({ problems: [], warnings: [] });
});

it('the check of signatures in docs/components.md knows a call from a forged one', async () => {
  const file = join(testFolder(), 'signature.mjs');
  writeFileSync(file, blocksOf(readPage(PAGE), 'js'));
  const { isMethodCall } = await import(pathToFileURL(file).href);
  const timestamp = String(Date.now());
  const bodyHash = createHash('sha256').update('{}').digest('hex');
  const signed = `${timestamp}.POST.example.com./recount?a=b.acme/lab.${bodyHash}`;
  const headers = {
    'x-cairn-timestamp': timestamp,
    'x-cairn-install-repo': 'acme/lab',
    'x-cairn-signature': createHmac('sha256', 'secret').update(signed).digest('hex'),
  };
  const call = { method: 'POST', host: 'example.com', path: '/recount?a=b', headers, body: '{}' };
  expect(isMethodCall('secret', call)).toBe(true);
  for (const change of [{ body: '{ }' }, { path: '/recount' }, { host: 'a.com' }, { method: 'PUT' }, { headers: {} }]) {
    expect(isMethodCall('secret', { ...call, ...change })).toBe(false);
  }
  expect(isMethodCall('other', call)).toBe(false);
});
