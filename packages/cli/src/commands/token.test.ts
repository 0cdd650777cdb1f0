import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import { cairn } from '../../../../test/support/cli.ts';
import { createOwnerToken, startTestServer } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import { shownTime } from '../look.ts';

describe.each(UPPER_ENGINES)('cairn token on %s', (engine) => {
  const prepare = async () => {
    const { url, store } = await startTestServer(engine);
    const environment = { CAIRN_URL: url, CAIRN_TOKEN: await createOwnerToken(store) };
    await cairn(['repo', 'create', 'ada/world'], environment);
    const run = (args: string[], token = environment.CAIRN_TOKEN) =>
      cairn(args, { ...environment, CAIRN_TOKEN: token });
    const json = async (args: string[], token?: string) => {
      const { code, stdout, stderr } = await run(['--json', ...args], token);
      expect([args, code, stderr]).toEqual([args, 0, '']);
      return JSON.parse(stdout);
    };
    return { run, json };
  };

  it(verifies('creates, lists, shows, rotates and revokes', '5/token-cli'), async () => {
    const { json, run } = await prepare();
    const create = ['token', 'create', 'reader', '--scope', 'ada/world=repo:read', '--refs', 'Signal/**'];
    const made = await json([...create, '--expires', '1d', '--description', 'Reads signals']);
    const scopes = [{ resource: 'ada/world', permissions: ['repo:read'], refs: ['Signal/**'] }];
    expect(made).toMatchObject({ name: 'reader', description: 'Reads signals', scopes, createdBy: 'token:all' });
    expect(made.expiresAt - made.createdAt).toBeLessThanOrEqual(86_400_000);
    expect(await json(['auth', 'whoami'], made.token)).toMatchObject({ tokenName: 'reader', scopes });
    await json(['token', 'create', '--name', 'viewer', '--scope', 'ada=role:viewer']);
    expect((await json(['token', 'list'])).items.map(({ name }: { name: string }) => name)).toEqual([
      'reader',
      'viewer',
    ]);
    expect(await json(['token', 'view', 'viewer'])).toMatchObject({
      scopes: [{ resource: 'ada', permissions: ['org:read', 'repo:read', 'repo:checkpoint-read'] }],
    });
    const rotated = await json(['token', 'rotate', 'reader', '--previous', '1m']);
    expect(await json(['auth', 'whoami'], rotated.token)).toMatchObject({ tokenName: 'reader' });
    expect((await run(['token', 'list'])).stdout).toContain('reader');
    expect(await json(['token', 'revoke', 'reader', '--yes'])).toMatchObject({ revokedAt: expect.any(Number) });
    expect((await run(['auth', 'whoami'], rotated.token)).code).toBe(3);
  });

  it('says that a token ends with the one that made it', async () => {
    const { json, run } = await prepare();
    const long = await run(['token', 'create', 'long', '--scope', 'repo:read']);
    expect(long.stderr).not.toContain('It expires');
    const { token, expiresAt } = await json(['token', 'create', 'short', '--scope', 'repo:read', '--expires', '2d']);
    const made = await run(['token', 'create', 'child', '--scope', 'repo:read'], token);
    const end = new Date(expiresAt).toISOString();
    expect(made).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`It expires ${shownTime(expiresAt)}, `),
    });
    expect(
      (await run(['token', 'create', 'own', '--scope', 'repo:read', '--expires', '1d'], token)).stderr,
    ).not.toContain('It expires');
    const later = await run(['token', 'create', 'later', '--scope', 'repo:read', '--expires', '9d'], token);
    expect(later).toMatchObject({ code: 2, stderr: expect.stringContaining(`The token that makes it ends at ${end}`) });
    expect(later.stderr).toContain('Sign in with `cairn auth login`, and unset CAIRN_TOKEN.');
  });

  it('says what is wrong', async () => {
    const { run } = await prepare();
    expect(await run(['token', 'create', '--scope', 'repo:read'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('name'),
    });
    expect(await run(['token', 'create', 'x', '--scope', 'repo:fly'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('repo:read'),
    });
    expect(await run(['token', 'create', 'x'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--scope') });
    expect(await run(['token', 'create', 'x', '--scope', 'nowhere=repo:read'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('nowhere'),
    });
    expect(await run(['token', 'view', 'none'])).toMatchObject({ code: 4 });
    expect(await run(['token', 'list'], '')).toMatchObject({ code: 3 });
  });

  it('shows the audit log of an organization', async () => {
    const { json, run } = await prepare();
    await json(['repo', 'visibility', 'ada/world', 'public', '--yes']);
    const { items } = await json(['org', 'audit', 'ada', '--action', 'repo.setVisibility']);
    expect(items).toMatchObject([{ action: 'repo.setVisibility', actor: 'token:ada/all', target: 'ada/world' }]);
    expect((await run(['org', 'audit', 'ada'])).stdout).toContain('repo.create');
    expect((await run(['org', 'audit', 'ada', '--action', 'nonsense'])).code).toBe(2);
  });
});
