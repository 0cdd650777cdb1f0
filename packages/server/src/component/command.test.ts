// Methods of installed components: requests, answers and refusals.
import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  CLI_SECRET,
  type ComponentOptions,
  type ComponentWorld,
  createComponentWorld,
  INSTALL,
  manifestOf,
} from '../../../../test/support/called-component.ts';
import { type Answering, pour, type ReceivedDelivery, withStatus } from '../../../../test/support/receiver.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import type { Engine } from '../engine/database.ts';

const PLACE = { orgName: 'acme', repoName: 'world' };
const REPO = { installRepo: 'acme/world' };
const json = (status: number, body: unknown): Answering =>
  withStatus(status, { 'content-type': 'application/json' }, JSON.stringify(body));

async function createInstalled(engine: Engine, options?: ComponentOptions): Promise<ComponentWorld> {
  const world = await createComponentWorld(engine, options);
  await world.register();
  await world.install();
  return world;
}

const count = (world: ComponentWorld, args: Record<string, unknown> = { text: 'a' }) =>
  world.ask('cli/count', { ...REPO, args });
const called = ({ receiver }: ComponentWorld) => receiver.received.filter(({ path }) => path !== '/setup');

/** An independent implementation of the signature in the design. */
function isSigned({ method, path, headers, text }: ReceivedDelivery, host: string, secret = CLI_SECRET): boolean {
  const body = createHash('sha256').update(text).digest('hex');
  const signed = `${headers['x-cairn-timestamp']}.${method}.${host}.${path}.${headers['x-cairn-install-repo']}.${body}`;
  return headers['x-cairn-signature'] === createHmac('sha256', secret).update(signed).digest('hex');
}

const setBase = async ({ owner }: ComponentWorld, data: Record<string, unknown>) =>
  (
    await owner('commit.submit', {
      ...PLACE,
      operations: [{ operation: 'revise', name: 'ComponentConfig/thing', data }],
    })
  ).data();

