// examples/component-word-count as a separate process, with a real server and the real command.
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CairnClient, setUpServer } from '@cairn/sdk';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it, vi } from 'vitest';
import { PATIENCE_MS } from './support/patience.ts';
import { ROOT, settingsOf, startCairn, startProcess, startServerProcess, testFolder } from './support/server.ts';
import { testLocation, UPPER_ENGINES } from './support/store.ts';

const EXAMPLE = 'examples/component-word-count';
const LISTENING = /is at (\S+) .*?link; it works once:\s+(\S+)/s;
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const OWNER = { email: 'ada@example.com', password: 'a password of some length' };

async function startComponent() {
  const folder = testFolder();
  const installsFile = join(folder, 'installs.json');
  const process = startProcess('node', ['run.mjs', `${EXAMPLE}/server.ts`], {
    PORT: '0',
    SETUP_SIGNING_SECRET: SECRET,
    INSTALLS_FILE: installsFile,
  });
  const [, url = ''] = await process.printed(/is at (http:\S+)/);
  const installs = () =>
    JSON.parse(readFileSync(installsFile, 'utf8')) as { installId: string; runtimeToken: string }[];
  return { process, url, installs };
}

async function openWorld(engine: (typeof UPPER_ENGINES)[number]) {
  const component = await startComponent();
  const server = startServerProcess({
    PORT: '0',
    CAIRN_OUTBOUND_ALLOW: new URL(component.url).host,
    CAIRN_WEBHOOK_RETRY_SECONDS: '1,1,1',
    ...settingsOf(await testLocation(engine)),
  });
  const [, url = '', code = ''] = await server.printed(LISTENING);
  const { token } = await setUpServer(url, { code, ...OWNER });
  const environment = { CAIRN_URL: url, CAIRN_TOKEN: token, CAIRN_REPO: 'ada/notes' };
  const run = async (args: readonly string[], input = '') => {
    const command = startCairn(args, environment);
    command.child.stdin?.end(input);
    const { code: exitCode } = await command.ended();
    return { code: exitCode, output: command.output() };
  };
  const cairn = async (...args: string[]) => {
    const { code: exitCode, output } = await run(args);
    expect(exitCode, `${args.join(' ')}\n${output}\n${component.process.output()}`).toBe(0);
    return output;
  };
  const client = new CairnClient({ url, token });
  return { component, url, client, run, cairn };
}

type World = Awaited<ReturnType<typeof openWorld>>;

async function register({ component, run, cairn }: World): Promise<void> {
  await cairn('credential', 'create', 'word-count-setup', '--org', 'ada');
  await run(['credential', 'set', 'word-count-setup', 'WEBHOOK_SIGNING_SECRET', '--org', 'ada'], SECRET);
  expect(await cairn('component', 'validate', EXAMPLE)).toContain('is a valid manifest');
  const endpoints = ['--setup-url', `${component.url}/setup`, '--uninstall-url', `${component.url}/uninstall`];
  const signing = ['--credential-set', 'word-count-setup'];
  await cairn('component', 'register', 'word-count', '--org', 'ada', '--manifest', EXAMPLE, ...endpoints, ...signing);
}

async function counted({ client, component }: World, name: string, words: number): Promise<void> {
  await vi.waitFor(
    async () => {
      const { data } = await client.thing.get('ada', 'notes', `WordCount/${name}`);
      expect(data, component.process.output()).toMatchObject({ words });
    },
    { timeout: PATIENCE_MS, interval: 200 },
  );
}

const write = (name: string, text: string) =>
  ['commit', 'submit', '--add', `Text/${name}`, '--data', JSON.stringify({ text })] as const;

function laterVersion(): string {
  const folder = join(testFolder(), 'later');
  cpSync(join(ROOT, EXAMPLE), folder, { recursive: true });
  const change = (file: string, from: string, to: string) => {
    const path = join(folder, file);
    writeFileSync(path, readFileSync(path, 'utf8').replace(from, to));
  };
  change('component.json', '"1.0.0"', '"1.1.0"');
  change('manifest.json', '"seeds": [', '"seeds": [{ "shape": "Text", "name": "news", "data": { "text": "More" } },');
  return folder;
}

