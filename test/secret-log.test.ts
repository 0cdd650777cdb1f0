// Secrets stay out of the server's output. A session sends every kind of credential, valid and invalid, to a server
// process at its most verbose log level. A second check finds source lines that pass a secret to the log or to an
// error.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { mintToken } from '../packages/server/src/access/principal.ts';
import type { StoreLocation } from '../packages/server/src/engine/database.ts';
import { deriveSigningKey } from '../packages/server/src/keys/session-jwt.ts';
import { openStore, type Store } from '../packages/server/src/store.ts';
import { createComponentToken, createSession } from './support/principal.ts';
import { rawGet, sendRaw } from './support/raw-request.ts';
import { tracesOf } from './support/secret-trace.ts';
import { ownerIdOf, ROOT, settingsOf, startServerProcess, type TestProcess } from './support/server.ts';
import { runStatement } from './support/statement.ts';
import { testLocation, UPPER_ENGINES } from './support/store.ts';
import { IS_LONG } from './support/suite.ts';

const SECRET = 'the-secret-of-the-server-0123456789';
const METRICS_TOKEN = 'metrics-token-abcdefghijklmnop-0123456789';
const PASSWORD = 'correct horse battery staple';
const WRONG_PASSWORD = 'Tr0ub4dor and 3x';

interface Session {
  readonly url: string;
  readonly server: TestProcess;
  readonly location: StoreLocation;
  readonly secrets: string[];
}

async function startSession(location: StoreLocation): Promise<Session> {
  const settings = { CAIRN_LOG_LEVEL: 'trace', CAIRN_SECRET: SECRET, CAIRN_METRICS_TOKEN: METRICS_TOKEN };
  const server = startServerProcess({
    ...{ PORT: '0', ...settings, ...settingsOf(location) },
  });
  const [, url = ''] = await server.printed(/Cairn \S+ is at (\S+) /);
  return { url, server, location, secrets: [SECRET, METRICS_TOKEN, PASSWORD, WRONG_PASSWORD] };
}

async function setUp({ url, secrets }: Session, code: string): Promise<string> {
  const wrong = 'AbCdEfGhIjKlMnOpQrStUv';
  secrets.push(wrong);
  const page = `${url}/auth/setup`;
  for (const query of [`code=${code}`, `code=${wrong}`, code, `${code}=1`, `x=1&${wrong}`, `CODE=${code}&code=`]) {
    await fetch(`${page}?${query}`);
  }
  const fields = { code, email: 'ada@example.com', name: 'ada', password: PASSWORD };
  const form = (some: object) => fetch(page, { method: 'POST', body: new URLSearchParams({ ...fields, ...some }) });
  const json = (body: string, type = 'application/json') =>
    fetch(page, { method: 'POST', headers: { 'content-type': type }, body });
  await form({ code: wrong });
  await form({ password: 'short-9f8e' });
  await form({ email: PASSWORD });
  await form({ name: WRONG_PASSWORD });
  await json(JSON.stringify({ ...fields, code: wrong }));
  await json(JSON.stringify({ ...fields, [PASSWORD]: PASSWORD }));
  await json(`{"code":"${code}","password":"${PASSWORD}"`);
  await json(`{"password":"${PASSWORD}","password":"${WRONG_PASSWORD}"}`);
  await json(JSON.stringify(fields), 'text/plain');
  await json(JSON.stringify(fields), `application/${WRONG_PASSWORD}`);
  const { token } = (await (await json(JSON.stringify(fields))).json()) as { token: string };
  await form({});
  return token;
}

async function call(url: string, token: string, { name, input }: { name: string; input: unknown }) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await fetch(`${url}/trpc/${name}`, { method: 'POST', headers, body: JSON.stringify(input) });
  return { status: answer.status, body: (await answer.json()) as { result: { data: { token: string } } } };
}

async function manageTokens({ url, secrets }: Session, token: string): Promise<void> {
  const scopes = [{ permissions: ['repo:read'] }];
  const made = await call(url, token, { name: 'token.create', input: { name: 'one', scopes } });
  const rotated = await call(url, token, { name: 'token.rotate', input: { name: 'one' } });
  for (const { status, body } of [made, rotated]) {
    expect(status).toBe(200);
    secrets.push(body.result.data.token);
  }
  for (const secret of [token, made.body.result.data.token, PASSWORD]) {
    await call(url, token, { name: 'token.get', input: { name: secret } });
    await call(url, token, { name: 'token.create', input: { name: secret, scopes: secret, [secret]: 1 } });
    await call(url, token, { name: 'repo.get', input: { orgName: secret, repoName: secret } });
    await call(url, token, { name: 'org.list', input: { cursor: secret } });
  }
  await call(url, token, { name: 'token.revoke', input: { name: 'one' } });
}

