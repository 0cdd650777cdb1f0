// The server as a process, started as the README says and stopped as an operator would stop it.
import { symlinkSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { CairnClient } from '../packages/sdk/src/index.ts';
import { migrate, readMigrations } from '../packages/server/src/engine/migration.ts';
import { openSqliteWriter } from '../packages/server/src/engine/sqlite/sqlite.ts';
import { openStore } from '../packages/server/src/store.ts';
import { descendants, isRunning } from './support/process-tree.ts';
import {
  createOwnerToken,
  OWNER,
  ROOT,
  settingsOf,
  startCairn,
  startProcess,
  startServerProcess,
  type TestProcess,
} from './support/server.ts';
import { testLocation, UPPER_ENGINES } from './support/store.ts';
import { IS_LONG } from './support/suite.ts';

const LISTENING = /Cairn \S+ is at (\S+) /;
const OLD_NODE = 'data:text/javascript,Object.defineProperty(process.versions, "node", { value: "20.0.0" })';

function serve(environment: Record<string, string>): TestProcess {
  return startServerProcess({ PORT: '0', ...environment });
}

async function urlOf(server: TestProcess): Promise<string> {
  return (await server.printed(LISTENING))[1] ?? '';
}

describe.each(UPPER_ENGINES)('npm start on %s', (engine) => {
  it('serves, prints the set-up link once, and ends cleanly with all that it started', async () => {
    const settings = settingsOf(await testLocation(engine));
    const npm = startProcess('npm', ['start'], { PORT: '0', ...settings });
    await npm.printed(/Cairn \S+ is starting \((sqlite, \S+|postgres)\) …/);
    const url = await urlOf(npm);
    const [, setupUrl = ''] = await npm.printed(/open this link; it works once:\s+(\S+)/);
    expect(await (await fetch(`${url}/health/ready`)).json()).toMatchObject({ status: 'ready', engine });
    expect((await fetch(setupUrl)).status).toBe(200);
    // The log goes to standard output as lines of JSON, and none of them contains the code.
    const code = new URL(setupUrl).searchParams.get('code') ?? '';
    await npm.printed(/^\{.*"path":"\/auth\/setup"/m);
    const logged = npm
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'));
    expect(logged.length).toBeGreaterThan(0);
    expect(logged.join()).not.toContain(code);
    const started = descendants(npm.child.pid);
    expect(started.length).toBeGreaterThan(0);
    npm.child.kill('SIGTERM');
    expect(await npm.ended()).toEqual({ code: 0, signal: null });
    await expect.poll(() => started.filter(isRunning)).toEqual([]);
  });

  it.runIf(IS_LONG)('limits what two processes on one database let pass together', async () => {
    const limits = { CAIRN_LIMIT_ANONYMOUS_BURST: '20', CAIRN_LIMIT_ANONYMOUS_REQUESTS_PER_HOUR: '1' };
    const settings = { ...settingsOf(await testLocation(engine)), ...limits };
    const urls = await Promise.all([serve(settings), serve(settings)].map(urlOf));
    const requests = Array.from({ length: 30 }, () => urls.map((url) => fetch(`${url}/openapi.json`))).flat();
    const answers = await Promise.all(requests);
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
    expect(refused).toHaveLength(40);
    for (const { headers } of refused) expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    await Promise.all(answers.map((answer) => answer.arrayBuffer()));
  });

  it('makes the owner by the set-up link, once', async () => {
    const server = serve(settingsOf(await testLocation(engine)));
    const url = await urlOf(server);
    const [, setupUrl = ''] = await server.printed(/once:\s+(\S+)/);
    const code = new URL(setupUrl).searchParams.get('code') ?? '';
    const send = (fields: Record<string, string>) =>
      fetch(`${url}/auth/setup`, { method: 'POST', body: new URLSearchParams(fields) });
    const wrong = await send({ ...OWNER, code: 'wrong' });
    expect([wrong.status, await wrong.text()]).toEqual([401, expect.stringContaining('wrong or used')]);
    const short = await send({ ...OWNER, code, password: 'short' });
    expect([short.status, await short.text()]).toEqual([400, expect.stringContaining('At least 12 characters')]);
    const hostile = await send({ ...OWNER, code, name: '"><script>' });
    expect([hostile.status, await hostile.text()]).toEqual([400, expect.not.stringContaining('"><script>')]);
    const made = await send({ ...OWNER, code });
    const page = await made.text();
    expect(made.status).toBe(200);
    const [token] = /cairn_pat_\w+/.exec(page) ?? [];
    const who = await fetch(`${url}/trpc/auth.whoami`, { headers: { authorization: `Bearer ${token}` } });
    expect(await who.json()).toMatchObject({ result: { data: { handle: 'ada', operator: true } } });
    expect((await send({ ...OWNER, email: 'eve@example.com', name: 'eve', code })).status).toBe(401);
    const used = await fetch(setupUrl);
    expect([used.status, await used.text()]).toEqual([401, expect.stringContaining('href="/auth/sign-in"')]);
  });

  it('makes the owner from the settings, without a link', async () => {
    const settings = settingsOf(await testLocation(engine));
    const server = serve({ ...settings, CAIRN_OWNER_EMAIL: OWNER.email, CAIRN_OWNER_PASSWORD: OWNER.password });
    await urlOf(server);
    expect(server.output()).not.toContain('/auth/setup');
  });

  it('works beside a second server on the same data', async () => {
    const settings = settingsOf(await testLocation(engine));
    const servers = [serve(settings), serve(settings)];
    for (const server of servers) {
      expect((await fetch(`${await urlOf(server)}/health/ready`)).status).toBe(200);
    }
    const users = Array.from({ length: 2 }, (_, n) => {
      const cli = startCairn(['admin', 'create-user', '--email', `u${n}@example.com`, '--password-stdin'], settings);
      cli.child.stdin?.end('a password of some length');
      return cli.ended();
    });
    expect((await Promise.all(users)).map(({ code }) => code)).toEqual([0, 0]);
    for (const server of servers) {
      expect((await fetch(`${await urlOf(server)}/health/ready`)).status).toBe(200);
      server.child.kill('SIGTERM');
      expect((await server.ended()).code).toBe(0);
    }
  });

  it('refuses another secret than the one that the data was made with', async () => {
    const settings = settingsOf(await testLocation(engine));
    const first = serve(settings);
    await urlOf(first);
    const second = serve({ ...settings, CAIRN_SECRET: 'x'.repeat(40) });
    expect((await second.ended()).code).toBe(1);
    expect(second.output()).toMatch(
      /^Cairn \S+ is starting [^\n]*\nCairn cannot start: The database belongs to another secret\. [^\n]*\n$/,
    );
  });
});

describe('a server that is stopped', () => {
  it('logs no error, whatever is under way', async () => {
    const location = await testLocation('sqlite');
    const store = await openStore(location);
    const token = await createOwnerToken(store);
    await store.close();
    const server = serve(settingsOf(location));
    const client = new CairnClient({ url: await urlOf(server), token, retry: { tries: 0 } });
    await client.repo.create('ada', 'world');
    await client.shape.create('ada', 'world', 'Step', { fields: { n: 'number' } });
    const live = client.repo.live('ada', 'world', () => {});
    onTestFinished(() => live.close());
    let count = 0;
    const write = async () => {
      for (;;) await client.repo('ada/world').commit('step').add(`Step/${++count}`, { n: count }).submit();
    };
    const writers = Promise.allSettled([write(), write()]);
    await expect.poll(() => count).toBeGreaterThan(10);
    server.child.kill('SIGTERM');
    expect((await server.ended()).code).toBe(0);
    live.close();
    expect(server.output()).not.toMatch(/"level":[56]0|"stack"|^ +at /m);
    await writers;
  });
});

describe('two nodes on one port', () => {
  it('share its connections, and go on when one is killed', async () => {
    const port = await freePort();
    const settings = { ...settingsOf(await testLocation('postgres')), PORT: String(port), CAIRN_REUSE_PORT: '1' };
    const nodes = [serve(settings), serve(settings)];
    const urls = await Promise.all(nodes.map(urlOf));
    expect(new Set(urls).size).toBe(1);
    const requestsOf = ({ output }: TestProcess) => output().split('"path":"/health/live"').length - 1;
    const ask = async () => (await fetch(`${urls[0]}/health/live`, { headers: { connection: 'close' } })).status;
    await expect
      .poll(async () => {
        expect(await ask()).toBe(200);
        return Math.min(...nodes.map(requestsOf));
      })
      .toBeGreaterThan(0);
    nodes[0]?.child.kill('SIGKILL');
    await nodes[0]?.ended();
    for (let n = 0; n < 20; n++) expect(await ask()).toBe(200);
  });

  it('is refused without the setting', async () => {
    const settings = { ...settingsOf(await testLocation('sqlite')), PORT: String(await freePort()) };
    await urlOf(serve(settings));
    const second = startServerProcess(settings);
    expect(await second.ended()).toEqual({ code: 1, signal: null });
    expect(second.output()).toContain(`the port ${settings.PORT} is in use`);
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

describe('starting', () => {
  it('refuses a wrong setting in one line, with exit code 2', async () => {
    for (const [environment, line] of [
      [{ PORT: 'http' }, 'PORT takes a whole number from 0 to 65535, not "http".'],
      [{ CAIRN_BLOBS: 's3://exports?regoin=eu' }, 'CAIRN_BLOBS takes file:FOLDER, or s3://BUCKET/PREFIX?region=REGION'],
      [{ CAIRN_DATABSE_URL: 'x' }, 'CAIRN_DATABSE_URL is not a setting of Cairn.'],
    ] as const) {
      const server = serve(environment);
      expect((await server.ended()).code).toBe(2);
      expect(server.output()).toMatch(/^[^\n]+\n$/);
      expect(server.output()).toContain(line);
    }
  });

  it('says on Ctrl-C that it stops, in one line', async () => {
    const server = serve(settingsOf(await testLocation('sqlite')));
    await urlOf(server);
    server.child.kill('SIGINT');
    expect((await server.ended()).code).toBe(0);
    expect(server.output().match(/^Cairn is stopping .*$/gm)).toHaveLength(1);
  });

  it.runIf(IS_LONG)('refuses a port that is taken', async () => {
    const settings = settingsOf(await testLocation('sqlite'));
    const first = serve(settings);
    const { port } = new URL(await urlOf(first));
    const second = serve({ ...settings, PORT: port });
    expect((await second.ended()).code).toBe(1);
    expect(second.output()).toMatch(
      new RegExp(`\\nCairn cannot start: the port ${port} is in use\\. Choose another with --port or PORT[^\\n]*\\n$`),
    );
  });

  it('refuses a database of a newer version, in one line', async () => {
    const location = await testLocation('sqlite');
    if (location.engine !== 'sqlite') throw new Error('asked for sqlite');
    const database = openSqliteWriter(location.file);
    const known = readMigrations();
    const future = { version: known.length + 1, name: 'future', sql: '', checksum: 'f' };
    await migrate(database, [...known, future]);
    await database.close();
    const server = serve(settingsOf(location));
    expect((await server.ended()).code).toBe(1);
    expect(server.output()).toMatch(
      /^Cairn \S+ is starting [^\n]*\nCairn cannot start: The database has schema version [^\n]*\n$/,
    );
  });

  it('refuses a PostgreSQL that does not answer, in one line without the password', async () => {
    const settings = settingsOf(await testLocation('sqlite'));
    const server = serve({ ...settings, CAIRN_DATABASE_URL: 'postgres://cairn:hunter2@127.0.0.1:1/cairn' });
    expect((await server.ended()).code).toBe(1);
    expect(server.output()).toMatch(
      /^Cairn \S+ is starting [^\n]*\nCairn cannot start: The server cannot reach its database[^\n]*\n$/,
    );
    expect(server.output()).not.toContain('hunter2');
  });

  it.runIf(IS_LONG)('serves metrics on a port of their own', async () => {
    const settings = settingsOf(await testLocation('sqlite'));
    const { createServer } = await import('node:net');
    const port = await new Promise<number>((resolve) => {
      const probe = createServer().listen(0, '127.0.0.1', () => {
        const address = probe.address();
        probe.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0));
      });
    });
    const server = serve({ ...settings, CAIRN_METRICS_PORT: String(port) });
    const url = await urlOf(server);
    expect(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()).toContain(
      'cairn_http_request_duration_seconds',
    );
    expect((await fetch(`${url}/metrics`)).status).toBe(404);
  });

  it('survives requests that are not HTTP or cannot be read', async () => {
    const server = serve(settingsOf(await testLocation('sqlite')));
    const url = new URL(await urlOf(server));
    const { connect } = await import('node:net');
    const raw = (text: string) =>
      new Promise<string>((resolve) => {
        let answer = '';
        const socket = connect(Number(url.port), '127.0.0.1', () => socket.end(text));
        socket.on('data', (data) => {
          answer += data;
        });
        socket.on('close', () => resolve(answer));
      });
    for (const text of [
      'nonsense\r\n\r\n',
      'GET /a\\b HTTP/1.1\r\nhost: x\r\n\r\n',
      'GET / HTTP/1.1\r\nhost: a b\r\n\r\n',
    ]) {
      const answer = await raw(text);
      expect(answer).toMatch(/^HTTP\/1\.1 400/);
      expect(answer).toMatch(/x-request-id: /i);
      expect(answer).toContain('"code":"VALIDATION_ERROR"');
    }
    expect((await fetch(new URL('/health/live', url))).status).toBe(200);
  });

  it('shows all settings with --help', async () => {
    const help = startCairn(['serve', '--help'], {});
    expect((await help.ended()).code).toBe(0);
    expect(help.output()).toContain('--public-url, CAIRN_PUBLIC_URL');
  });
});

/** A server, with the processes that an older Node started for it. */
async function serveByOldNode() {
  const settings = settingsOf(await testLocation('sqlite'));
  const args = ['--import', OLD_NODE, 'run.mjs', join(inject('packages'), 'server/main.js')];
  const server = startProcess('node', args, { PORT: '0', ...settings });
  await urlOf(server);
  const started = descendants(server.child.pid);
  expect(started.length).toBeGreaterThan(0);
  return { server, started };
}

describe('run.mjs', () => {
  it('goes over to the Node that npm install brought when its own is too old', async () => {
    const script = 'test/support/print-version.ts';
    const run = startProcess('node', ['--import', OLD_NODE, 'run.mjs', script, 'a b', '--flag'], {});
    expect((await run.ended()).code).toBe(7);
    expect(run.output()).toMatch(/^v24\.\d+\.\d+ \["a b","--flag"\]\n$/);
  });

  it.runIf(IS_LONG)('starts no second process when its own is new enough', async () => {
    const args = ['packages/cli/bin/cairn.mjs', 'serve'];
    const settings = settingsOf(await testLocation('sqlite'));
    const server = startProcess(process.execPath, args, { PORT: '0', ...settings });
    await urlOf(server);
    expect(descendants(server.child.pid)).toEqual([]);
  });

  it('passes signals on', async () => {
    const { server, started } = await serveByOldNode();
    server.child.kill('SIGTERM');
    expect(await server.ended()).toEqual({ code: 0, signal: null });
    await expect.poll(() => started.filter(isRunning)).toEqual([]);
  });

  it('takes what it started with it, even when it is killed', async () => {
    const { server, started } = await serveByOldNode();
    server.child.kill('SIGKILL');
    // The streams close when the last process that holds them ends.
    await server.ended();
    await expect.poll(() => started.filter(isRunning)).toEqual([]);
  });

  it.runIf(IS_LONG)('works when it is reached through a symbolic link', async () => {
    const { CAIRN_DATA = '' } = settingsOf(await testLocation('sqlite'));
    symlinkSync(ROOT, join(CAIRN_DATA, 'current'));
    const link = (path: string) => join(CAIRN_DATA, 'current', path);
    const server = startProcess('node', [link('run.mjs'), link('packages/server/src/main.ts')], {
      PORT: '0',
      CAIRN_DATA,
    });
    expect((await fetch(`${await urlOf(server)}/health/live`)).status).toBe(200);
  });

  it('says how it is called', async () => {
    const run = startProcess('node', [join(ROOT, 'run.mjs')], {});
    expect((await run.ended()).code).toBe(2);
    expect(run.output()).toBe('Usage: node run.mjs SCRIPT [ARGS]\n');
    const nowhere = startProcess('node', [join(ROOT, 'run.mjs'), 'no-such-file.ts'], {});
    expect((await nowhere.ended()).code).toBe(2);
    expect(nowhere.output()).toBe(`There is no file no-such-file.ts in ${ROOT}.\n`);
  });
});

describe('npm run dev', () => {
  it('serves a demo repository and prints a token that works', async () => {
    const dev = startProcess('npm', ['run', 'dev'], { PORT: '0' });
    const [, url = '', token = ''] = await dev.printed(/CAIRN_URL=(\S+) CAIRN_TOKEN=(\S+)/);
    const input = encodeURIComponent('{"orgName":"demo","repoName":"valley"}');
    const anonymous = await fetch(`${url}/trpc/repo.get?input=${input}`);
    expect(await anonymous.json()).toMatchObject({ result: { data: { name: 'valley', visibility: 'public' } } });
    const who = await fetch(`${url}/trpc/auth.whoami`, { headers: { authorization: `Bearer ${token}` } });
    expect(await who.json()).toMatchObject({ result: { data: { handle: 'demo' } } });
    // The captured output has the whole log, including the setup of the demo.
    expect(dev.output()).toMatch(/^\{.*"path":"\/trpc\/commit.submit"/m);
    dev.child.kill('SIGTERM');
    expect((await dev.ended()).code).toBe(0);
  });
});
