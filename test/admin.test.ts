// `cairn admin`, run as a separate process on the server's machine.
import { describe, expect, it, onTestFinished } from 'vitest';
import { hashToken } from '../packages/server/src/access/principal.ts';
import { findTokenHolder } from '../packages/server/src/access/token-scope.sql.ts';
import { resetPassword } from '../packages/server/src/account/password.ts';
import type { StoreLocation } from '../packages/server/src/engine/database.ts';
import { openStore } from '../packages/server/src/store.ts';
import { createOwnerToken, OWNER, settingsOf, startCairn } from './support/server.ts';
import { preparedLocation, testLocation, UPPER_ENGINES } from './support/store.ts';
import { IS_LONG } from './support/suite.ts';

function adminOn(location: StoreLocation) {
  const settings = settingsOf(location);
  return async (args: string[], input = '') => {
    const cli = startCairn(['--json', 'admin', ...args], settings);
    cli.child.stdin?.end(input);
    const { code } = await cli.ended();
    return { code, output: cli.output() };
  };
}

describe.each(UPPER_ENGINES)('cairn admin on %s', (engine) => {
  it('creates accounts and tokens whether a server runs or not', async () => {
    const location = await testLocation(engine);
    const admin = adminOn(location);
    const user = ['create-user', '--email', OWNER.email, '--name', OWNER.name, '--password-stdin'];
    const made = await admin([...user, '--owner'], `${OWNER.password}\n`);
    expect([made.code, JSON.parse(made.output)]).toEqual([0, { email: OWNER.email, handle: 'ada', operator: true }]);
    expect(await admin(user, OWNER.password)).toMatchObject({
      code: 5,
      output: expect.stringContaining('ALREADY_EXISTS'),
    });
    expect(
      await admin(['create-user', '--email', 'admin@example.com', '--name', 'api', '--password-stdin'], OWNER.password),
    ).toMatchObject({
      code: 1,
      output: expect.stringContaining('RESERVED_NAME'),
    });
    const token = [
      'create-token',
      '--email',
      OWNER.email,
      '--name',
      'ci',
      '--scope',
      'ada=repo:read',
      '--expires',
      '1d',
    ];
    const minted = JSON.parse((await admin(token)).output);
    expect(minted).toMatchObject({ name: 'ci', scopes: [{ resource: 'ada', permissions: ['repo:read'] }] });
    expect(minted.expiresAt - minted.createdAt).toBe(86_400_000);
    expect(await admin(token)).toMatchObject({ code: 5 });
    expect(
      await admin(['create-token', '--email', 'no@example.com', '--name', 'x', '--scope', 'repo:read']),
    ).toMatchObject({ code: 4 });
    const store = await openStore(location);
    const hash = hashToken(minted.token);
    expect(await findTokenHolder(store.database, { hash, now: Date.now() })).toMatchObject({
      tokenName: 'ci',
      handle: 'ada',
    });
    await store.close();
  });

  it.runIf(IS_LONG)('gives the server another secret, in the key file or as it is given', async () => {
    const location = await preparedLocation(engine);
    const admin = adminOn(location);
    await admin(['create-user', '--email', OWNER.email, '--password-stdin'], OWNER.password);
    const rotated = await admin(['rotate-secret', '--yes']);
    expect([rotated.code, JSON.parse(rotated.output)]).toEqual([0, { credentialValues: 0, keyFile: true }]);
    expect(await admin(['list-tokens', '--email', OWNER.email])).toMatchObject({ code: 0 });
    expect(await admin(['rotate-secret', '--yes', '--secret-stdin'], 'short')).toMatchObject({ code: 2 });
    const secret = 'a secret that is long enough for the server';
    const given = await admin(['rotate-secret', '--yes', '--secret-stdin'], `${secret}\n`);
    expect([given.code, JSON.parse(given.output)]).toEqual([0, { credentialValues: 0, keyFile: false }]);
    const { output } = await admin(['list-tokens', '--email', OWNER.email]);
    expect(output).toContain('belongs to another secret');
  });

  it.runIf(IS_LONG)('has sessions signed with another key, and another', async () => {
    const location = await preparedLocation(engine);
    const admin = adminOn(location);
    await admin(['create-user', '--email', OWNER.email, '--password-stdin'], OWNER.password);
    for (const generation of [2, 3]) {
      const { code, output } = await admin(['rotate-signing-key']);
      expect([code, JSON.parse(output)]).toEqual([0, { generation, since: expect.any(Number) }]);
    }
  });

  it('deactivates, reactivates, and sets passwords anew', async () => {
    const location = await preparedLocation(engine);
    const store = await openStore(location);
    onTestFinished(() => store.close());
    const token = await createOwnerToken(store);
    // A second operator, because the last one cannot be deactivated.
    const other = { email: 'op@example.com', handle: 'op', passwordHash: '-', operator: true };
    await store.write.createAccount(other);
    const authenticated = async () =>
      (await findTokenHolder(store.database, { hash: hashToken(token), now: Date.now() })) !== undefined;
    const admin = adminOn(location);
    const { email } = OWNER;
    const off = await admin(['deactivate-user', '--email', email]);
    expect([off.code, JSON.parse(off.output)]).toEqual([0, { email, handle: 'ada', active: false }]);
    expect(await authenticated()).toBe(false);
    expect(await admin(['reset-password', '--email', email])).toMatchObject({
      code: 5,
      output: expect.stringContaining('reactivate-user'),
    });
    expect((await admin(['reactivate-user', '--email', email])).code).toBe(0);
    const tokens = JSON.parse((await admin(['list-tokens', '--email', email])).output);
    expect(tokens.items).toMatchObject([{ name: 'all', createdBy: 'session' }]);
    expect(await authenticated()).toBe(true);
    const { output } = await admin(['reset-password', '--email', email]);
    const { link } = JSON.parse(output);
    expect(link).toMatch(/^http:\/\/localhost:8787\/auth\/reset\?code=[\w-]+$/);
    const code = new URL(link).searchParams.get('code') ?? '';
    await resetPassword(store, { code, newPassword: OWNER.password });
    const revoke = ['revoke-token', '--email', email, '--name', 'all', '--yes'];
    expect(JSON.parse((await admin(revoke)).output)).toMatchObject({ name: 'all', revokedAt: expect.any(Number) });
    expect(await authenticated()).toBe(false);
    const set = await admin(['reset-password', '--email', email, '--password-stdin'], 'another password\n');
    expect([set.code, JSON.parse(set.output)]).toEqual([0, { email, handle: 'ada' }]);
    const missing = await admin(['deactivate-user', '--email', 'no@example.com']);
    expect(missing).toMatchObject({ code: 4, output: expect.stringContaining('create-user') });
  });
});