/** Sends each token in every part of a request, including parts where none belongs. */
async function present(url: string, token: string): Promise<void> {
  const get = (path: string, headers: Record<string, string> = {}) => fetch(`${url}${path}`, { headers });
  for (const path of ['/trpc/auth.whoami', '/health/live', '/no/such', '/mcp', '/metrics', '/api/repos/a/b/head']) {
    await get(path, { authorization: `Bearer ${token}` });
  }
  await get('/', { authorization: token });
  await get('/', { authorization: `Basic ${Buffer.from(`ada:${token}`).toString('base64')}` });
  await get('/', { authorization: `Bearer ${token}, Bearer ${token}` });
  await get('/', { cookie: `session=${token}`, 'x-api-key': token, 'x-request-id': `<${token}>` });
  for (const query of [
    `access_token=${token}`,
    token,
    `${token}=1`,
    `a=1&${token}&b`,
    `input=${token}`,
    `batch=${token}`,
  ]) {
    await get(`/trpc/auth.whoami?${query}`);
    await get(`/no/such?${query}`);
  }
  await get(`/no/${token}`);
  await get(`/trpc/${token}`);
  await get(`/api/repos/${token}/x/head`);
  await fetch(`${url}/trpc/auth.whoami`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: `{"token":"${token}"`,
  });
}

/** Sends bytes that are not a valid request. The log must not repeat their content. */
async function sendUnreadable({ url }: Session, token: string): Promise<void> {
  const line = `authorization: Bearer ${token}`;
  const requests = [
    rawGet('/', [`authorization : Bearer ${token}`]),
    rawGet('/', [`authorization: Bearer ${token}\u0000`]),
    rawGet('/', [line, 'bad header line']),
    rawGet('/', [line, `x: ${'y'.repeat(70_000)}`]),
    rawGet('/', [`authorization: Bearer ${token}${'y'.repeat(70_000)}`]),
    rawGet('/', [line, 'content-length: x']),
    rawGet('/', [line, 'transfer-encoding: chunked', 'content-length: 5']),
    rawGet('/', [line, `expect: ${token}`]),
    rawGet('/', [line, `host: ${token}`]),
    rawGet(`/?access_token=${token}`, ['bad header line']),
    rawGet(`/ ${token}`, []),
    rawGet(`http://[${token}]/?x=${token}`, [line]),
    rawGet(`//${token}:99999/?x=${token}`, [line]),
    rawGet(`http://a b/?x=${token}`, [line]),
    `GET / HTTP/1.1\r\nhost: a b\u007f/${token}?x=${token}\r\n${line}\r\nconnection: close\r\n\r\n`,
    `GET /?x=${token} HTTP/1.1\r\nhost: [::1:99999/@${token}\r\n${line}\r\nconnection: close\r\n\r\n`,
    `${token} / HTTP/1.1\r\n\r\n`,
    `GET /?${token} HTTP/9.9\r\n${line}\r\n\r\n`,
    `{"token":"${token}"}\r\n\r\n`,
    `POST /trpc/auth.whoami HTTP/1.1\r\nhost: x\r\n${line}\r\ntransfer-encoding: chunked\r\n\r\n${token}\r\n`,
    `POST /auth/setup HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"pas\r\nzz${token}\r\n\r\n`,
  ];
  for (const request of requests) await sendRaw(url, request).catch(() => undefined);
}

async function credentialsOf(session: Session, store: Store): Promise<string[]> {
  const accountId = await ownerIdOf(store);
  const key = deriveSigningKey(SECRET);
  const { token: jwt } = await createSession(store, { accountId, url: session.url, key });
  const { token: foreign } = await createSession(store, { accountId, url: session.url });
  const repository = { orgName: 'ada', name: 'world', description: '', visibility: 'private' } as const;
  const { repoId } = await store.write.createRepository(repository);
  const runtime = await createComponentToken(store, { repoId });
  const setup = await createComponentToken(store, { repoId, kind: 'setup' });
  return [jwt, foreign, runtime, setup, mintToken(), mintToken('runtime')];
}

