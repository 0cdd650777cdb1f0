import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import { openRepository } from '../../../../test/support/cli.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';

const SECRET = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;

describe.each(UPPER_ENGINES)('cairn credential on %s', (engine) => {
  it(verifies('makes, fills, shows, revokes and deletes sets', '4.6/credentials-cli'), async () => {
    const { run, json } = await openRepository(engine);
    const made = await json('credential', 'create', 'hooks', '--description', 'For signals');
    expect(made).toMatchObject({
      orgName: 'ada',
      repoName: 'world',
      name: 'hooks',
      description: 'For signals',
      keys: [],
    });
    const set = await run(['credential', 'set', 'hooks', 'WEBHOOK_SIGNING_SECRET', '--json'], `${SECRET}\n`);
    expect(set).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(set.stdout)).toMatchObject({ keys: [{ key: 'WEBHOOK_SIGNING_SECRET' }] });
    const basic = ['credential', 'set', 'hooks', 'WEBHOOK_BASIC_USERNAME', 'WEBHOOK_BASIC_PASSWORD'];
    expect(await run(basic, 'ada\nnobody knows this\n')).toMatchObject({ code: 0, stderr: '' });
    await json('credential', 'unset', 'hooks', 'WEBHOOK_BASIC_USERNAME', '--yes');
    const shown = await Promise.all([
      run(['credential', 'view', 'hooks']),
      run(['credential', 'list']),
      run(['--json', 'credential', 'list', '--all']),
      run(['credential', 'audit', 'hooks']),
    ]);
    for (const { code, stdout } of shown) {
      expect([code, stdout]).toEqual([0, expect.stringContaining('WEBHOOK_SIGNING_SECRET')]);
      expect(stdout).not.toContain(SECRET.slice('whsec_'.length));
      expect(stdout).not.toContain('nobody knows');
    }
    expect(shown[1]?.stdout).toContain('WEBHOOK_BASIC_PASSWORD WEBHOOK_SIGNING_SECRET');
    const { items } = (await json('credential', 'audit', 'hooks')) as { items: { action: string }[] };
    expect(items.map(({ action }) => action)).toEqual(['unsetKey', 'setKeys', 'setKeys', 'create']);
    expect(await json('credential', 'revoke', 'hooks', '--yes')).toMatchObject({
      revokedAt: expect.any(Number),
      keys: [],
    });
    await json('credential', 'delete', 'hooks', '--yes');
    expect((await run(['credential', 'view', 'hooks'])).code).toBe(4);
  });

  it('manages what is the organization’s, whatever repository the environment names', async () => {
    const { json } = await openRepository(engine);
    const made = await json('credential', 'create', 'shared', '--org', 'ada');
    expect(made).toMatchObject({ orgName: 'ada', name: 'shared' });
    expect(made).not.toHaveProperty('repoName');
    expect(await json('credential', 'list')).toMatchObject({ items: [] });
    expect(await json('credential', 'list', '--org', 'ada')).toMatchObject({ items: [{ name: 'shared' }] });
  });

  it('says what is wrong with a value, and does not show it', async () => {
    const { run, json } = await openRepository(engine);
    await json('credential', 'create', 'hooks');
    const { code, stdout, stderr } = await run(['credential', 'set', 'hooks', 'WEBHOOK_SIGNING_SECRET'], 'too short');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('WEBHOOK_SIGNING_SECRET');
    expect(stderr).not.toContain('too short');
  });
});
