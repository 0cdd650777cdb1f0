// The examples of docs/actions.md, run in order and unchanged, with the receiver from that page.
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CairnClient, RunStatus } from '@cairn/sdk';
import { expect, it, onTestFinished, vi } from 'vitest';
import { blocksOf, readPage } from './support/page-example.ts';
import { openPageServer } from './support/page-server.ts';
import { PATIENCE_MS } from './support/patience.ts';
import { ROOT, startProcess } from './support/server.ts';

const PAGE = 'docs/actions.md';
const WEBHOOK_SIGNING_SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;

async function startReceiver() {
  const [receiver = ''] = /^.*?\n}\).listen\(9000, '127.0.0.1'\);\n/s.exec(blocksOf(readPage(PAGE), 'js')) ?? [];
  const listening = ".listen(0, '127.0.0.1', function () { console.log('port', this.address().port); });";
  const folder = mkdtempSync(join(tmpdir(), 'cairn-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'receiver.mjs'), receiver.replace(/\.listen\(9000.*/, listening));
  const process = startProcess('node', ['run.mjs', join(folder, 'receiver.mjs')], { WEBHOOK_SIGNING_SECRET });
  const [, port = ''] = await process.printed(/port (\d+)/);
  return { process, host: `127.0.0.1:${port}` };
}

const OVER: readonly RunStatus[] = ['succeeded', 'failed_terminal', 'dead_letter'];

async function allOver(client: CairnClient): Promise<void> {
  await vi.waitFor(
    async () => {
      const { items } = await client.action.runs('acme', 'lab');
      expect(items.filter(({ status }) => !OVER.includes(status))).toEqual([]);
    },
    { timeout: PATIENCE_MS, interval: 200 },
  );
}

it('the examples of docs/actions.md do what they say', async () => {
  const { process, host } = await startReceiver();
  const { client, runCommands, runScript } = await openPageServer(PAGE, {
    settings: { CAIRN_OUTBOUND_ALLOW: host },
    environment: { WEBHOOK_SIGNING_SECRET },
    replaced: { '127.0.0.1:9000': host },
  });
  await runCommands(async (command) => {
    if (/subscription log|action |curl|credential (view|audit)/.test(command)) await allOver(client);
  });
  await runScript();
  await process.printed(/\/alarms cairn.write add Signal\/alarm-1/);
  expect(process.output()).toContain('/signals cairn.test');
  expect(process.output()).toContain('/signals cairn.write add Signal/a\n');
  expect(process.output()).not.toContain('/unsigned cairn.write add Signal/b');
});
