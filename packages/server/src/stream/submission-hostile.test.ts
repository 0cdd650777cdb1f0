// Submissions that go wrong: bad or endless bodies, clients that disconnect or do not read, and rights that end.
// Acknowledged lines stay, and errors are reported.
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createPerson } from '../../../../test/support/person.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import {
  countRooms,
  room,
  rooms,
  type SubmissionServer,
  startSubmissions,
  Upload,
  WORLD,
} from '../../../../test/support/submission.ts';
import { createToken, EVERYTHING } from '../account/account.ts';

const WHOLE_CHUNKS = { CAIRN_LIMIT_STREAM_CHUNK_MS: '3600000' };
const offsetOf = async ({ call }: SubmissionServer) =>
  (await call('stream.status', { ...WORLD, streamId: 's' })).offset;

describe.each(UPPER_ENGINES)('a body that is no lines, on %s', (engine) => {
  it.each([
    ['not JSON', Buffer.from('not json\n')],
    ['half of it', Buffer.from('{"name":"Room/x","data":{\n')],
    ['two in one', Buffer.from(room('x').trimEnd() + room('y'))],
    ['binary', Buffer.from([0, 1, 2, 255, 254, 0x80, 0x0a])],
    [
      'not UTF-8',
      Buffer.concat([Buffer.from('{"name":"Room/'), Buffer.from([0xc3, 0x28]), Buffer.from('","data":{}}\n')]),
    ],
  ])('ends at the line that is %s, and keeps those before', async (_, bad) => {
    const world = await startSubmissions(engine, WHOLE_CHUNKS);
    const { url, token, call } = world;
    const lines = await new Upload(url, { token })
      .end(Buffer.concat([Buffer.from(room(0) + room(1)), bad, Buffer.from(room(2))]))
      .rest();
    expect(lines).toMatchObject([
      { type: 'ack', offset: 2, applied: 2 },
      { type: 'error', code: 'VALIDATION_ERROR', offset: 2, line: 3, message: expect.stringMatching(/^Line 3: /) },
    ]);
    const first = new Upload(url, { token, query: '?offset=2' }).end(Buffer.concat([bad, Buffer.from(room(3))]));
    expect(await first.refusal()).toMatchObject({ status: 400, code: 'VALIDATION_ERROR', details: { line: 3 } });
    expect([await offsetOf(world), await countRooms(call)]).toEqual([2, 2]);
    expect((await new Upload(url, { token, query: '?offset=2' }).end(room(2)).rest()).at(-1)).toMatchObject({
      offset: 3,
    });
  });

  it('is not held in memory when it is one line of 100 MB', async () => {
    const world = await startSubmissions(engine);
    const upload = new Upload(world.url, { token: world.token }).send(room(0) + room(1));
    expect(await upload.next()).toMatchObject({ type: 'ack', offset: 2 });
    sendEndlessly(upload, Buffer.alloc(1024 * 1024, 'x'), 100);
    const expected = { code: 'PAYLOAD_TOO_LARGE', details: { line: 3, maxBytes: 1024 * 1024 } };
    expect(await upload.next()).toMatchObject({ type: 'error', offset: 2, line: 3, ...expected });
    const first = new Upload(world.url, { token: world.token, query: '?offset=2' });
    sendEndlessly(first, Buffer.alloc(1024 * 1024, 'x'), 100);
    expect(await first.refusal()).toMatchObject({ status: 413, ...expected });
    expect(await offsetOf(world)).toBe(2);
  });
});

function sendEndlessly({ request }: Upload, bytes: Uint8Array, times: number): void {
  const more = () => {
    for (; times > 0; times--) if (!request.write(bytes)) return void request.once('drain', more);
  };
  request.on('error', () => {});
  more();
}

