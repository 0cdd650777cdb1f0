import { CairnClient } from '@cairn/sdk';
import { describe, expect, it } from 'vitest';
import { cairn } from '../../../../test/support/cli.ts';
import { createSession } from '../../../../test/support/principal.ts';
import { createOwnerToken, ownerIdOf, startTestServer } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import { issueReset } from '../../../server/src/account/operator.ts';
import { deriveSigningKey } from '../../../server/src/keys/session-jwt.ts';

const [FIRST, SECOND, THIRD] = ['the first password', 'the second password', 'the third password'];
const EMAIL = 'bob@example.com';

describe.each(UPPER_ENGINES)('cairn auth on %s', (engine) => {
  it('accepts an invitation, and changes and resets the password', async () => {
    const { url, store } = await startTestServer(engine);
    const owner = new CairnClient({ url, token: await createOwnerToken(store) });
    await owner.org.create('acme');
    const { link = '' } = await owner.org.addMember('acme', { email: EMAIL }, 'editor');
    const run = async (args: string[], input = '') => {
      const { code, stdout, stderr } = await cairn(['--json', 'auth', ...args], { CAIRN_URL: url }, input);
      expect(`${stdout}${stderr}`).not.toMatch(/(first|second|third) password/);
      return [code, stdout === '' ? JSON.parse(stderr).error.code : JSON.parse(stdout)];
    };
    const accept = ['accept-invitation', '--code', link, '--name', 'robert', '--password-stdin'];
    expect(await run(accept, 'short')).toEqual([2, 'VALIDATION_ERROR']);
    expect(await run(accept, `${FIRST}\n`)).toEqual([
      0,
      { handle: 'robert', orgName: 'acme', role: 'editor', token: expect.any(String), expiresAt: expect.any(Number) },
    ]);
    expect(await run(accept, FIRST)).toEqual([3, 'UNAUTHENTICATED']);
    const change = ['change-password', '--email', EMAIL, '--password-stdin'];
    expect(await run(change, `${FIRST}\n${SECOND}\n`)).toEqual([0, { handle: 'robert' }]);
    expect(await run(change, `${FIRST}\r\n${SECOND}\r\n`)).toEqual([3, 'UNAUTHENTICATED']);
    for (const input of [FIRST, `${FIRST}\n${SECOND}\n${THIRD}\n`])
      expect(await run(change, input)).toEqual([2, 'USAGE']);
    const { code } = await issueReset(store, EMAIL);
    const reset = ['reset-password', '--code', `${url}/auth/reset?code=${code}`, '--password-stdin'];
    expect(await run(reset, THIRD)).toEqual([0, { handle: 'robert' }]);
    expect(await run(reset, THIRD)).toEqual([3, 'UNAUTHENTICATED']);
    expect(await run(change, `${THIRD}\n${FIRST}\n`)).toEqual([0, { handle: 'robert' }]);
  });

  it('says that the token of an invitation is shown once', async () => {
    const { url, store } = await startTestServer(engine);
    const owner = new CairnClient({ url, token: await createOwnerToken(store) });
    await owner.org.create('acme');
    const { link = '' } = await owner.org.addMember('acme', { email: EMAIL }, 'editor');
    const args = ['auth', 'accept-invitation', '--code', link, '--password-stdin'];
    const accepted = await cairn(args, { CAIRN_URL: url }, FIRST);
    expect(accepted).toMatchObject({ code: 0, stderr: expect.stringContaining('The token is shown only once.') });
  });

  it('does not wait for an answer where nobody can be asked', async () => {
    const environment = { CAIRN_URL: 'http://localhost:1' };
    for (const args of [
      ['accept-invitation', '--code', 'x'],
      ['change-password', '--email', EMAIL],
      ['reset-password', '--code', 'x'],
    ]) {
      const { code, stderr } = await cairn(['auth', ...args], environment);
      expect([code, stderr]).toEqual([2, expect.stringContaining('--password-stdin')]);
    }
    const away = await cairn(['auth', 'reset-password', '--code', 'x', '--password-stdin'], environment, FIRST);
    expect(away.code).toBe(7);
  });
});

const SECRET = 'a secret that is known to this test alone';

describe.each(UPPER_ENGINES)('cairn auth on %s', (engine) => {
  const prepare = async () => {
    const { url, store } = await startTestServer(engine, { CAIRN_SECRET: SECRET });
    const pat = await createOwnerToken(store);
    const who = { accountId: await ownerIdOf(store), url, key: deriveSigningKey(SECRET) };
    const begin = (options: { client?: { id: string; name: string } } = {}) =>
      createSession(store, { ...who, ...options });
    const run = (args: string[], token: string) => cairn(args, { CAIRN_URL: url, CAIRN_TOKEN: token });
    const json = async (args: string[], token: string) => {
      const { code, stdout, stderr } = await run(['--json', ...args], token);
      expect([args, code, stderr]).toEqual([args, 0, '']);
      return JSON.parse(stdout);
    };
    return { pat, begin, run, json };
  };

  it('lists sessions, and ends one or all', async () => {
    const { begin, run, json } = await prepare();
    const [here, other] = [await begin(), await begin()];
    const client = await begin({ client: { id: 'https://tool.example/client.json', name: 'A tool' } });
    const { items } = await json(['auth', 'sessions'], here.token);
    expect(items).toHaveLength(3);
    const table = await run(['auth', 'sessions'], here.token);
    expect(table.stdout).toContain(' A tool (https://tool.example/client.json)  ');
    expect(await json(['auth', 'end-session', other.sessionId], here.token)).toMatchObject({ id: other.sessionId });
    expect((await run(['auth', 'whoami'], other.token)).code).toBe(3);
    expect((await run(['auth', 'end-session', other.sessionId], here.token)).code).toBe(4);
    expect(await json(['auth', 'end-session', '--all', '--kind', 'client'], here.token)).toEqual({ ended: 1 });
    expect((await run(['auth', 'whoami'], client.token)).code).toBe(3);
    expect(await json(['auth', 'end-session', '--all'], here.token)).toEqual({ ended: 1 });
    expect((await run(['auth', 'whoami'], here.token)).code).toBe(3);
  });

  it('says what is wrong', async () => {
    const { pat, begin, run } = await prepare();
    const { token } = await begin();
    for (const args of [[], ['some-id', '--all'], ['some-id', '--kind', 'client'], ['--all', '--kind', 'spoon']]) {
      expect([args, (await run(['auth', 'end-session', ...args], token)).code]).toEqual([args, 2]);
    }
    const refused = await run(['auth', 'sessions'], pat);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('cairn auth login')]);
  });
});
