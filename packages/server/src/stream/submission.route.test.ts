// Streaming submissions: lines go in, and acknowledgements come out during the upload.
import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { SCOPE_NAMES } from '@cairn/protocol/scopes';
import { streamLine } from '@cairn/protocol/stream';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import { createComponentToken } from '../../../../test/support/principal.ts';
import { createScopedToken } from '../../../../test/support/procedure.ts';
import { createTestAppOn } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import { countRooms, room, rooms, startSubmissions, Upload, WORLD } from '../../../../test/support/submission.ts';
import { findRepository } from '../repository/repository.sql.ts';

describe.each(UPPER_ENGINES)('a submission on %s', (engine) => {
  it(
    verifies(
      'is acknowledged chunk by chunk while the upload goes on',
      '4.4/submission-mounted',
      '4.4/submission-ndjson',
      '4.4/submission-streaming',
    ),
    async () => {
      const { url, token, call } = await startSubmissions(engine);
      const upload = new Upload(url, { token }).send(room('a') + room('b'));
      const first = await upload.next();
      expect(first).toEqual({ type: 'ack', offset: 2, repoSeq: 2, applied: 2, noop: 0, error: 0 });
      expect(await countRooms(call)).toBe(2);
      upload.send(room('c') + room('a'));
      const second = await upload.next();
      expect(second).toMatchObject({ type: 'ack', offset: 4, applied: 1, noop: 0, error: 1 });
      expect(second).toMatchObject({ errors: [{ line: 4, code: 'ALREADY_EXISTS' }] });
      upload.end(room('d'));
      const [third, end, ...more] = await upload.rest();
      expect(third).toMatchObject({ type: 'ack', offset: 5, applied: 1 });
      expect(end).toMatchObject({ type: 'end', offset: 5, applied: 4, noop: 0, error: 1 });
      expect(more).toEqual([]);
      for (const line of [first, second, third, end]) expect(streamLine.safeParse(line).success).toBe(true);
      const { statusCode, headers } = await upload.answer;
      expect([statusCode, headers['content-type'], headers['transfer-encoding'], headers['cache-control']]).toEqual([
        200,
        'application/x-ndjson',
        'chunked',
        'no-store',
      ]);
    },
  );

  it('tells of fields that a shape does not declare, each once in a chunk', async () => {
    const { url, token, call } = await startSubmissions(engine);
    await call('shape.create', { ...WORLD, name: 'Open', fields: { 'x?': 'number' } });
    const line = (name: string, data: object) => `${JSON.stringify({ name, data })}\n`;
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`f${index}`, index]));
    const long = { ['y'.repeat(1_000)]: 1 };
    const upload = new Upload(url, { token }).send(
      `${line('Open/a', { x: 1 })}\n${line('Open/b', { y: 1 })}${line('Open/c', { y: 2, z: 3 })}${line('Open/d', long)}`,
    );
    const first = await upload.next();
    expect(first).toMatchObject({
      applied: 4,
      undeclaredFields: [
        { line: 3, shapeName: 'Open', path: '/y' },
        { line: 4, shapeName: 'Open', path: '/z' },
      ],
    });
    expect(streamLine.safeParse(first).success).toBe(true);
    const [second, end] = await upload.end(line('Open/e', many)).rest();
    expect(second).toMatchObject({ type: 'ack', undeclaredFields: { length: 20 } });
    expect(end).not.toHaveProperty('undeclaredFields');
  });

  it('is applied in chunks of so many lines, and of so many bytes', async () => {
    const limits = { CAIRN_LIMIT_STREAM_CHUNK_MS: '3600000' };
    const byLines = await startSubmissions(engine, { ...limits, CAIRN_LIMIT_STREAM_CHUNK_LINES: '10' });
    const acks = await new Upload(byLines.url, { token: byLines.token }).end(rooms(0, 25)).rest();
    expect(acks.map(({ type, offset }) => [type, offset])).toEqual([
      ['ack', 10],
      ['ack', 20],
      ['ack', 25],
      ['end', 25],
    ]);
    const bytes = String(room(10).length * 4 + 3);
    const byBytes = await startSubmissions(engine, { ...limits, CAIRN_LIMIT_STREAM_CHUNK_BYTES: bytes });
    const others = await new Upload(byBytes.url, { token: byBytes.token }).end(rooms(10, 20)).rest();
    expect(others.map(({ offset }) => offset)).toEqual([4, 8, 10, 10]);
  });

  it('goes on where it was cut, and says where when asked from elsewhere', async () => {
    const { url, token, call } = await startSubmissions(engine);
    const cut = new Upload(url, { token }).send(`${room(0) + room(1)}{"name":"Room/2","da`);
    expect(await cut.next()).toMatchObject({ type: 'ack', offset: 2 });
    cut.request.destroy();
    for (const offset of [0, 1, 3]) {
      const other = new Upload(url, { token, query: `?offset=${offset}` }).end(rooms(offset, 5));
      expect(await other.refusal()).toMatchObject({
        status: 409,
        code: 'CONFLICT',
        details: { reason: 'offset', offset: 2 },
      });
    }
    expect(await call('stream.status', { ...WORLD, streamId: 's' })).toMatchObject({ state: 'open', offset: 2 });
    const rest = await new Upload(url, { token, query: '?offset=2' }).end(rooms(2, 5)).rest();
    expect(rest).toMatchObject([
      { type: 'ack', offset: 5, applied: 3 },
      { type: 'end', offset: 5, applied: 5 },
    ]);
    await call('stream.close', { ...WORLD, streamId: 's' });
    const closed = new Upload(url, { token, query: '?offset=5' }).end(room(9));
    expect(await closed.refusal()).toMatchObject({ status: 409, details: { reason: 'closed' } });
  });

  it('of an empty body says how the stream stands', async () => {
    const { url, token } = await startSubmissions(engine);
    const nothing = await new Upload(url, { token }).end().rest();
    expect(nothing).toMatchObject([{ type: 'end', offset: 0, applied: 0 }]);
    await new Upload(url, { token }).end(room('a')).rest();
    expect(await new Upload(url, { token }).end().refusal()).toMatchObject({ status: 409, details: { offset: 1 } });
    const again = await new Upload(url, { token, query: '?offset=1' }).end().rest();
    expect(again).toMatchObject([{ type: 'end', offset: 1, applied: 1 }]);
  });

  it('takes lines of every form: blank, with two-character ends, and without an end at the end', async () => {
    const { url, token, call } = await startSubmissions(engine);
    const body = `\n${room('a').replace('\n', '\r\n')}\r\n  \n${room('grüße 🪨'.replace(' ', '-'))}\n${room('b').trimEnd()}`;
    const lines = await new Upload(url, { token, headers: { 'content-type': 'Application/X-NDJSON; charset=utf-8' } })
      .end(body)
      .rest();
    expect(lines.at(-1)).toMatchObject({ type: 'end', offset: 7, applied: 3, error: 0 });
    expect(await countRooms(call)).toBe(3);
  });

  it('may be packed, and is acknowledged as it is unpacked', async () => {
    const { url, token, call } = await startSubmissions(engine, { CAIRN_LIMIT_STREAM_CHUNK_MS: '3600000' });
    const lines = Array.from({ length: 2_500 }, (_, n) => room(`${n}-${randomBytes(8).toString('hex')}`)).join('');
    for (const [n, encoding] of ['gzip', 'GZIP', 'x-gzip', 'identity'].entries()) {
      const upload = new Upload(url, { token, streamId: `s${n}`, headers: { 'content-encoding': encoding } });
      upload.end(encoding === 'identity' ? lines : gzipSync(lines));
      const answered = await upload.rest();
      expect(answered.map(({ type }) => type)).toEqual(['ack', 'ack', 'ack', 'end']);
      expect(answered.at(-1)).toMatchObject({ offset: 2_500, ...(n === 0 ? { applied: 2_500 } : { error: 2_500 }) });
    }
    expect(await countRooms(call)).toBe(2_500);
  });

  it('works without a server too, as a request and its answer', async () => {
    const { store, token } = await startSubmissions(engine);
    const { app } = createTestAppOn(store);
    const path = '/api/repos/ada/world/streams/s/submissions';
    const headers = { 'content-type': 'application/x-ndjson', authorization: `Bearer ${token}` };
    const answer = await app.request(path, { method: 'POST', headers, body: room('a') + room('b') });
    expect((await answer.text()).split('\n').map((line) => line.slice(0, 13))).toEqual([
      '{"type":"ack"',
      '{"type":"end"',
      '',
    ]);
    const empty = await app.request(`${path}?offset=2`, { method: 'POST', headers });
    expect(await empty.text()).toContain('"type":"end","offset":2');
  });

  it('applies what the query says to every chunk', async () => {
    const { url, token, call } = await startSubmissions(engine);
    const query = '?message=by+hand&skipExisting=true&atomicity=chunk';
    const lines = await new Upload(url, { token, query }).end(room('a') + room('a')).rest();
    expect(lines[0]).toMatchObject({ type: 'ack', applied: 1, noop: 1, error: 0 });
    const { items } = await call('commit.log', { ...WORLD, limit: 1 });
    expect(items[0]).toMatchObject({ message: 'by hand' });
    const failing = new Upload(url, { token, query: '?offset=2&atomicity=chunk' });
    expect(await failing.end(room('b') + room('a')).refusal()).toMatchObject({ status: 409, code: 'ALREADY_EXISTS' });
    expect(await countRooms(call)).toBe(1);
    const later = new Upload(url, { token, query: '?offset=2&atomicity=chunk' }).send(room('b'));
    expect(await later.next()).toMatchObject({ type: 'ack', offset: 3 });
    expect(await later.end(room('c') + room('b')).rest()).toMatchObject([
      { type: 'error', code: 'ALREADY_EXISTS', offset: 3 },
    ]);
    expect(await countRooms(call)).toBe(2);
  });
});

