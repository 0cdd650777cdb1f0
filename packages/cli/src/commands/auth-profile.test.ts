// `cairn auth login --with-token` and profiles, against real servers. test/sign-in-browser.test.ts covers sign-in with
// a browser.
import { join } from 'node:path';
import { CairnClient } from '@cairn/sdk';
import { describe, expect, it } from 'vitest';
import { type CommandRun, cairn } from '../../../../test/support/cli.ts';
import { createOwnerToken, startTestServer, testFolder } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import type { Engine } from '../../../server/src/engine/database.ts';

async function openServer(engine: Engine) {
  const { url, store } = await startTestServer(engine);
  return { url, token: await createOwnerToken(store) };
}

function openCommands(environment: Record<string, string> = {}) {
  const profiles = { CAIRN_CONFIG: join(testFolder(), 'profiles.json') };
  return (args: string[], more: Record<string, string> = {}, input = ''): Promise<CommandRun> =>
    cairn(args, { ...profiles, ...environment, ...more }, input);
}

const json = ({ stdout }: CommandRun) => JSON.parse(stdout);

describe.each(UPPER_ENGINES)('profiles on %s', (engine) => {
  it('sign in with a token, and tell who is signed in', async () => {
    const { url, token } = await openServer(engine);
    const run = openCommands();
    const login = await run(['auth', 'login', '--with-token', '--url', `${url}/`], {}, `${token}\n`);
    expect(login).toMatchObject({
      code: 0,
      stderr: '',
      stdout: `Signed in to ${url} as ada, in the profile default.\n`,
    });
    expect(json(await run(['--json', 'auth', 'whoami']))).toMatchObject({ kind: 'token', handle: 'ada' });
    const status = await run(['--json', 'auth', 'status']);
    expect([status.code, json(status)]).toEqual([
      0,
      {
        used: {
          url,
          urlFrom: 'profile',
          state: 'signed in',
          who: 'ada',
          expiresAt: expect.any(Number),
          tokenFrom: 'profile',
          profile: 'default',
          profileFrom: 'current',
        },
        profiles: [
          { profile: 'default', url, kind: 'token', who: 'ada', state: 'signed in', expiresAt: expect.any(Number) },
        ],
      },
    ]);
    const shown = await run(['auth', 'status']);
    expect(shown.stdout).toContain(
      `Signed in to ${url} (from the profile) as ada, profile default (the current profile)`,
    );
    for (const { stdout, stderr } of [login, status, shown]) expect(`${stdout}${stderr}`).not.toContain(token);
  });

  it('keep several servers apart, and send a token to its own server alone', async () => {
    const [first, second] = [await openServer(engine), await openServer(engine)];
    const run = openCommands();
    const login = (server: typeof first, ...args: string[]) =>
      run(['auth', 'login', '--with-token', '--url', server.url, ...args], {}, server.token);
    expect((await login(first)).code).toBe(0);
    expect(await login(second)).toMatchObject({ code: 2, stderr: expect.stringContaining('--profile NAME') });
    expect((await login(second, '--profile', 'other')).code).toBe(0);
    const urlOf = async (args: string[], more: Record<string, string> = {}) =>
      json(await run(['--json', 'doctor', ...args], more)).url;
    expect(await urlOf([])).toBe(second.url);
    expect(await urlOf(['--profile', 'default'])).toBe(first.url);
    expect(await urlOf([], { CAIRN_PROFILE: 'default' })).toBe(first.url);
    expect((await run(['auth', 'use', 'default'])).stdout).toContain(first.url);
    expect(await urlOf([])).toBe(first.url);

    const elsewhere = ['--profile', 'default', '--url', second.url];
    expect(json(await run(['--json', 'auth', 'whoami', ...elsewhere]))).toEqual({ kind: 'anonymous' });
    expect(await run(['token', 'list', ...elsewhere])).toMatchObject({
      code: 3,
      stderr: expect.stringContaining(`the token of the profile default is only for ${first.url}`),
    });
    const status = await run(['auth', 'status', ...elsewhere]);
    expect(status).toMatchObject({ code: 3, stdout: expect.stringContaining(`is only for ${first.url}`) });
    const given = { CAIRN_URL: second.url, CAIRN_TOKEN: second.token };
    expect(json(await run(['--json', 'auth', 'status'], given)).used).toMatchObject({
      url: second.url,
      urlFrom: 'CAIRN_URL',
      tokenFrom: 'CAIRN_TOKEN',
      state: 'signed in',
    });
  });

  it('are forgotten by signing out, one or all', async () => {
    const { url, token } = await openServer(engine);
    const run = openCommands({ CAIRN_URL: url });
    for (const name of ['a', 'b', 'c']) await run(['auth', 'login', '--with-token', '--profile', name], {}, token);
    const one = await run(['--json', 'auth', 'logout', '--profile', 'b']);
    const advice = expect.stringContaining('cairn token revoke');
    expect(json(one)).toEqual({ profiles: [{ profile: 'b', url, ended: false, advice }] });
    expect(await run(['auth', 'whoami', '--profile', 'b'])).toMatchObject({ code: 2 });
    expect(json(await run(['--json', 'auth', 'logout', '--all'])).profiles).toHaveLength(2);
    expect((await run(['auth', 'logout', '--all'])).stdout).toBe('You are not signed in.\n');
    expect(await run(['auth', 'status'])).toMatchObject({
      code: 3,
      stdout: expect.stringContaining('cairn auth login'),
    });
    expect((await new CairnClient({ url, token }).auth.whoami()).kind).toBe('token');
  });

  it('tell what to do about a refusal', async () => {
    const { url, token } = await openServer(engine);
    const run = openCommands({ CAIRN_URL: url });
    const unsigned = await run(['token', 'list']);
    expect(unsigned).toMatchObject({ code: 3, stderr: expect.stringContaining('cairn auth login') });
    expect((await run(['repo', 'view', 'no/repo'])).stderr).toContain('cairn auth login');
    const machine = await run(['--json', 'token', 'list']);
    expect(JSON.parse(machine.stderr).error.hint).toContain('cairn auth login');
    const stale = await run(['token', 'list'], { CAIRN_TOKEN: 'stale' });
    expect(stale).toMatchObject({ code: 3, stderr: expect.stringContaining('from CAIRN_TOKEN') });
    const client = new CairnClient({ url, token });
    const { token: short } = await client.token.create('short', { scopes: [{ permissions: ['repo:read'] }] });
    expect((await run(['auth', 'login', '--with-token'], {}, short)).code).toBe(0);
    await client.token.revoke('short');
    const ended = await run(['token', 'list']);
    expect(ended).toMatchObject({ code: 3, stderr: expect.stringContaining('Sign in again: cairn auth login.') });
    expect(json(await run(['--json', 'auth', 'status']))).toMatchObject({
      used: { state: 'ended', hint: expect.stringContaining('Sign in again') },
      profiles: [{ profile: 'default', who: 'ada', state: 'ended' }],
    });
    const wrongPassword = ['auth', 'change-password', '--email', 'ada@example.com', '--password-stdin'];
    expect((await run(wrongPassword, {}, 'no\nnot this one')).stderr).not.toContain('cairn auth login');
    for (const bad of ['stale', 'cairn_pat_stale']) {
      const refused = await run(['auth', 'login', '--with-token'], {}, bad);
      expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining(`${url} refused this token`) });
    }
    expect((await run(['auth', 'login', '--with-token'], {}, '')).code).toBe(2);
  });
});

describe('signing in', () => {
  it('of a server that does not answer, or that is none, ends with what to do', async () => {
    const run = openCommands();
    const away = await run(['auth', 'login', '--url', 'http://127.0.0.1:1']);
    expect(away).toMatchObject({
      code: 7,
      stderr: expect.stringContaining('No usable answer from http://127.0.0.1:1'),
    });
    expect((await run(['auth', 'login', '--profile', '../x'])).stderr).toContain('not a valid profile name');
    expect((await run(['auth', 'use', 'nobody'])).stderr).toContain('There is no profile nobody.');
    expect((await run(['auth', 'logout'])).stderr).toContain('There is no profile default.');
    const nowhere = await cairn(['auth', 'login', '--with-token', '--url', 'http://127.0.0.1:1'], {}, 'x');
    expect(nowhere.code).toBe(7);
  });
});
