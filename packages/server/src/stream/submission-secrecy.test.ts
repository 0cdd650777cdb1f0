// Spec 4.4 rule 1: where submissions are disabled, neither the bytes of an answer nor its look-ups reveal that they or
// the repository exist.
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import { createComponentToken, createSession } from '../../../../test/support/principal.ts';
import { caller, createPrincipals, type Principals } from '../../../../test/support/procedure.ts';
import { createTestAppOn, ownerIdOf, startTestServer } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import { deriveSigningKey } from '../keys/session-jwt.ts';
import { findRepository } from '../repository/repository.sql.ts';
import type { Store } from '../store.ts';

const SECRET = 'what this server derives its keys from';

const submissionsOf = (repo: string, streamId = 's') => `/api/repos/${repo}/streams/${streamId}/submissions`;

async function fill(store: Store): Promise<Principals> {
  const principals = await createPrincipals(store);
  const { app } = createTestAppOn(store);
  for (const [orgName, token] of [
    ['ada', principals.operator],
    ['eve', principals.other],
  ] as const) {
    const call = caller(app, token);
    for (const visibility of ['public', 'private'] as const) {
      (await call('repo.create', { orgName, name: visibility, visibility })).data();
      const features = { streamSubmissions: false };
      (await call('repo.configure', { orgName, repoName: visibility, features })).data();
      (await call('repo.create', { orgName, name: `${visibility}-on`, visibility })).data();
    }
  }
  return principals;
}

const HIDDEN = {
  'an unknown path': '/no/such/path',
  'a path that goes on': `${submissionsOf('ada/public')}/1`,
  'a public repository without': submissionsOf('ada/public'),
  'a private repository without': submissionsOf('ada/private'),
  'a repository that is not there': submissionsOf('ada/none'),
  'an organization that is not there': submissionsOf('no-one/none'),
  'names that cannot be': submissionsOf('%00/..%2F..'),
  'a hidden repository without': submissionsOf('eve/private'),
  'a hidden repository with': submissionsOf('eve/private-on'),
  'a stream that cannot be': submissionsOf('ada/public', 'not%20a%20stream'),
};

const CONTENT_TYPES = ['application/x-ndjson', 'application/json', 'nonsense', undefined];
const BODIES: Record<string, readonly [header: string, body: string]> = {
  none: ['content-length: 0', ''],
  'one line': ['content-length: 3', '{}\n'],
  'one that is on its way': ['content-length: 100000000', '{}\n'],
  'one in pieces that is on its way': ['transfer-encoding: chunked', '3\r\n{}\n\r\n'],
};

interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly token: string | undefined;
  readonly contentType: string | undefined;
  readonly body: keyof typeof BODIES;
  readonly query?: string;
}

function bytesOf({ method, path, token, contentType, body, query = '' }: RawRequest): string {
  const [length, text] = BODIES[body] ?? ['', ''];
  const lines = [
    `${method} ${path}${query} HTTP/1.1`,
    'host: localhost',
    'x-request-id: same',
    ...(token === undefined ? [] : [`authorization: Bearer ${token}`]),
    ...(contentType === undefined ? [] : [`content-type: ${contentType}`]),
    length,
  ];
  return `${lines.join('\r\n')}\r\n\r\n${text}`;
}

function exchange(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) });
    let text = '';
    const done = () => {
      socket.destroy();
      resolve(text.replace(/^date: .*\r\n/im, ''));
    };
    socket.setTimeout(20_000, () => reject(new Error(`no answer to ${bytes}`)));
    socket.on('error', (error) => (text === '' ? reject(error) : done()));
    socket.on('close', done);
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      const end = text.indexOf('\r\n\r\n');
      const length = /^content-length: (\d+)\r$/im.exec(text)?.[1];
      const isHead = bytes.startsWith('HEAD ');
      if (end !== -1 && (isHead || text.length >= end + 4 + Number(length ?? 0))) done();
    });
    socket.write(bytes);
  });
}

