// `cairn org` and `cairn repo` on members and roles, against a real server.
import { describe, expect, it } from 'vitest';
import { cairn } from '../../../../test/support/cli.ts';
import { createOwnerToken, startTestServer } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';

describe.each(UPPER_ENGINES)('members by the command line on %s', (engine) => {
  it('are added, changed, listed and removed, and have roles in repositories', async () => {
    const { url, store } = await startTestServer(engine);
    const environment = { CAIRN_URL: url, CAIRN_TOKEN: await createOwnerToken(store) };
    const bob = { email: 'bob@example.com', handle: 'bob', passwordHash: '-', operator: false };
    await store.write.createAccount(bob);
    const run = async (...args: string[]) => {
      const { code, stdout, stderr } = await cairn(['--json', ...args], environment);
      expect([code, stderr]).toEqual([0, '']);
      return JSON.parse(stdout);
    };
    await run('org', 'create', 'acme');
    await run('repo', 'create', 'acme/world');
    expect(await run('org', 'add-member', 'acme', 'bob', 'viewer')).toMatchObject({ handle: 'bob', role: 'viewer' });
    expect(await run('org', 'set-role', 'acme', 'bob', 'editor')).toMatchObject({ role: 'editor' });
    const { items } = await run('org', 'members', 'acme');
    expect(items).toMatchObject([
      { handle: 'ada', role: 'owner' },
      { handle: 'bob', role: 'editor' },
    ]);
    expect(await run('repo', 'set-role', 'acme/world', 'bob', 'read')).toEqual({
      handle: 'bob',
      pending: false,
      role: 'read',
    });
    expect(await run('repo', 'roles', 'acme/world')).toMatchObject({ items: [{ handle: 'bob', role: 'read' }] });
    expect(await run('repo', 'set-role', 'acme/world', 'bob', 'none')).toEqual({
      handle: 'bob',
      pending: false,
      role: null,
    });
    await run('org', 'remove-member', 'acme', 'bob', '--yes');
    const wrong = await cairn(['org', 'add-member', 'acme', 'bob', 'king'], environment);
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('viewer, editor, admin, owner') });
    expect((await cairn(['org', 'remove-member', 'acme', 'ada', '--yes'], environment)).stderr).toContain(
      'at least one owner',
    );
  });

  it('are invited by email, with a link that is shown once', async () => {
    const { url, store } = await startTestServer(engine);
    const environment = { CAIRN_URL: url, CAIRN_TOKEN: await createOwnerToken(store) };
    const run = (...args: string[]) => cairn(['--json', ...args], environment);
    await run('org', 'create', 'acme');
    await run('repo', 'create', 'acme/world');
    const invited = await run('org', 'add-member', 'acme', 'Bob@Example.com', 'viewer');
    // With --json, standard error stays empty; the note is for people.
    expect([invited.code, invited.stderr]).toEqual([0, '']);
    const shown = await cairn(['org', 'add-member', 'acme', 'carol@example.com', 'viewer'], environment);
    expect(shown.stderr).toContain('shown only now');
    await run('org', 'remove-member', 'acme', 'carol@example.com', '--yes');
    expect(JSON.parse(invited.stdout)).toMatchObject({
      email: 'bob@example.com',
      pending: true,
      link: expect.stringContaining(`${url}/auth/invite?code=`),
    });
    const changed = await run('org', 'set-role', 'acme', 'bob@example.com', 'editor');
    expect(JSON.parse(changed.stdout)).toMatchObject({ role: 'editor' });
    expect(JSON.parse(changed.stdout).link).not.toBe(JSON.parse(invited.stdout).link);
    const listed = await cairn(['org', 'members', 'acme'], environment);
    expect(listed.stdout).toMatch(/^handle +email +role +createdAt +expiresAt\nada .*\n +bob@example.com +editor/);
    expect((await run('org', 'remove-member', 'acme', 'bob@example.com', '--yes')).code).toBe(0);
    expect((await run('org', 'remove-member', 'acme', 'bob@example.com', '--yes')).code).toBe(4);
    const toRepository = await run('repo', 'set-role', 'acme/world', 'bob@example.com', 'write');
    expect(JSON.parse(toRepository.stdout)).toMatchObject({ pending: true, role: 'write', link: expect.any(String) });
    expect(JSON.parse((await run('repo', 'roles', 'acme/world')).stdout).items).toMatchObject([{ pending: true }]);
  });
});