describe.each(UPPER_ENGINES)('a packed body on %s', (engine) => {
  const lines = Array.from({ length: 3_000 }, (_, n) => room(`${n}-${(n * 7_919) % 10_007}`)).join('');
  const packed = gzipSync(lines);
  const headers = { 'content-encoding': 'gzip' };

  it.each([
    ['damaged', Buffer.concat([packed.subarray(0, -2_000), Buffer.alloc(2_000, 0xff)])],
    ['truncated', packed.subarray(0, -2_000)],
    ['followed by something else', Buffer.concat([packed, Buffer.from(room('x'))])],
  ])('that is %s ends with an error, and keeps what was acknowledged', async (_, bytes) => {
    const world = await startSubmissions(engine, { CAIRN_LIMIT_STREAM_CHUNK_LINES: '100' });
    const upload = new Upload(world.url, { token: world.token, headers });
    for (let at = 0; at < bytes.length; at += 1_000) upload.send(bytes.subarray(at, at + 1_000));
    const answered = await upload.end().rest();
    const last = answered.at(-1);
    expect(last).toMatchObject({ type: 'error', code: 'VALIDATION_ERROR', message: expect.stringContaining('gzip') });
    const kept = answered.findLast(({ type }) => type === 'ack')?.offset;
    expect([last?.offset, await offsetOf(world), await countRooms(world.call)]).toEqual([kept, kept, kept]);
  });

  it('that is none, or nothing, is refused', async () => {
    const { url, token } = await startSubmissions(engine);
    for (const bytes of [Buffer.from(lines), Buffer.alloc(0)]) {
      const upload = new Upload(url, { token, headers }).end(bytes);
      expect(await upload.refusal()).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
    }
  });

  it('that unpacks to many times its size is stopped', async () => {
    const world = await startSubmissions(engine);
    const { url, token } = world;
    const line = new Upload(url, { token, headers }).end(gzipSync(Buffer.alloc(50 * 1024 * 1024, 'x')));
    expect(await line.refusal()).toMatchObject({ status: 413, code: 'PAYLOAD_TOO_LARGE' });
    const lines = await new Upload(url, { token, headers })
      .end(gzipSync(`{}${' '.repeat(10_000)}\n`.repeat(1_000)))
      .rest();
    expect(JSON.stringify(lines.at(-1))).toMatch(/"code":"PAYLOAD_TOO_LARGE".*"maxRatio":50/);
    expect(await offsetOf(world).catch(() => 0)).toBeLessThan(1_000);
  });

  it.each(['\n', ' \r\n'])('of nothing but blank lines (%j) is ended soon', async (blank) => {
    const world = await startSubmissions(engine);
    const { url, token } = world;
    const told = await new Upload(url, { token, headers }).end(gzipSync(blank.repeat(1_000_000))).rest();
    expect(told.at(-1)).toMatchObject({
      type: 'error',
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining('blank'),
    });
    expect(await offsetOf(world)).toBeLessThanOrEqual(10_000);
  });
});

describe.each(UPPER_ENGINES)('the lines of a submission on %s', (engine) => {
  it('count for the limit of requests, a thousand as one', async () => {
    const world = await startSubmissions(engine, {
      CAIRN_LIMIT_PRINCIPAL_REQUESTS_PER_HOUR: '1',
      CAIRN_LIMIT_PRINCIPAL_BURST: '20',
    });
    const upload = new Upload(world.url, { token: world.token }).end('\n{}\n'.repeat(20_000));
    const told = await upload.rest();
    expect(told.at(-1)).toMatchObject({ type: 'error', code: 'RATE_LIMITED', retryAfter: expect.any(Number) });
    expect(told.at(-1)?.offset).toBeLessThan(20_000);
  });
});

