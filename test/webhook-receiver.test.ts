// examples/webhook-receiver as a separate process, with a real server.
import { CairnClient, setUpServer } from '@cairn/sdk';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it, vi } from 'vitest';
import { PATIENCE_MS } from './support/patience.ts';
import { startProxy } from './support/proxy.ts';
import { settingsOf, startProcess, startServerProcess } from './support/server.ts';
import { testLocation, UPPER_ENGINES } from './support/store.ts';

const LISTENING = /is at (\S+) .*?link; it works once:\s+(\S+)/s;
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const OWNER = { email: 'ada@example.com', password: 'a password of some length' };

async function openNotes(engine: (typeof UPPER_ENGINES)[number], webhookUrl: string) {
  const server = startServerProcess({
    PORT: '0',
    CAIRN_OUTBOUND_ALLOW: new URL(webhookUrl).host,
    CAIRN_WEBHOOK_RETRY_SECONDS: '1,1,1',
    ...settingsOf(await testLocation(engine)),
  });
  const [, url = '', code = ''] = await server.printed(LISTENING);
  const { token } = await setUpServer(url, { code, ...OWNER });
  const client = new CairnClient({ url, token });
  await client.repo.create('ada', 'notes');
  await client.shape.create('ada', 'notes', 'Note', { fields: { text: 'string' } });
  await client.shape.create('ada', 'notes', 'WordCount', { fields: { words: 'number' } });
  await client.credential.create('ada', 'notes', 'receiver');
  await client.credential.setKeys('ada', 'notes', 'receiver', { WEBHOOK_SIGNING_SECRET: SECRET });
  await client.subscription.create('ada', 'notes', 'notes', {
    // Includes records that the receiver writes, because the trace must end the loop.
    filter: { kind: ['thing', 'assertion'], operation: ['add', 'revise'] },
    webhookUrl,
    credentialSet: 'receiver',
  });
  return { url, client, server };
}

async function startReceiver(url: string, client: CairnClient) {
  const { token } = await client.token.create('receiver', {
    scopes: [{ resource: 'ada/notes', permissions: ['repo:read', 'repo:write', 'repo:action-callback'] }],
  });
  const receiver = startProcess('node', ['run.mjs', 'examples/webhook-receiver/receiver.ts'], {
    PORT: '0',
    CAIRN_URL: url,
    CAIRN_TOKEN: token,
    WEBHOOK_SIGNING_SECRET: SECRET,
  });
  const [, at = ''] = await receiver.printed(/at (http:\S+)/);
  return { receiver, at };
}

describe.each(UPPER_ENGINES)('the receiver of the example on %s', (engine) => {
  it('verifies, works and reports back; what it writes joins the trace', async () => {
    let receiverUrl = 'http://127.0.0.1:1';
    const front = await startProxy(() => receiverUrl, {});
    const { url, client, server } = await openNotes(engine, front.url);
    const { receiver, at } = await startReceiver(url, client);
    receiverUrl = at;

    expect(await client.subscription.test('ada', 'notes', 'notes')).toMatchObject({
      outcome: 'succeeded',
      httpStatus: 200,
    });
    const { repoSeq } = await client.commit.submit('ada', 'notes', {
      operations: [{ operation: 'add', name: 'Note/first', data: { text: 'Stones on stones show the way.' } }],
    });
    const run = await vi.waitFor(
      async () => {
        const { items } = await client.action.runs('ada', 'notes', { subscription: 'notes', status: 'succeeded' });
        expect(items.length, `${receiver.output()}\n${server.output()}`).toBe(1);
        return items[0];
      },
      { timeout: PATIENCE_MS, interval: 200 },
    );
    expect(run).toMatchObject({ event: 'cairn.write', repoSeq, attemptCount: 1, result: { counted: 1 } });
    const { items: counts } = await client.thing.about('ada', 'notes', 'Note/first');
    expect(counts).toMatchObject([{ aboutWref: 'Note/first@v1', data: { words: 6 } }]);
    // The receiver's own commit matches the filter too. It is not delivered, because it has the same trace.
    const { items: runs } = await client.action.runs('ada', 'notes', {});
    expect(runs.map(({ status }) => status)).toEqual(['suppressed', 'succeeded']);
    const { items: attempts } = await client.action.attempts('ada', 'notes', run?.runId ?? '');
    expect(attempts).toMatchObject([{ attempt: 1, outcome: 'accepted', httpStatus: 202 }]);
    expect((await client.action.notifications('ada', 'notes')).items).toEqual([]);
  });
});

describe('the receiver of the example', () => {
  const receive = async () => {
    const receiver = startProcess('node', ['run.mjs', 'examples/webhook-receiver/receiver.ts'], {
      PORT: '0',
      CAIRN_TOKEN: 'none',
      WEBHOOK_SIGNING_SECRET: SECRET,
    });
    const [, at = ''] = await receiver.printed(/at (http:\S+)/);
    return async (body: string, signed = body) => {
      const now = new Date();
      const headers = {
        'webhook-id': 'run_1',
        'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
        'webhook-signature': new Webhook(SECRET).sign('run_1', now, signed),
      };
      return (await fetch(at, { method: 'POST', headers, body })).status;
    };
  };

  it('refuses what is not signed as it is, and what is too large', async () => {
    const send = await receive();
    expect(await send('{"event":"cairn.test"}')).toBe(200);
    expect(await send('{"event":"cairn.test" }', '{"event":"cairn.test"}')).toBe(401);
    expect(await send('x'.repeat(1024 * 1024 + 1))).toBe(413);
  });
});
