// `cairn org` against a real server.
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
    expect(stdout).toMatch(/^name {2}displayName {2}archived {2}createdAt\nacme {2}acme {9}false {5}\d{4}-.*Z\n$/);
    expect(stderr).toMatch(/^There are more: --cursor [\w-]+\n$/);
    const lines = await cairn(['--format', 'jsonl', 'org', 'list'], environment);
    expect(lines.stdout.trim().split('\n')).toHaveLength(2);
  });
});