describe.each(UPPER_ENGINES)('who may submit on %s', (engine) => {
  it(
    verifies(
      'is who holds repo:write, where it is enabled',
      '4.4/submission-scope',
      '4.4/submission-other-scopes',
      '4.4/submission-anonymous',
      '4.4/submission-per-repo',
    ),
    async () => {
      const { url, store, call } = await startSubmissions(engine);
      await call('repo.create', { orgName: 'ada', name: 'other' });
      const others = SCOPE_NAMES.filter((scope) => scope !== 'repo:write');
      const writer = await createScopedToken(store, { name: 'writer', permissions: ['repo:write'] });
      const reader = await createScopedToken(store, { name: 'others', permissions: others });
      const repoId = (await findRepository(store.database, WORLD))?.repoId ?? 0;
      const component = await createComponentToken(store, { repoId });
      const status = async (token: string | undefined, repo = 'ada/world', offset = 0) => {
        const headers = {
          'content-type': 'application/x-ndjson',
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        };
        const path = `/api/repos/${repo}/streams/s/submissions?offset=${offset}`;
        const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: '\n' });
        await answer.text();
        return answer.status;
      };
      for (const [visibility, anonymous] of [
        ['private', 404],
        ['public', 401],
      ] as const) {
        await call('repo.setVisibility', { ...WORLD, visibility });
        expect(await status(undefined)).toBe(anonymous);
        expect(await status(reader)).toBe(403);
        expect(await status('cairn_pat_wrong')).toBe(401);
      }
      expect(await status(writer)).toBe(200);
      expect(await status(component)).toBe(200);
      await call('repo.configure', { orgName: 'ada', repoName: 'other', features: { streamSubmissions: false } });
      for (const token of [writer, reader, component, undefined]) expect(await status(token, 'ada/other')).toBe(404);
    },
  );
});