describe.each(UPPER_ENGINES)('a client on %s', (engine) => {
  it('that stalls is told so, and can go on from what was acknowledged', async () => {
    const world = await startSubmissions(engine, { CAIRN_LIMIT_STREAM_IDLE_MS: '300' });
    const { url, token } = world;
    const stalled = new Upload(url, { token }).send(`${room(0)}{"name":"Ro`);
    expect(await stalled.rest()).toMatchObject([
      { type: 'ack', offset: 1 },
      { type: 'error', code: 'REQUEST_TIMEOUT', offset: 1 },
    ]);
    const silent = new Upload(url, { token, query: '?offset=1' });
    expect(await silent.refusal()).toMatchObject({ status: 408, code: 'REQUEST_TIMEOUT' });
    expect(await offsetOf(world)).toBe(1);
  });

  it('that ends its side of the connection in the middle of a line has sent no line', async () => {
    const world = await startSubmissions(engine);
    const { hostname, port } = new URL(world.url);
    const socket = connect({ host: hostname, port: Number(port) });
    const path = '/api/repos/ada/world/streams/s/submissions';
    const head = ['host: x', `authorization: Bearer ${world.token}`, 'content-type: application/x-ndjson'];
    socket.write(`POST ${path} HTTP/1.1\r\n${head.join('\r\n')}\r\ntransfer-encoding: chunked\r\n\r\n`);
    const piece = (text: string) => socket.write(`${text.length.toString(16)}\r\n${text}\r\n`);
    piece(room(0));
    let text = '';
    await new Promise<void>((acknowledged) => {
      socket.on('data', (chunk) => {
        text += chunk.toString();
        if (text.includes('"ack"')) acknowledged();
      });
    });
    piece(room(1).trimEnd());
    socket.end();
    await new Promise((closed) => socket.once('close', closed));
    expect(text.match(/HTTP\/1.1/g)).toHaveLength(1);
    expect(text).not.toContain('"end"');
    expect([await offsetOf(world), await countRooms(world.call)]).toEqual([1, 1]);
  });

  it('that takes no acknowledgements is not read from, until it does', async () => {
    const world = await startSubmissions(engine);
    const lineCount = 80_000;
    const upload = new Upload(world.url, { token: world.token }).end('{}\n'.repeat(lineCount));
    await upload.answer;
    let [before, now] = [-1, 0];
    while (before !== now) {
      before = now;
      await new Promise((resolve) => setTimeout(resolve, 300));
      now = await offsetOf(world);
    }
    expect(now).toBeGreaterThan(0);
    expect(now).toBeLessThan(lineCount);
    const answered = await upload.rest();
    expect(answered.at(-1)).toMatchObject({ type: 'end', offset: lineCount, error: lineCount });
  });

  it('that never takes any is left after a time', async () => {
    const world = await startSubmissions(engine, { CAIRN_LIMIT_STREAM_IDLE_MS: '500' });
    const upload = new Upload(world.url, { token: world.token });
    const cut = new Promise((resolve) => upload.request.once('error', resolve));
    sendEndlessly(upload, Buffer.from('{}\n'.repeat(100_000)), 1_000);
    expect((await upload.answer).statusCode).toBe(200);
    expect(await cut).toMatchObject({ code: expect.stringMatching(/^(ECONNRESET|EPIPE)$/) });
  });
});

