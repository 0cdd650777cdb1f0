// Receivers that echo everything: secrets are neither stored nor shown.
import { describe, expect, it } from 'vitest';
import { createActionWorld, WORLD } from '../../../../../test/support/action.ts';
import type { Answering } from '../../../../../test/support/receiver.ts';
import { tracesOf } from '../../../../../test/support/secret-trace.ts';
import { ENGINES } from '../../../../../test/support/store.ts';

const PATH_SECRET = 'T0123456789-B0123456789';
const QUERY_SECRET = 'query-secret-of-some-length';
const SECRETS = {
  WEBHOOK_SIGNING_SECRET: `whsec_${Buffer.from('a signing secret of thirty-two b').toString('base64')}`,
  WEBHOOK_BASIC_USERNAME: 'the-user-of-the-webhook',
  WEBHOOK_BASIC_PASSWORD: 'the password "of" the webhook',
  WEBHOOK_API_KEY: 'an-api-key-of-some-length',
  FALLBACK_WEBHOOK_BEARER_TOKEN: 'a-bearer-token-for-the-fallback',
};

const echo: Answering = (response, { path, headers }) => {
  const said = JSON.stringify({ path, ...headers });
  const location = `https://elsewhere.example${path}`;
  response.writeHead(path.startsWith('/fallback') ? 500 : 302, { location }).end(`Cannot POST ${path}\n${said}`);
};

describe.each(ENGINES)('secrets on %s', (engine) => {
  it('are in nothing that is kept of an answer that repeats them, nor shown or logged', async () => {
    const world = await createActionWorld(engine, echo);
    const { owner, receiver, store, logged } = world;
    const set = { ...WORLD, name: 'keys' };
    (await owner('credential.create', set)).data();
    (await owner('credential.setKeys', { ...set, keys: SECRETS })).data();
    const place = (name: string) => `${receiver.url}/${name}/${PATH_SECRET}?token=${QUERY_SECRET}`;
    const [webhookUrl, fallbackWebhookUrl] = [place('hook'), place('fallback')];
    await world.subscribe({ webhookUrl, fallbackWebhookUrl, credentialSet: 'keys' });
    await world.add('a');
    const { failures } = await world.deliver();
    await expect.poll(() => receiver.received.length).toBe(2);
    await expect.poll(() => store.database.query('select fallback from run')).toEqual([{ fallback: 'sent' }]);
    const [run] = await world.runs();
    const shown = [
      await owner('subscription.test', { ...WORLD, name: 'watcher' }),
      await owner('action.attempts', { ...WORLD, runId: run?.runId ?? '' }),
      await owner('action.runs', WORLD),
      await owner('action.notifications', WORLD),
      await owner('subscription.get', { ...WORLD, name: 'watcher' }),
      await owner('credential.audit', set),
      await owner('audit.list', { orgName: 'acme' }),
    ].map(({ body }) => body);
    expect(shown[1]).toContain('Cannot POST ***');
    const tables = ['run', 'attempt', 'notification', 'credential_event', 'audit'];
    const rows = await Promise.all(tables.map((table) => store.database.query(`select * from ${table}`)));
    const text = [...shown, JSON.stringify([rows, logged, failures.map(String)])].join('\n');
    const secrets = [...Object.values(SECRETS), PATH_SECRET, QUERY_SECRET];
    expect(secrets.flatMap((secret) => tracesOf(secret, text))).toEqual([]);
  });
});
