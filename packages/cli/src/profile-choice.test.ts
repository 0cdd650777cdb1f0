import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSignedIn } from '../../../test/support/cli-login.ts';
import { testFolder } from '../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../test/support/store.ts';
import { processIo } from './io.ts';
import { choose, credentialsOf } from './profile-choice.ts';
import type { Profile } from './profile-file.ts';

const over = (profile: Profile): Profile => ({ ...profile, session: { ...sessionOf(profile), expiresAt: 0 } });

function sessionOf({ session }: Profile) {
  if (session === undefined) throw new Error('the profile has no session');
  return session;
}

describe.each(UPPER_ENGINES)('the session of a profile on %s', (engine) => {
  it('begins with a login, and is shown by status', async () => {
    const { url, login, run } = await openSignedIn(engine);
    const { code, stdout, stderr } = await login();
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ profile: 'default', url, kind: 'session', handle: 'ada' });
    expect(JSON.parse(stderr)).toEqual({
      verificationUri: `${url}/oauth/device`,
      verificationUriComplete: expect.stringContaining(`${url}/oauth/device?user_code=`),
      userCode: expect.any(String),
      expiresAt: expect.any(Number),
    });
    const status = JSON.parse((await run('--json', 'auth', 'status')).stdout);
    expect(status).toMatchObject({
      used: { url, state: 'signed in', who: 'ada', profile: 'default' },
      profiles: [{ profile: 'default', kind: 'session', state: 'signed in' }],
    });
  });

  it('is refreshed when its token is over or refused, and nobody notices', async () => {
    const { signIn, run, profile } = await openSignedIn(engine);
    await signIn();
    const first = sessionOf(profile());
    profile(over);
    expect(await run('--json', 'auth', 'whoami')).toMatchObject({ code: 0, stderr: '' });
    const second = sessionOf(profile());
    expect(second.refreshToken).not.toBe(first.refreshToken);
    expect(second.expiresAt).toBeGreaterThan(Date.now() + 60_000);
    profile((now) => ({ ...now, session: { ...second, accessToken: `${second.accessToken.slice(0, -8)}AAAAAAAA` } }));
    expect(await run('token', 'list')).toMatchObject({ code: 0, stderr: 'No results.\n' });
    const third = sessionOf(profile());
    expect(third.refreshToken).not.toBe(second.refreshToken);
    expect(await run('token', 'list')).toMatchObject({ code: 0, stderr: 'No results.\n' });
    expect(sessionOf(profile())).toEqual(third);
  });

  it('is refreshed once by commands that run together, and lives on', async () => {
    const { signIn, run, profile } = await openSignedIn(engine);
    await signIn();
    for (let round = 0; round < 3; round += 1) {
      profile(over);
      const together = await Promise.all(Array.from({ length: 6 }, () => run('--json', 'auth', 'whoami')));
      expect(together.map(({ code, stderr }) => [code, stderr])).toEqual(together.map(() => [0, '']));
    }
  });

  it('ends when a refresh token is used twice, and tells to sign in again', async () => {
    const { signIn, run, profile } = await openSignedIn(engine);
    await signIn();
    const stolen = over(profile());
    profile(over);
    await run('auth', 'whoami');
    profile(() => stolen);
    for (const args of [
      ['auth', 'whoami'],
      ['token', 'list'],
    ]) {
      const refused = await run(...args);
      expect(refused).toMatchObject({ code: 3, stdout: '' });
      expect(refused.stderr).toContain('The session of profile default has ended.');
      expect(refused.stderr).toContain('Sign in again: cairn auth login.');
      expect(refused.stderr).not.toContain(sessionOf(stolen).refreshToken);
    }
    expect((await run('auth', 'status')).stdout).toContain('No longer signed in to');
  });

  it('takes the place of the one before, and ends when somebody signs out', async () => {
    const { url, signIn, login, run, profile } = await openSignedIn(engine);
    await signIn();
    expect((await login()).code).toBe(0);
    const listed = JSON.parse((await run('--json', 'auth', 'sessions')).stdout).items;
    expect(listed.filter(({ kind }: { kind: string }) => kind === 'client')).toHaveLength(1);
    const { accessToken } = sessionOf(profile());
    expect(JSON.parse((await run('--json', 'auth', 'logout')).stdout)).toEqual({
      profiles: [{ profile: 'default', url, ended: true }],
    });
    const headers = { authorization: `Bearer ${accessToken}` };
    expect((await fetch(`${url}/trpc/auth.whoami`, { headers })).status).toBe(401);
  });

  it('is forgotten though the server is away, which is told', async () => {
    const { signIn, run, profile } = await openSignedIn(engine);
    await signIn();
    const away = 'http://127.0.0.1:1';
    profile((found) => ({ ...found, url: away }));
    expect(await run('auth', 'status')).toMatchObject({ code: 7, stdout: expect.stringContaining('No answer from') });
    const { code, stdout } = await run('auth', 'logout');
    expect([code, stdout]).toEqual([0, expect.stringContaining(`End it at ${away}/auth/account.`)]);
    expect((await run('auth', 'logout', '--all')).stdout).toBe('You are not signed in.\n');
  });
});

describe('a command whose profile changes while it runs', () => {
  const tokens = { accessToken: 'old', refreshToken: 'old-refresh', expiresAt: 0 };
  const mine = { url: 'http://127.0.0.1:1', handle: 'ada', session: tokens };
  const others: [string, object][] = [
    ['another server', { ...mine, url: 'http://127.0.0.1:2', session: { ...tokens, refreshToken: 'other' } }],
    ['another account', { ...mine, handle: 'bob', session: { ...tokens, refreshToken: 'other' } }],
    ['a token', { url: mine.url, handle: 'ada', token: 'cairn_pat_x' }],
  ];
  it.each(others)('does not follow it to %s', async (_, other) => {
    const file = join(testFolder(), 'profiles.json');
    writeFileSync(file, JSON.stringify({ profiles: { default: mine } }));
    const choice = choose({ ...processIo, environment: { CAIRN_CONFIG: file } }, {});
    const { getToken } = credentialsOf(choice, {});
    writeFileSync(file, JSON.stringify({ profiles: { default: other } }));
    await expect(getToken?.()).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
      message: 'The session of profile default has ended.',
    });
  });

  it('says when it cannot keep what it would get, and asks for nothing', async () => {
    const folder = join(testFolder(), 'gone');
    const choice = choose(
      { ...processIo, environment: { CAIRN_CONFIG: join(folder, 'profiles.json') } },
      { url: mine.url },
    );
    writeFileSync(folder, '');
    const signedIn = { ...choice, profile: mine, tokenFrom: 'profile' } as const;
    await expect(credentialsOf(signedIn, {}).getToken?.()).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
      message: expect.stringContaining('The session cannot be refreshed. Cannot write'),
    });
  });
});

describe.each(UPPER_ENGINES)('cairn auth login on %s', (engine) => {
  it('refuses a server that calls itself otherwise', async () => {
    const { url, run } = await openSignedIn(engine);
    const refused = await run('auth', 'login', '--profile', 'x', '--url', url.replace('localhost', '127.0.0.1'));
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(`Use that address: --url ${url}.`) });
  });
});
