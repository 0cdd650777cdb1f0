// `cairn admin`, as a process of its own on the server's machine.
import { describe, expect, it } from 'vitest';
import { hashToken } from '../packages/server/src/auth/token.ts';
import { openStore } from '../packages/server/src/store/store.ts';
import { findTokenHolder } from '../packages/server/src/store/token.ts';
import { OWNER, settingsOf, startProcess } from './support/server.ts';
import { ENGINES, testLocation } from './support/store.ts';

describe.each(ENGINES)('cairn admin on %s', (engine) => {
  it('creates accounts and tokens whether a server runs or not', async () => {
    const location = await testLocation(engine);
    const settings = settingsOf(location);
    const admin = async (args: string[], input = '') => {
      const cli = startProcess('node', ['packages/cli/bin/cairn.mjs', '--json', 'admin', ...args], settings);
      cli.child.stdin?.end(input);
      const { code } = await cli.ended();
      return { code, output: cli.output() };
    };
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
});