describe.each(UPPER_ENGINES)('a right that ends during a submission on %s', (engine) => {
  it('ends it before the next chunk', async () => {
    const world = await startSubmissions(engine);
    const { url, store, call } = world;
    const eve = { email: 'eve@example.com', password: 'long enough it is' };
    await createPerson(store, { ...eve, operator: false });
    const evesToken = async (name: string) =>
      (await createToken(store, { email: eve.email, name, scopes: EVERYTHING })).token;
    const asMember = async (name: string) => {
      await call('org.addMember', { orgName: 'ada', email: eve.email, role: 'editor' });
      return await evesToken(name);
    };
    const scoped = async (name: string) =>
      (await call('token.create', { name, scopes: [{ permissions: ['repo:write'] }] })).token;
    const set = (streamSubmissions: boolean) => call('repo.configure', { ...WORLD, features: { streamSubmissions } });
    const endings: Record<string, [code: string, token: () => Promise<string>, end: () => Promise<unknown>]> = {
      'a token that is revoked': [
        'UNAUTHENTICATED',
        () => scoped('gone'),
        () => call('token.revoke', { name: 'gone' }),
      ],
      'a member who may only read by now': [
        'FORBIDDEN',
        () => asMember('demoted'),
        () => call('org.setMemberRole', { orgName: 'ada', handle: 'eve', role: 'viewer' }),
      ],
      'a member who is none by now': [
        'NOT_FOUND',
        () => evesToken('removed'),
        () => call('org.removeMember', { orgName: 'ada', handle: 'eve' }),
      ],
      'a repository that takes none by now': ['NOT_FOUND', () => scoped('disabled'), () => set(false)],
      'a repository that is archived': ['ARCHIVED', () => scoped('archived'), () => call('repo.archive', WORLD)],
      'a name that passes to another repository': [
        'NOT_FOUND',
        () => scoped('renamed'),
        async () => {
          await call('repo.rename', { ...WORLD, newName: 'old' });
          await call('repo.create', { orgName: 'ada', name: 'world' });
          await set(true);
        },
      ],
    };
    for (const [n, [what, [code, tokenFor, end]]] of Object.entries(endings).entries()) {
      const token = await tokenFor();
      if (code === 'NOT_FOUND' && what.startsWith('a member')) {
        await call('org.setMemberRole', { orgName: 'ada', handle: 'eve', role: 'editor' });
      }
      const upload = new Upload(url, { token, streamId: `s${n}` }).send(room(`${n}-a`));
      expect([what, await upload.next()]).toMatchObject([what, { type: 'ack', offset: 1 }]);
      const before = await countRooms(call);
      await end();
      upload.send(room(`${n}-b`));
      expect([what, await upload.rest()]).toMatchObject([what, [{ type: 'error', code, offset: 1 }]]);
      if (code === 'ARCHIVED') {
        const refused = new Upload(url, { token, streamId: 'other' }).end(room('x'));
        expect(await refused.refusal()).toMatchObject({ status: 409, code: 'ARCHIVED' });
        await call('repo.unarchive', WORLD);
      }
      await set(true);
      if (!what.startsWith('a name')) expect([what, await countRooms(call)]).toEqual([what, before]);
    }
  });
});

describe.each(UPPER_ENGINES)('a right that ends before the first line on %s', (engine) => {
  it('is none, however early the request came', async () => {
    const { url, call } = await startSubmissions(engine);
    const { token } = await call('token.create', { name: 'gone', scopes: [{ permissions: ['repo:write'] }] });
    const open = async (streamId: string) => {
      const upload = new Upload(url, { token, streamId }).send('{"name":"Room/a",');
      await new Promise((resolve) => setTimeout(resolve, 300));
      return upload;
    };
    const disabled = await open('a');
    await call('repo.configure', { ...WORLD, features: { streamSubmissions: false } });
    const unknown = await fetch(`${url}/no/such/path`, { method: 'POST' });
    const { error } = (await unknown.json()) as { error: object };
    expect(await disabled.end('"data":{}}\n').refusal()).toEqual({ status: 404, ...error });
    await call('repo.configure', { ...WORLD, features: { streamSubmissions: true } });
    const revoked = await open('b');
    await call('token.revoke', { name: 'gone' });
    expect(await revoked.end('"data":{}}\n').refusal()).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
    expect(await countRooms(call)).toBe(0);
  });
});

describe.each(UPPER_ENGINES)('a server that stops, on %s', (engine) => {
  it('ends submissions, with what was acknowledged kept', async () => {
    const { url, token, stop } = await startSubmissions(engine);
    const open = new Upload(url, { token }).send(room(0));
    expect(await open.next()).toMatchObject({ type: 'ack', offset: 1 });
    const silent = new Upload(url, { token, streamId: 'other' });
    await new Promise((resolve) => silent.request.once('socket', (socket) => socket.once('connect', resolve)));
    const flowing = new Upload(url, { token, streamId: 'third' });
    sendEndlessly(flowing, Buffer.from(rooms(10, 20)), 100_000);
    expect(await flowing.next()).toMatchObject({ type: 'ack' });
    await stop();
    expect(await open.rest()).toMatchObject([{ type: 'error', code: 'UNAVAILABLE', offset: 1, retryAfter: 1 }]);
    expect((await flowing.rest()).at(-1)).toMatchObject({ type: 'error', code: 'UNAVAILABLE' });
    expect(await silent.refusal()).toMatchObject({ status: 503, code: 'UNAVAILABLE', retryAfter: 1 });
  });
});
