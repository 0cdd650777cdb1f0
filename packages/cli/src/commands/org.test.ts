import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import { cairn } from '../../../../test/support/cli.ts';
import { createOwnerToken, startTestServer } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';

describe.each(UPPER_ENGINES)('cairn org on %s', (engine) => {
  it(verifies('manages organizations', '4.6/orgs-cli'), async () => {
    const { url, store } = await startTestServer(engine);
    const environment = { CAIRN_URL: url, CAIRN_TOKEN: await createOwnerToken(store) };
    const org = async (...args: string[]) => {
      const { code, stdout, stderr } = await cairn(['--json', 'org', ...args], environment);
      expect([code, stderr]).toEqual([0, '']);
      return JSON.parse(stdout);
    };
    expect(await org('create', 'acme', '--description', 'Anvils')).toMatchObject({
      name: 'acme',
      description: 'Anvils',
      archived: false,
    });
    expect(await org('view', 'acme')).toMatchObject({ name: 'acme', displayName: 'acme' });
    expect(await org('update', 'acme', '--display-name', 'Acme, Inc.')).toMatchObject({
      displayName: 'Acme, Inc.',
      description: 'Anvils',
    });
    expect(await org('rename', 'acme', 'zenith')).toMatchObject({ name: 'zenith', displayName: 'Acme, Inc.' });
    expect(await org('archive', 'zenith', '--yes')).toMatchObject({ archived: true });
    expect(await org('unarchive', 'zenith')).toMatchObject({ archived: false });
    const first = await org('list', '--limit', '1');
    expect(first).toMatchObject({ items: [{ name: 'ada' }], nextCursor: expect.any(String) });
    expect(await org('list', '--cursor', first.nextCursor)).toMatchObject({ items: [{ name: 'zenith' }] });
    const taken = await cairn(['org', 'create', 'acme'], environment);
    expect(taken).toMatchObject({ code: 5, stderr: expect.stringContaining('held back until') });
    expect((await cairn(['org', 'view', 'acme'], environment)).code).toBe(4);
    expect((await cairn(['org', 'create', 'new'], { CAIRN_URL: url })).code).toBe(3);
  });

  it('lists for people as a table, and says how to see more', async () => {
    const { url, store } = await startTestServer(engine);
    const environment = { CAIRN_URL: url, CAIRN_TOKEN: await createOwnerToken(store) };
    await cairn(['org', 'create', 'acme'], environment);
    const { stdout, stderr } = await cairn(['org', 'list', '--limit', '1'], environment);
    expect(stdout).toMatch(
      /^name {2}displayName {2}archived {2}createdAt\nacme {2}acme {9}false {5}\d{4}-\d\d-\d\d \d\d:\d\d\n$/,
    );
    expect(stderr).toMatch(/^More results: --cursor [\w-]+\n$/);
    const lines = await cairn(['--format', 'jsonl', 'org', 'list'], environment);
    expect(lines.stdout.trim().split('\n')).toHaveLength(2);
  });
});

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
    expect(shown.stderr).toContain('shown only once');
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
