// The live stream over a real socket: tickets, events and refusals.
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import {
  createLiveWorld,
  LiveClient,
  listen,
  namesIn,
  signal,
  ticketOf,
  WORLD,
} from '../../../../test/support/live.ts';
import { TEST_SECRET } from '../../../../test/support/principal.ts';
import { caller } from '../../../../test/support/procedure.ts';
import { createOwnerToken, startTestServer } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import { deriveKeys } from '../server.ts';
import { encodeTicket, type Ticket } from './live.ts';

function forge(ticket: string, changes: Partial<Ticket>, secret = TEST_SECRET): string {
  const text = Buffer.from(ticket, 'base64url').subarray(32).toString();
  return encodeTicket(deriveKeys(secret).liveTicket, { ...JSON.parse(text), ...changes });
}

describe.each(UPPER_ENGINES)('the live stream on %s', (engine) => {
  it(
    verifies(
      'opens with a ticket, stays open, and tells of commits in the form of server-sent events',
      '4.4/sse-mounted',
      '6/sse-format',
      '6/sse-invalidates',
    ),
    async () => {
      const { url, owner, commit } = await createLiveWorld(engine);
      const client = await LiveClient.open(url, { ticket: await ticketOf(owner) });
      const { statusCode, headers } = client.answer;
      expect(statusCode).toBe(200);
      expect(headers).toMatchObject({
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
        'x-content-type-options': 'nosniff',
        'x-request-id': expect.any(String),
        vary: 'Origin',
      });
      expect(headers['content-encoding']).toBeUndefined();
      expect(await client.next()).toEqual({ event: 'ready', id: '1', data: { repoSeq: 1 } });
      await commit([signal('a'), { kind: 'assertion', name: 'Signal/b', about: 'Signal/a', data: {} }]);
      expect(await client.next()).toEqual({
        event: 'invalidate',
        id: '2',
        data: {
          topic: 'repo',
          repoSeq: 2,
          affectedShapes: ['Signal'],
          affectedRecords: ['Signal/a', 'Signal/b'],
          affectedTargets: ['Signal/a'],
        },
      });
      await commit([{ operation: 'retract', name: 'Signal/b' }]);
      expect(namesIn(await client.next())).toEqual({
        shapes: ['Signal'],
        records: ['Signal/b'],
        targets: ['Signal/a'],
      });
      await commit([{ operation: 'rename', name: 'Signal/a', newName: 'Signal/z' }]);
      expect(namesIn(await client.next())).toEqual({
        shapes: ['Signal'],
        records: ['Signal/a', 'Signal/z'],
        targets: [],
      });
      expect(client.ended).toBe(false);
      expect(client.text).toMatch(/^event: ready\nid: 1\ndata: \{"repoSeq":1\}\n\nevent: invalidate\nid: 2\ndata: \{/);
    },
  );

  it(
    verifies(
      'is refused without a ticket, with a bearer token or not, and with one that is none, telling what to do',
      '4.4/sse-no-ticket',
      '4.4/sse-invalid-ticket',
      '4.4/sse-bearer-only',
    ),
    async () => {
      const { url, owner, token } = await createLiveWorld(engine);
      const good = await ticketOf(owner);
      const bearer = { authorization: `Bearer ${token}` };
      const cases: [query: string, message: string, headers?: Record<string, string>][] = [
        ['', 'needs a ticket'],
        ['?ticket=', 'needs a ticket'],
        ['', 'needs a ticket', bearer],
        ['?ticket=x', 'not issued by this server'],
        ['?ticket=x', 'not issued by this server', bearer],
        [`?ticket=${token}`, 'not issued by this server'],
        [`?ticket=${good.slice(0, -2)}`, 'not issued by this server'],
        [`?ticket=${good}.`, 'not issued by this server'],
        [`?ticket=${good.startsWith('A') ? 'B' : 'A'}${good.slice(1)}`, 'not issued by this server'],
        [`?ticket=${forge(good, {}, 'the secret of another server')}`, 'not issued by this server'],
        [`?ticket=${forge(good, { expiresAt: Date.now() })}`, 'has expired'],
      ];
      for (const [query, message, headers = {}] of cases) {
        const answer = await fetch(`${url}/sse${query}`, { headers });
        const { error } = (await answer.json()) as { error: { code: string; message: string } };
        expect([query, answer.status, error.code]).toEqual([query, 401, 'UNAUTHENTICATED']);
        expect(error.message).toContain(message);
        expect(error.message).toContain('live.issueTicket');
        expect(answer.headers.get('www-authenticate')).toContain('resource_metadata=');
      }
      // The refusals did not use up the ticket.
      expect((await LiveClient.open(url, { ticket: good })).answer.statusCode).toBe(200);
    },
  );

  it('takes a ticket once, of many who come with it at the same time', async () => {
    const { url, owner } = await createLiveWorld(engine);
    const ticket = await ticketOf(owner);
    const clients = await Promise.all(Array.from({ length: 8 }, () => LiveClient.open(url, { ticket })));
    const refused = clients.filter(({ answer }) => answer.statusCode === 401);
    expect([clients.length, refused.length]).toEqual([8, 7]);
    await refused[0]?.until(() => refused[0]?.ended === true);
    expect(refused[0]?.text).toContain('already used');
  });

  it('issues tickets that are good for a minute, and stores nothing of them', async () => {
    const { owner } = await createLiveWorld(engine);
    const before = Date.now();
    const { expiresAt } = (await owner('live.issueTicket', WORLD)).data();
    expect(expiresAt).toBeGreaterThanOrEqual(before + 60_000);
    expect(expiresAt).toBeLessThanOrEqual(Date.now() + 60_000);
  });

  it('has no other method, not even HEAD, and names parameters that it does not know', async () => {
    const { url, owner } = await createLiveWorld(engine);
    const ticket = await ticketOf(owner);
    for (const method of ['HEAD', 'POST', 'PUT', 'DELETE']) {
      const { status, headers } = await fetch(`${url}/sse?ticket=${ticket}`, { method });
      expect([method, status, headers.get('allow')]).toEqual([method, 405, 'GET']);
    }
    const answer = await fetch(`${url}/sse?ticket=${ticket}&repo=world`);
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('repo: Unknown parameter')]);
    expect((await LiveClient.open(url, { ticket })).answer.statusCode).toBe(200);
  });

  it('sends a comment now and then while nothing happens', async () => {
    const { url, owner } = await createLiveWorld(engine, { pace: { beatMs: 150 } });
    const client = await listen(url, owner);
    await client.until(() => client.text.endsWith('\n\n:\n\n:\n\n:\n\n'));
    expect(client.pending).toEqual([]);
  });

  it('tells who was away of all that was missed at once, and of nothing when nothing was', async () => {
    const { url, owner, commit } = await createLiveWorld(engine);
    await commit([signal('a')]);
    await commit([signal('b')]);
    await commit([{ operation: 'rename', name: 'Signal/b', newName: 'Signal/c' }]);
    await commit([{ operation: 'retract', name: 'Signal/a' }]);
    const client = await LiveClient.open(url, { ticket: await ticketOf(owner), lastEventId: '2' });
    expect(await client.next()).toEqual({ event: 'ready', id: '2', data: { repoSeq: 5 } });
    const missed = await client.next();
    expect([missed.event, missed.id, missed.data.truncated]).toEqual(['invalidate', '5', undefined]);
    expect(namesIn(missed)).toEqual({ shapes: ['Signal'], records: ['Signal/a', 'Signal/c'], targets: [] });
    const upToDate = await listen(url, owner, '5');
    await commit([signal('d')]);
    for (const listener of [client, upToDate]) expect((await listener.next()).id).toBe('6');
  });

  it('tells who missed too much to read everything again', async () => {
    const { url, owner, commit } = await createLiveWorld(engine);
    await commit(Array.from({ length: 1_500 }, (_, n) => signal(`n${n}`)));
    const client = await listen(url, owner, '1');
    const { data } = await client.next();
    expect(data).toMatchObject({ repoSeq: 2, truncated: true, affectedShapes: ['Signal'] });
    expect(data.affectedRecords).toHaveLength(1_000);
  });

  it.each(['999', 'none', '-1', '1e3', '0x1', '01', `1${'0'.repeat(30)}`])(
    'tells who heard of %j before, which never was, that all may have changed',
    async (lastEventId) => {
      const { url, owner, commit } = await createLiveWorld(engine);
      const client = await listen(url, owner, lastEventId);
      expect(await client.next()).toEqual({
        event: 'invalidate',
        id: '1',
        data: {
          topic: 'repo',
          repoSeq: 1,
          affectedShapes: [],
          affectedRecords: [],
          affectedTargets: [],
          truncated: true,
        },
      });
      await commit([signal('a')]);
      expect((await client.next()).id).toBe('2');
    },
  );

  it('limits the streams of an account, and of an address without one', async () => {
    const settings = { CAIRN_LIMIT_LIVE_STREAMS: '2', CAIRN_LIMIT_ANONYMOUS_LIVE_STREAMS: '1' };
    const { app, url, owner } = await createLiveWorld(engine, { settings });
    await owner('repo.setVisibility', { ...WORLD, visibility: 'public' });
    const anonymous = caller(app);
    const streams = [await listen(url, owner), await listen(url, owner), await listen(url, anonymous)];
    for (const [call, advice] of [[owner, 'Close one'] as const, [anonymous, 'bearer token'] as const]) {
      const ticket = await ticketOf(call);
      const refused = await fetch(`${url}/sse?ticket=${ticket}`);
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '15']);
      expect(await refused.text()).toContain(advice);
    }
    for (const stream of streams) stream.close();
    const ticket = await ticketOf(owner);
    await expect.poll(async () => (await LiveClient.open(url, { ticket })).answer.statusCode).toBe(200);
  });

  it('ends at once when the server stops, and lets nobody in after that', async () => {
    const { url, owner, live } = await createLiveWorld(engine);
    const [client, ticket] = [await listen(url, owner), await ticketOf(owner)];
    await live.close();
    await client.until(() => client.ended);
    expect(client.answer.complete).toBe(true);
    expect(client.text.endsWith('retry: 1000\n\n')).toBe(true);
    expect((await LiveClient.open(url, { ticket })).answer.statusCode).toBe(503);
  });

  it('ends cleanly with a server that stops', async () => {
    const server = await startTestServer(engine);
    const token = await createOwnerToken(server.store);
    const owner = async (name: string, input: object) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const init = { method: 'POST', headers, body: JSON.stringify(input) };
      const answer = await (await fetch(`${server.url}/trpc/${name}`, init)).json();
      return (answer as { result: { data: { ticket: string } } }).result.data;
    };
    await owner('org.create', { name: 'acme' });
    await owner('repo.create', { orgName: 'acme', name: 'world' });
    const { ticket } = await owner('live.issueTicket', WORLD);
    const client = await LiveClient.open(server.url, { ticket });
    await client.next();
    await server.stop();
    await client.until(() => client.ended);
    expect(client.answer.complete).toBe(true);
  });
});