describe.each(UPPER_ENGINES)('a server on %s', (engine) => {
  it('prints no secret, whatever comes in and whatever breaks', async () => {
    const session = await startSession(await testLocation(engine));
    const { server, url, secrets } = session;
    const [, code = ''] = await server.printed(/\/auth\/setup\?code=(\S+)/);
    const token = await setUp(session, code);
    const store = await openStore(session.location);
    onTestFinished(() => store.close());
    const credentials = [token, ...(await credentialsOf(session, store))];
    secrets.push(...credentials);
    await manageTokens(session, token);
    for (const credential of credentials) await present(url, credential);
    for (const credential of credentials.slice(0, 4)) await sendUnreadable(session, credential);
    // From here on, every lookup of a credential fails, and the server logs the reason.
    for (const table of ['token', 'session', 'component_token', 'server_fact', 'account']) {
      await runStatement(store, `alter table ${table} rename to ${table}_gone`);
    }
    for (const credential of credentials.slice(0, 5)) await present(url, credential);
    await fetch(`${url}/auth/setup?code=${code}`);
    await fetch(`${url}/auth/setup`, { method: 'POST', body: new URLSearchParams({ code, password: PASSWORD }) });
    server.child.kill('SIGTERM');
    await server.ended();

    const output = server.output();
    expect(output).toContain('"level":50');
    expect(output).toContain('A request could not be read.');
    expect(output.split('\n').length).toBeGreaterThan(200);
    const found = [...secrets, ...secrets.map(encodeURIComponent)].flatMap((secret) =>
      tracesOf(secret, output).map((trace) => [trace, lineWith(output, trace)]),
    );
    expect(found).toEqual([]);
    // The terminal prints the link once, and no log line contains it.
    expect(output.split(code)).toHaveLength(2);
    expect(tracesOf(code, output.replace(code, ''))).toEqual([]);
  });
});

const lineWith = (output: string, trace: string) =>
  output
    .split('\n')
    .find((line) => line.toLowerCase().includes(trace.toLowerCase()))
    ?.slice(0, 300);

it.runIf(IS_LONG)('a server that cannot start says why without its secrets', async () => {
  const secret = 'hunter2-hunter2-x9';
  const { file } = (await testLocation('sqlite')) as { file: string };
  const data = { CAIRN_DATA: join(file, '..'), PORT: '0' };
  for (const settings of [
    { CAIRN_OWNER_EMAIL: 'ada@example.com', CAIRN_OWNER_PASSWORD: secret.slice(0, 11) },
    { CAIRN_OWNER_EMAIL: 'not an address', CAIRN_OWNER_PASSWORD: secret },
    { CAIRN_DATABASE_URL: `postgres://ada:${secret}@127.0.0.1:1/x` },
    { CAIRN_DATABASE_URL: `postgres://ada:${secret}%zz@127.0.0.1:1/x` },
    { CAIRN_DATABASE_URL: `postgres://ada:${secret}@[x]:1/x` },
    { CAIRN_DATABASE_URL: `ada:${secret}@127.0.0.1` },
    { CAIRN_PUBLIC_URL: `https://ada:${secret}@cairn.example` },
    { CAIRN_SECRET: secret.slice(0, 12) },
    { CAIRN_METRICS_TOKEN: 'hunter2' },
  ] as Record<string, string>[]) {
    const server = startServerProcess({ ...data, ...settings });
    const { code } = await server.ended();
    expect([settings, code, server.output()]).toEqual([
      settings,
      expect.toBeOneOf([1, 2]),
      expect.stringMatching(/\S/),
    ]);
    expect(server.output()).not.toContain('hunter2');
  }
});

/** Names of secret values. `minted.token` is secret; `token.name` and `createToken(...)` are not. */
const SECRET_NAME =
  /^(\w*(token|password|secret|bearer|authorization|cookie|jwt|passphrase|setupCode|rawPacket)s?|code|presented|headers)$/i;