describe.each(UPPER_ENGINES)('the component of the example on %s', (engine) => {
  it('is installed, works, answers, rests, is brought up to date, ends, and comes back', async () => {
    const world = await openWorld(engine);
    const { url, client, component, run, cairn } = world;
    await client.repo.create('ada', 'notes');
    await register(world);

    const installed = await cairn('component', 'install', 'ada/word-count');
    expect(installed).toMatch(/it reads +Text, WordCount/);
    expect(installed).toMatch(/it writes +WordCount/);
    expect(installed).toMatch(/^state +ready/m);
    expect(installed).toContain('cairn word-count --help');
    expect(await cairn('component', 'doctor', 'ada/word-count')).toMatch(/^state +ready/m);
    await cairn(...write('first', 'Stones on stones show the way.'));
    await counted(world, 'first', 6);
    const { createdBy } = await client.thing.get('ada', 'notes', 'WordCount/first');
    expect(createdBy).toBe('component:ada/word-count');

    expect(await cairn('word-count', 'count', '--text', 'first', '--min-length', '5')).toMatch(/^words +2$/m);
    const answer = await cairn('component', 'exec', 'ada/word-count', 'count', '--arg', 'text=first', '--json');
    expect(JSON.parse(answer)).toEqual({ status: 200, body: { text: 'Text/first', words: 6 } });
    expect(await cairn('word-count', 'recount')).toMatch(/^counted +2$/m);
    await counted(world, 'welcome', 8);
    expect(await cairn('component', 'exec', 'word-count', 'count', '--help')).toContain('--min-length <integer>');
    const none = await run(['word-count', 'count', '--text', 'none']);
    expect(none).toMatchObject({ code: 1, output: expect.stringContaining('There is no text none.') });
    expect(await run(['word-count', 'count'])).toMatchObject({
      code: 2,
      output: expect.stringContaining('--text is required'),
    });

    const tokenOf = () => component.installs()[0]?.runtimeToken;
    const asComponent = () => new CairnClient({ url, token: tokenOf() }).thing.get('ada', 'notes', 'Text/first');
    await cairn('component', 'pause', 'ada/word-count');
    expect((await run(['word-count', 'count', '--text', 'first'])).code).toBe(5);
    await expect(asComponent()).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(await cairn('component', 'resume', 'ada/word-count')).toMatch(/^state +ready/m);
    await cairn(...write('second', 'Here again'));
    await counted(world, 'second', 2);

    await cairn('component', 'publish', 'word-count', '--org', 'ada', '--manifest', laterVersion());
    expect(await cairn('component', 'doctor', 'ada/word-count')).toContain('newer-version');
    const updated = await cairn('component', 'update', 'ada/word-count', '--json');
    expect(JSON.parse(updated)).toMatchObject({ state: 'ready', version: '1.1.0', findings: [] });
    expect((await client.thing.get('ada', 'notes', 'Text/news')).data).toEqual({ text: 'More' });

    const token = tokenOf();
    const ended = JSON.parse(await cairn('component', 'teardown', 'ada/word-count', '--yes', '--json'));
    expect(ended).toMatchObject({ state: 'uninstalled', uninstall: { status: 'completed' } });
    expect(component.installs()).toEqual([]);
    const refused = new CairnClient({ url, token }).auth.whoami();
    await expect(refused).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    expect((await run(['word-count', 'count', '--text', 'first'])).output).toContain("nknown command 'word-count'");
    expect((await client.thing.get('ada', 'notes', 'WordCount/first')).data).toMatchObject({ words: 6 });

    expect(JSON.parse(await cairn('component', 'install', 'ada/word-count', '--yes', '--json'))).toMatchObject({
      state: 'ready',
    });
    await cairn(...write('third', 'One two three'));
    await counted(world, 'third', 3);
    expect(JSON.parse(await cairn('component', 'list', '--json'))).toMatchObject({
      items: [{ component: 'ada/word-count' }],
    });
    expect((await client.subscription.list('ada', 'notes')).items).toHaveLength(1);
  });
});

describe('the component of the example', () => {
  it('answers nobody but the server', async () => {
    const { url } = await startComponent();
    const send = async (path: string, init: RequestInit = {}) => (await fetch(`${url}${path}`, init)).status;
    const body = JSON.stringify({ installId: 'ins_1', installRepo: 'ada/notes' });
    const now = new Date();
    const headers = {
      'webhook-id': 'call_1',
      'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
      'webhook-signature': new Webhook(SECRET).sign('call_1', now, body),
    };
    expect(await send('/uninstall', { method: 'POST', headers, body })).toBe(200);
    expect(await send('/uninstall', { method: 'POST', headers, body: `${body} ` })).toBe(401);
    for (const path of ['/setup', '/webhook', '/cli/recount']) {
      expect([path, await send(path, { method: 'POST', body })]).toEqual([path, 401]);
    }
    expect(await send('/cli/count?text=first')).toBe(401);
    expect(await send('/other')).toBe(404);
    expect(await send('/webhook', { method: 'POST', body: 'x'.repeat(1024 * 1024 + 1) })).toBe(413);
  });
});
