// Exports under attack: unexpected parameters, and streams whose reader loses access, loses the repository's name, or
// disconnects.
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { formatDurableId } from '@cairn/model/wref';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createExportable, exportAll, parseExport, refusalOf, requestExport } from '../../../../test/support/export.ts';
import { createPerson } from '../../../../test/support/person.ts';
import { createOwnerToken, startTestServer } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import { IS_LONG } from '../../../../test/support/suite.ts';
import { createToken, EVERYTHING } from '../account/account.ts';
import { canonical, sha256 } from '../admin/verify/field.ts';
import type { Engine } from '../engine/database.ts';

const NUMBERS = ['atRepoSeq', 'sinceRepoSeq'];
const WRONG_NUMBERS = [
  ...['', '%20', '+1', '-1', '-0', '01', '1.0', '1e0', '0x1', 'NaN', 'Infinity', '٣', '1,2', '1%00', '%00', 'null'],
  ...['9007199254740992', '18446744073709551616', `${'9'.repeat(400)}`, '[]', '{}', '1;drop table record', "1'--"],
];

const PLACES = [
  ...['', '%00', 'x', '0'.repeat(26), 'Room/a', '%F0%9F%98%80', "'", 'null', `${'0'.repeat(25)}%00`, '7'.repeat(5_000)],
  formatDurableId({ repoId: 2 ** 48 - 1, recordId: 2 ** 48 - 1 }),
  formatDurableId({ repoId: 0, recordId: 0 }),
];

describe.each(UPPER_ENGINES)('an export request that nobody means, on %s', (engine) => {
  it('is refused as one, and never answered or failed at', async () => {
    const { app, session } = await createExportable(engine);
    const queries = [
      ...NUMBERS.flatMap((name) => WRONG_NUMBERS.map((value) => `${name}=${value}`)),
      ...NUMBERS.map((name) => `${name}=1&${name}=1`),
      ...PLACES.map((place) => `atRepoSeq=7&formatVersion=1&afterDurableId=${place}`),
      ...['prefer=', 'prefer=ASYNC', 'prefer=async&prefer=async', 'mode=', 'mode=HEADS', 'mode=heads&mode=heads'],
      ...['__proto__=1', 'constructor=1', 'toString=1', 'atRepoSeq[]=1', 'AtRepoSeq=1', 'repo=other', '%00=1', '=1'],
    ];
    for (const query of queries) {
      const { status, code } = await refusalOf(await requestExport(app, { query, token: session }));
      expect([query, status]).toEqual([query, 400]);
      expect(code).toMatch(/^(VALIDATION_ERROR|export-)/);
    }
    expect((await exportAll({ app, session })).recordCount).toBe(11);
  });

  it('skips what it is told to skip, though no such record is there', async () => {
    const world = await createExportable(engine);
    const { rows, lines } = await exportAll(world);
    const [shape] = rows;
    const repoId = (await world.store.database.query<{ id: number }>('select id from repository', []))[0]?.id ?? 0;
    const pin = 'atRepoSeq=7&formatVersion=1';
    const linesAfter = async (query: string) => (await exportAll(world, `${pin}&${query}`)).lines;
    const farthest = formatDurableId({ repoId, recordId: 2 ** 48 - 1 });
    expect(await linesAfter(`afterDurableId=${farthest}`)).toEqual([]);
    expect(await linesAfter(`afterDurableId=${farthest}&afterVersion=1`)).toEqual([]);
    expect(await linesAfter(`afterDurableId=${formatDurableId({ repoId, recordId: 0 })}`)).toEqual(lines);
    expect(await linesAfter(`afterDurableId=${shape?.durableId}&afterVersion=${2 ** 53 - 1}`)).toEqual(lines.slice(1));
  });
});

const BOTH = ['repo:read', 'repo:checkpoint-read'] as const;
const ROWS = 40;
const ROW_BYTES = 500_000;

async function startWorld(engine: Engine) {
  const { url, store } = await startTestServer(engine);
  const token = await createOwnerToken(store);
  const call = async (name: string, input: object) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    const answer = await fetch(`${url}/trpc/${name}`, { method: 'POST', headers, body: JSON.stringify(input) });
    const body = (await answer.json()) as { result: { data: Record<string, string> } };
    if (answer.status !== 200) throw new Error(`${name} answered ${JSON.stringify(body)}`);
    return body.result.data;
  };
  await call('repo.create', { orgName: 'ada', name: 'world' });
  const commit = (operations: object[]) => call('commit.submit', { orgName: 'ada', repoName: 'world', operations });
  await commit([{ kind: 'shape', name: 'Room', data: { fields: {} } }]);
  for (let n = 0; n < ROWS; n += 10) {
    const data = { text: 'x'.repeat(ROW_BYTES) };
    await commit(Array.from({ length: 10 }, (_, index) => ({ name: `Room/${n + index}`, data })));
  }
  return { url, store, call };
}