describe.each(UPPER_ENGINES)('a submission where there is none, on %s', (engine) => {
  it(
    verifies(
      'is answered as an unknown path, to the byte',
      '4.4/submission-not-enabled',
      '4.4/submission-identical',
      '4.4/submission-no-repo',
      '4.4/submission-any-caller',
    ),
    async () => {
      const { url, store } = await startTestServer(engine, { CAIRN_SECRET: SECRET });
      const { operator, writer } = await fill(store);
      const ownerId = await ownerIdOf(store);
      const repoId = (await findRepository(store.database, { orgName: 'ada', repoName: 'public' }))?.repoId ?? 0;
      const callers: Record<string, string | undefined> = {
        anonymous: undefined,
        'the owner': operator,
        'a writer': writer,
        'a session': (await createSession(store, { accountId: ownerId, url, key: deriveSigningKey(SECRET) })).token,
        'a component': await createComponentToken(store, { repoId }),
        'a component that is being set up': await createComponentToken(store, { repoId, kind: 'setup' }),
        'a bad bearer': 'nonsense',
        'a forged bearer': 'cairn_pat_0000000000000000000000000000000000000000000000000',
      };
      for (const [who, token] of Object.entries(callers)) {
        const trials = [
          ...CONTENT_TYPES.map((contentType) => ({ method: 'POST', contentType, body: 'one line' })),
          ...Object.keys(BODIES).map((body) => ({ method: 'POST', contentType: CONTENT_TYPES[0], body })),
          ...['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH'].map((method) => ({
            method,
            contentType: undefined,
            body: 'none',
          })),
          { method: 'POST', contentType: CONTENT_TYPES[0], body: 'one line', query: '?nonsense=1&offset=x' },
        ];
        for (const trial of trials) {
          const enabled = { 'a repository with': submissionsOf('ada/public-on') };
          const paths = { ...HIDDEN, ...(trial.method !== 'POST' && enabled) };
          const answers = await Promise.all(
            Object.entries(paths).map(async ([what, path]) => [
              what,
              await exchange(url, bytesOf({ ...trial, path, token })),
            ]),
          );
          const [[, unknown = ''] = []] = answers;
          expect([who, unknown.split('\r\n')[0]]).toEqual([
            who,
            who.endsWith('bearer') ? 'HTTP/1.1 401 Unauthorized' : 'HTTP/1.1 404 Not Found',
          ]);
          expect(unknown).toContain('\r\nx-request-id: same\r\n');
          for (const [what, answer] of answers) expect([who, trial, what, answer]).toEqual([who, trial, what, unknown]);
        }
      }
    },
  );

  it('is looked up in the same way, whatever the reason', async () => {
    const { store } = await startTestServer(engine);
    const { operator, writer, elsewhere } = await fill(store);
    const statements: string[] = [];
    const query: Store['database']['query'] = (sql, params) => {
      statements.push(sql);
      return store.database.query(sql, params);
    };
    const database = new Proxy(store.database, {
      get: (target, name) => (name === 'query' ? query : Reflect.get(target, name)),
    });
    const { app } = createTestAppOn({ ...store, database });
    const repoId = (await findRepository(store.database, { orgName: 'ada', repoName: 'public' }))?.repoId ?? 0;
    const component = await createComponentToken(store, { repoId });
    const repositories = ['ada/public', 'ada/private', 'ada/none', 'no-one/none', 'eve/private', 'eve/private-on'];
    for (const token of [undefined, operator, writer, elsewhere, component]) {
      const made = [];
      for (const repo of repositories) {
        statements.length = 0;
        const headers = { 'content-type': 'application/x-ndjson', ...(token && { authorization: `Bearer ${token}` }) };
        const { status } = await app.request(submissionsOf(repo), { method: 'POST', headers, body: '{}\n' });
        made.push([status, ...statements]);
      }
      const [first] = made;
      expect(first?.[0]).toBe(404);
      for (const [n, one] of made.entries()) expect([repositories[n], one]).toEqual([repositories[n], first]);
    }
  });
});