describe.each(UPPER_ENGINES)('methods of components on %s', (engine) => {
  it('are called where they are, with their arguments, signed so that the component can check it', async () => {
    const world = await createInstalled(engine);
    world.receiver.answer(json(200, { words: 3 }));
    expect(await count(world, { how: 'words', text: 'ä b&c' })).toMatchObject({
      status: 200,
      body: { status: 200, body: { words: 3 } },
    });
    expect((await world.ask('cli/reset', { ...REPO, args: { factor: 1.5 } })).status).toBe(200);
    const [got, posted] = called(world);
    if (got === undefined || posted === undefined) throw new Error('the component was not called twice');
    expect([got.method, got.path, got.text]).toEqual(['GET', '/count?text=%C3%A4+b%26c&limit=10&how=words', '']);
    expect([posted.method, posted.path, posted.text]).toEqual(['POST', '/do/reset', '{"factor":1.5}']);
    expect(Math.abs(Number(got.headers['x-cairn-timestamp']) - Date.now())).toBeLessThan(60_000);
    expect(got.headers['x-cairn-install-repo']).toBe('acme/world');
    for (const request of [got, posted]) {
      expect(isSigned(request, world.receiver.address)).toBe(true);
      expect(isSigned(request, 'other.example.com')).toBe(false);
      expect(isSigned(request, world.receiver.address, 'another secret')).toBe(false);
    }
    const { items } = (await world.owner('audit.list', { orgName: 'acme', action: 'component.exec' })).data();
    expect(items).toHaveLength(2);
    expect(items[1]).toMatchObject({
      target: 'acme/world/thing',
      details: { component: 'maker/thing', method: 'count' },
    });
    expect(JSON.stringify(items)).not.toContain('words');
  });

  it('answer by procedure as by route', async () => {
    const world = await createInstalled(engine);
    world.receiver.answer(withStatus(201, { 'content-type': 'text/plain' }, '{"a":1}'));
    const answer = await world.owner('component.exec', { ...INSTALL, method: 'count', args: { text: 'a' } });
    expect(answer.data()).toEqual({ status: 201, body: '{"a":1}' });
    expect((await count(world)).body).toEqual({ status: 201, body: '{"a":1}' });
    const unknown = await world.owner('component.exec', { ...INSTALL, method: 'none', args: {} });
    expect([unknown.code, unknown.message]).toEqual(['NOT_FOUND', expect.stringContaining('count, reset')]);
  });

  it.each<[string, Answering, number, RegExp]>([
    ['400 with a message', json(400, { message: 'no such word' }), 400, /answered 400: no such word/],
    ['404 with an error', json(404, { error: { message: 'unknown' } }), 400, /answered 404: unknown/],
    ['429 with a text', withStatus(429, {}, 'later \u001b[31mplease'), 400, /answered 429: later \[31mplease/],
    ['500', withStatus(500), 502, /answered 500/],
    ['302 to a private address', withStatus(302, { location: 'http://10.0.0.1/' }), 502, /does not follow redirects/],
    ['nothing, and resets', (response) => response.destroy(), 502, /broke before/],
    ['nothing at all', () => undefined, 504, /not complete within/],
    ['100 MB', (response) => pour(response, 100 * 2 ** 20), 502, /more than 1048576 bytes/],
  ])('of a component that answers %s answer %3$i', async (_, answering, status, message) => {
    const world = await createInstalled(engine, { outbound: { totalMs: 1_500 } });
    world.receiver.answer(answering);
    const answer = await count(world);
    expect([answer.status, answer.body.error?.message]).toEqual([status, expect.stringMatching(message)]);
  });

  it('take an answer of a mebibyte, and JSON only as it is', async () => {
    const world = await createInstalled(engine);
    const whole = JSON.stringify('x'.repeat(2 ** 20 - 2));
    const bodyOf = async (text: string) => {
      world.receiver.answer(withStatus(200, { 'content-type': 'application/json' }, text));
      const { status, body } = await count(world);
      return [status, body.body];
    };
    expect(await bodyOf(whole)).toEqual([200, JSON.parse(whole)]);
    for (const text of ['', '{', '{"a":1,"a":2}', '['.repeat(100_000), '12345678901234567890123']) {
      expect(await bodyOf(text)).toEqual([200, text]);
    }
  });

  it('are refused one after the other, in the order of the design', async () => {
    const world = await createComponentWorld(engine);
    const { owner, ask } = world;
    await world.register({ visibility: 'private' });
    const bad = { ...REPO, args: { limit: 0, more: 1 } };
    expect((await ask('cli/none', bad)).status).toBe(409);
    await world.install();
    expect((await ask('cli/none', bad)).status).toBe(404);
    (await owner('component.pause', INSTALL)).data();
    expect((await ask('cli/count', bad)).body.error).toMatchObject({ code: 'CONFLICT', details: { reason: 'paused' } });
    (await owner('component.resume', INSTALL)).data();
    expect((await ask('cli/count', bad)).body.error).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ path: 'args.more' }, { path: 'args.text' }, { path: 'args.limit' }],
    });
    (await owner('credential.unsetKey', { ...PLACE, name: 'thing-keys', key: 'CLI_SIGNING_SECRET' })).data();
    await setBase(world, {});
    expect((await count(world)).body.error).toMatchObject({ details: { reason: 'no_base_url' } });
    await setBase(world, { cliBaseUrl: world.receiver.url });
    const unsigned = await count(world);
    expect(unsigned.body.error).toMatchObject({ details: { reason: 'credentials_missing' } });
    expect(unsigned.text).toContain('cairn credential set thing-keys CLI_SIGNING_SECRET --repo acme/world');
    (await owner('credential.revoke', { ...PLACE, name: 'thing-keys' })).data();
    expect((await count(world)).body.error).toMatchObject({ details: { reason: 'credentials_revoked' } });
    (await owner('component.teardown', INSTALL)).data();
    expect((await count(world)).body.error).toMatchObject({ details: { reason: 'not_installed' } });
    expect(called(world)).toEqual([]);
  });

  it('are called at an origin of the registration alone, whoever wrote the address', async () => {
    const world = await createInstalled(engine);
    const { receiver, app } = world;
    const other = receiver.url.replace('127.0.0.1', 'localhost');
    for (const cliBaseUrl of [
      other,
      'https://evil.example.com',
      'not a url',
      `${receiver.url}#x`,
      'file:///etc/passwd',
    ]) {
      await setBase(world, { cliBaseUrl });
      const refused = await count(world);
      expect([cliBaseUrl, refused.status, refused.body.error.details]).toEqual([
        cliBaseUrl,
        409,
        { reason: 'foreign_origin' },
      ]);
      expect(refused.text).not.toContain('evil');
    }
    const { runtime } = world.tokens();
    const operations = [
      { operation: 'revise', name: 'ComponentConfig/thing', data: { cliBaseUrl: 'https://evil.example.com/' } },
    ];
    const headers = { authorization: `Bearer ${runtime}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ ...PLACE, operations });
    expect((await app.request('/trpc/commit.submit', { method: 'POST', headers, body })).status).toBe(200);
    expect((await count(world)).body.error.details).toEqual({ reason: 'foreign_origin' });
    expect(called(world)).toEqual([]);
    await setBase(world, { cliBaseUrl: `${receiver.url}/base/` });
    expect((await count(world)).status).toBe(200);
    expect(called(world)[0]?.path).toBe('/base/count?text=a&limit=10');
  });

  it('are not sent to a private address that nobody permits', async () => {
    let address = '93.184.216.34';
    const world = await createComponentWorld(engine, { outbound: { resolve: async () => [address] } });
    await world.register({ allowedCallbacks: ['https://inside.example.com'] });
    await world.install();
    await setBase(world, { cliBaseUrl: 'https://inside.example.com' });
    address = '127.0.0.1';
    const refused = await count(world);
    expect([refused.status, refused.text]).toEqual([502, expect.stringContaining('not public')]);
    expect(called(world)).toEqual([]);
  });

  it('take no secret of a set that is not the own of the component', async () => {
    const world = await createInstalled(engine);
    const { owner } = world;
    const set = { ...PLACE, name: 'thing-keys' };
    (await owner('credential.delete', set)).data();
    (await owner('credential.create', set)).data();
    (await owner('credential.setKeys', { ...set, keys: { CLI_SIGNING_SECRET: 'of somebody else' } })).data();
    expect((await count(world)).body.error.details).toMatchObject({ reason: 'credentials_missing' });
    expect(called(world)).toEqual([]);
  });

  it('show nothing of the secret that a component sends back', async () => {
    const world = await createInstalled(engine);
    for (const status of [200, 400]) {
      world.receiver.answer(json(status, { message: `it is ${CLI_SECRET}`, again: encodeURIComponent(CLI_SECRET) }));
      const { text } = await count(world);
      expect(text).toContain('***');
      expect(text).not.toContain(CLI_SECRET);
      expect(text).not.toContain(encodeURIComponent(CLI_SECRET));
    }
  });

  it('of the version that is installed are those that there are', async () => {
    const world = await createInstalled(engine);
    const cli = { methods: [{ name: 'other', method: 'DELETE', credentialSet: 'thing-keys', args: [] }] };
    const manifest = manifestOf('2.0.0', { cli });
    (await world.owner('component.publish', { orgName: 'maker', name: 'thing', manifest })).data();
    expect((await count(world)).status).toBe(200);
    (await world.owner('component.update', INSTALL)).data();
    expect((await count(world)).status).toBe(404);
    expect((await world.ask('cli/other', { ...REPO, args: {} })).status).toBe(200);
    expect(called(world).at(-1)).toMatchObject({ method: 'DELETE', path: '/other', text: '' });
  });
});