const LOG_CALL =
  /\b(?:log|logger|console)\.(?:trace|debug|info|warn|error|fatal|log)\(|\bprocess\.std(?:out|err)\.write\(/g;
const ERROR_CALL = /\bfail\(|\bnew \w*Error\(|\binvalid\(|\brefuse\(/g;
/** Code that prints a secret on purpose for its user: the setup link and a new token. */
const MEANT: readonly RegExp[] = [/^packages\/(cli|web)\//, /^scripts\/dev\.ts$/];

/** The arguments of each call without string text. Template expressions stay. */
function argumentsOf(source: string, calls: RegExp): string[] {
  return [...source.matchAll(calls)].map(({ index, 0: call }) => expressionsIn(source.slice(index + call.length)));
}

function expressionsIn(text: string): string {
  let [depth, kept, at] = [1, '', 0];
  // Parenthesis depth at the start of each template expression.
  const templates: number[] = [];
  for (; at < text.length && depth > 0; at++) {
    const character = text[at] ?? '';
    const closing = character === '}' && templates.at(-1) === depth;
    if (closing) templates.pop();
    if (closing || character === '`') {
      at = endOfTemplateText(text, at);
      if (text[at] === '{') templates.push(depth);
      kept += ' ; ';
      continue;
    }
    if (character === "'" || character === '"') at = endOfString(text, at);
    else kept += character;
    depth += Number(character === '(') - Number(character === ')');
  }
  return kept;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== text[start]) at += text[at] === '\\' ? 2 : 1;
  return at;
}

function endOfTemplateText(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '`' && !(text[at] === '$' && text[at + 1] === '{'))
    at += text[at] === '\\' ? 2 : 1;
  return text[at] === '$' ? at + 1 : at;
}

/** Names that stand for a value. Objects of a member access, called functions and keys of a field are excluded. */
function secretsIn(expressions: string, { logged }: { logged: boolean }): string[] {
  const names = expressions.matchAll(/(?<!\w)[A-Za-z_$][\w$]*/g);
  return [...names].flatMap(({ 0: name, index }) => {
    const [before, after = ''] = [expressions[index - 1], expressions.slice(index + name.length).trimStart()[0]];
    if (!SECRET_NAME.test(name) || /[.?([]/.test(after)) return [];
    const isKey = after === ':';
    // An error's code is not secret, and an error may have a field of any name.
    if (/^code$/i.test(name) && (before === '.' || isKey || !logged)) return [];
    return isKey && !logged ? [] : [name];
  });
}

describe('the sources', () => {
  const files = globSync(['packages/*/src/**/*.ts', 'scripts/*.ts'], { cwd: ROOT })
    .filter((file) => !file.endsWith('.test.ts') && !MEANT.some((pattern) => pattern.test(file)))
    .map((file) => ({ file, source: readFileSync(join(ROOT, file), 'utf8') }));

  it('hand no secret to the log or to an error', () => {
    const found = files.flatMap(({ file, source }) => [
      ...argumentsOf(source, LOG_CALL).flatMap((text) => secretsIn(text, { logged: true }).map((name) => [file, name])),
      ...argumentsOf(source, ERROR_CALL).flatMap((text) =>
        secretsIn(text, { logged: false }).map((name) => [file, name]),
      ),
    ]);
    expect(found).toEqual([]);
    const logged = files.flatMap(({ source }) => argumentsOf(source, LOG_CALL));
    expect(logged.length).toBeGreaterThan(8);
  });

  it('would be caught if they did', () => {
    const logged = (source: string) =>
      argumentsOf(source, LOG_CALL).flatMap((text) => secretsIn(text, { logged: true }));
    const thrown = (source: string) =>
      argumentsOf(source, ERROR_CALL).flatMap((text) => secretsIn(text, { logged: false }));
    expect(logged('log.info({ requestId, token }, "x")')).toEqual(['token']);
    expect(logged('deps.log.debug({ given: minted.token })')).toEqual(['token']);
    expect(logged('log.warn({ token: value })')).toEqual(['token']);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the source of a program.
    expect(logged('log.error(`no ${setupCode} ${f(`${ownerPassword}`)}`)')).toEqual(['setupCode', 'ownerPassword']);
    expect(logged('console.log({ code }, c.req.headers)')).toEqual(['code', 'headers']);
    expect(logged('log.info({ code: error.code, err }, "the token, the password and the code")')).toEqual([]);
    expect(logged('log.info({ name: token.name, id: hashOf(token) })')).toEqual(['token']);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the source of a program.
    expect(thrown('throw fail("NOT_FOUND", { message: `no ${bearer} here` })')).toEqual(['bearer']);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the source of a program.
    expect(thrown('fail(code, { message: `A token named ${token.name}`, details })')).toEqual([]);
    expect(thrown('new Error(form.password)')).toEqual(['password']);
  });
});

it('traces of a secret are found in whatever form', () => {
  const secret = mintToken();
  const bytes = Buffer.from(`x ${secret}`);
  for (const text of [secret, secret.slice(20, 40), secret.toUpperCase(), bytes.toString('hex'), bytes.join(',')]) {
    expect(tracesOf(secret, `{"a":"${text}"}`)).not.toEqual([]);
  }
  expect(tracesOf(secret, JSON.stringify({ raw: bytes }))).not.toEqual([]);
  expect(tracesOf(secret, JSON.stringify({ raw: bytes.toString('base64') }))).not.toEqual([]);
  expect(tracesOf(secret, mintToken())).toEqual([]);
});