interface HeldStream {
  readonly socket: Socket;
  rest(): Promise<string>;
}

function holdStream(url: string, token: string): Promise<HeldStream> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) });
    let text = '';
    socket.on('error', reject);
    socket.write(
      `GET /api/repos/ada/world/export HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\nconnection: close\r\n\r\n`,
    );
    const closed = new Promise<void>((done) => socket.once('close', () => done()));
    const rest = async () => {
      socket.resume();
      await closed;
      return text;
    };
    socket.on('data', (chunk) => {
      const isFirst = text === '';
      text += chunk.toString('latin1');
      if (!isFirst) return;
      socket.pause();
      resolve({ socket, rest });
    });
  });
}

describe.each(UPPER_ENGINES)('an export on a socket, on %s', (engine) => {
  it('ends without an end mark where its reader may not go on', async () => {
    const { url, store, call } = await startWorld(engine);
    const onConsole = vi.spyOn(console, 'error');
    onTestFinished(() => onConsole.mockRestore());
    const eve = { email: 'eve@example.com', password: 'long enough it is' };
    await createPerson(store, { ...eve, operator: false });
    const tokenOfEve = async (name: string) =>
      (await createToken(store, { email: eve.email, name, scopes: EVERYTHING })).token;
    const ada = { orgName: 'ada' };
    const scoped = async (name: string) =>
      String((await call('token.create', { name, scopes: [{ permissions: [...BOTH] }] })).token);
    const endings: Record<string, [token: () => Promise<string>, end: () => Promise<unknown>]> = {
      'a token that is revoked': [() => scoped('revoked'), () => call('token.revoke', { name: 'revoked' })],
      'a member who is removed': [
        async () => {
          await call('org.addMember', { ...ada, email: eve.email, role: 'viewer' });
          return await tokenOfEve('member');
        },
        () => call('org.removeMember', { ...ada, handle: 'eve' }),
      ],
      'a name that passes to another repository': [
        () => scoped('named'),
        async () => {
          await call('repo.rename', { ...ada, repoName: 'world', newName: 'old' });
          await call('repo.create', { ...ada, name: 'world' });
        },
      ],
    };
    for (const [what, [tokenFor, end]] of Object.entries(endings)) {
      const held = await holdStream(url, await tokenFor());
      await end();
      const text = await held.rest();
      expect([what, text.slice(0, 15)]).toEqual([what, 'HTTP/1.1 200 OK']);
      expect([what, text.length < ROWS * ROW_BYTES]).toEqual([what, true]);
      expect([what, text.includes('"type":"end"'), text.endsWith('0\r\n\r\n')]).toEqual([what, false, false]);
    }
    expect(onConsole).not.toHaveBeenCalled();
  });

  it('gives those who read slowly, and many at once, every byte as it was stored', async () => {
    const { url, call } = await startWorld(engine);
    const { token } = await call('token.create', { name: 'reader', scopes: [{ permissions: [...BOTH] }] });
    const read = async (everyMs: number) => {
      const headers = { authorization: `Bearer ${token}` };
      const { body } = await fetch(`${url}/api/repos/ada/world/export`, { headers });
      const chunks: Uint8Array[] = [];
      for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
        chunks.push(Uint8Array.from(chunk));
        if (chunks.length % 50 === 0) await setTimeout(everyMs);
      }
      return parseExport(Buffer.concat(chunks).toString());
    };
    for (const { rows, recordCount } of await Promise.all((IS_LONG ? [0, 1, 3, 10] : [0, 3]).map(read))) {
      expect(recordCount).toBe(ROWS + 1);
      const hashes = rows.map(({ data }) => Buffer.from(sha256(canonical(data))).toString('hex'));
      expect(rows.map(({ dataHash }) => dataHash)).toEqual(hashes);
    }
  });

  it('reads no further page once its reader has gone', async () => {
    const { url, store, call } = await startWorld(engine);
    const { token } = await call('token.create', { name: 'reader', scopes: [{ permissions: [...BOTH] }] });
    const counted = { pages: 0 };
    const { page } = store.exports;
    Object.assign(store.exports, {
      page: (request: Parameters<typeof page>[0]) => {
        counted.pages++;
        return page(request);
      },
    });
    const { socket } = await holdStream(url, String(token));
    socket.destroy();
    const whole = await fetch(`${url}/api/repos/ada/world/export`, { headers: { authorization: `Bearer ${token}` } });
    expect((await whole.text()).endsWith('"recordCount":41}\n')).toBe(true);
    expect(counted.pages).toBeLessThan(2 * ROWS);
  });
});
