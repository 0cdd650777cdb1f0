// `cairn auth sessions` and `cairn auth end-session`, against a real server.
import { describe, expect, it } from 'vitest';
import { cairn } from '../../../../test/support/cli.ts';
import { createSession } from '../../../../test/support/principal.ts';
import { createOwnerToken, ownerIdOf, startTestServer } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import { deriveSigningKey } from '../../../server/src/keys/session-jwt.ts';

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
    expect(table.stdout).toContain('  A tool (https://tool.example/client.json)  ');
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