describe.each(UPPER_ENGINES)('a submission where there could be one, on %s', (engine) => {
  it('tells what is wrong with it in one order', async () => {
    const { store } = await startTestServer(engine);
    const { operator, writer, other } = await fill(store);
    const { app } = createTestAppOn(store);
    const reader = (
      await caller(app, operator)('token.create', {
        name: 'reader',
        scopes: [{ permissions: ['repo:read'] }],
      })
    ).data().token;
    const send = async (token: string | undefined, repo: string, wrong: readonly string[] = []) => {
      const headers: Record<string, string> = {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        'content-type': wrong.includes('type') ? 'application/json' : 'application/x-ndjson; charset=utf-8',
        ...(wrong.includes('encoding') && { 'content-encoding': 'br' }),
      };
      const query = wrong.includes('query') ? '?nonsense=1' : '';
      const path = `${submissionsOf(repo, wrong.includes('id') ? 'not%20an%20id' : 's')}${query}`;
      const answer = await app.request(path, { method: 'POST', headers, body: '\n' });
      const text = await answer.text();
      return [answer.status, text.includes('"error":{') ? text : 'good'];
    };
    const all = ['type', 'encoding', 'id', 'query'];
    expect(await send(undefined, 'ada/public-on', all)).toMatchObject([
      401,
      expect.stringContaining('UNAUTHENTICATED'),
    ]);
    expect(await send(other, 'ada/public-on', all)).toMatchObject([403, expect.stringContaining('repo:write')]);
    expect(await send(reader, 'ada/private-on', all)).toMatchObject([403, expect.stringContaining('repo:write')]);
    expect(await send(undefined, 'ada/private-on', all)).toMatchObject([404, expect.anything()]);
    expect(await send(writer, 'ada/private-on', all)).toMatchObject([
      415,
      expect.stringContaining('application/x-ndjson'),
    ]);
    expect(await send(writer, 'ada/private-on', all.slice(1))).toMatchObject([415, expect.stringContaining('gzip')]);
    expect(await send(writer, 'ada/private-on', all.slice(2))).toMatchObject([
      400,
      expect.stringContaining('streamId'),
    ]);
    expect(await send(writer, 'ada/private-on', all.slice(3))).toMatchObject([
      400,
      expect.stringContaining('nonsense'),
    ]);
    expect(await send(writer, 'ada/private-on')).toEqual([200, 'good']);
  });

  it('is refused for every query that nobody means', async () => {
    const { store } = await startTestServer(engine);
    const { writer } = await fill(store);
    const { app } = createTestAppOn(store);
    const queries = [
      ...[
        'offset=-1',
        'offset=',
        'offset=1.5',
        'offset=1e3',
        'offset=0x1',
        'offset=9999999999999999',
        'offset=0&offset=0',
      ],
      ...[
        'atomicity=all',
        'atomicity=',
        'skipExisting=1',
        'skipExisting=',
        `message=${'x'.repeat(2_001)}`,
        'committer=',
      ],
      ...['committer=%00', 'Offset=1', '__proto__=1', 'constructor=1', '=1'],
    ];
    const headers = { 'content-type': 'application/x-ndjson', authorization: `Bearer ${writer}` };
    for (const query of queries) {
      const path = `${submissionsOf('ada/private-on')}?${query}`;
      const answer = await app.request(path, { method: 'POST', headers, body: '\n' });
      const { error } = (await answer.json()) as { error: { code: string } };
      expect([query, answer.status, error.code]).toEqual([query, 400, 'VALIDATION_ERROR']);
    }
    for (const id of ['%20', 'a%2Fb', 'ä', 'x'.repeat(129), 'a%00', '~']) {
      const answer = await app.request(submissionsOf('ada/private-on', id), { method: 'POST', headers, body: '\n' });
      expect([id, answer.status]).toEqual([id, 400]);
    }
  });
});
