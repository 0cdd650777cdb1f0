// `cairn component register|publish|registry|view|unregister`, against a real server.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openRepository } from '../../../../test/support/cli.ts';
import { smallManifest } from '../../../../test/support/manifest.ts';
import { testFolder } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';

function manifestFile(version: string): string {
  const file = join(testFolder(), 'manifest.json');
  writeFileSync(file, JSON.stringify({ ...smallManifest({ version }), colour: 'red' }));
  return file;
}

const flags = (version: string) => ['--org', 'ada', '--manifest', manifestFile(version)];

describe.each(UPPER_ENGINES)('cairn component on %s', (engine) => {
  it('registers, publishes, lists, shows and unregisters', async () => {
    const { run, json } = await openRepository(engine);
    const registered = await run(['component', 'register', 'small', ...flags('1.0.0')]);
    expect(registered).toMatchObject({ code: 0, stdout: expect.stringMatching(/^version +1\.0\.0$/m) });
    expect(registered.stderr).toContain('cairn component install ada/small');
    const published = await json('component', 'publish', 'small', ...flags('1.1.0'), '--public');
    expect(published).toMatchObject({
      version: '1.1.0',
      visibility: 'public',
      manifest: smallManifest({ version: '1.1.0' }),
    });
    expect(await json('component', 'registry')).toMatchObject({ items: [{ orgName: 'ada', name: 'small' }] });
    expect(await json('component', 'registry', '--q', 'SMALL')).toMatchObject({ items: [{ name: 'small' }] });
    expect(await json('component', 'registry', '--q', 'large')).toMatchObject({ items: [] });
    expect(await run(['component', 'registry', '--q', 'large'])).toMatchObject({
      stdout: '',
      stderr: 'There are none.\n',
    });
    expect((await run(['component', 'registry', '--org', 'ada'])).stdout).toMatch(/^ada\/small +1\.1\.0 +public/m);
    expect(await json('component', 'view', 'ada/small', '1.0.0')).toMatchObject({
      version: '1.0.0',
      latestVersion: '1.1.0',
    });
    const viewed = await run(['component', 'view', 'ada/small']);
    expect(viewed.stdout).toContain('"id": "com.acme.small"');
    expect((await run(['component', 'publish', 'small', ...flags('1.0.5')])).code).toBe(5);
    expect(await json('component', 'unregister', 'ada/small', '--yes')).toMatchObject({ name: 'small' });
    expect((await run(['component', 'view', 'ada/small'])).code).toBe(4);
  });

  it('sends no manifest that is not good', async () => {
    const { run } = await openRepository(engine);
    const refused = await run(['component', 'register', 'small', ...flags('one')]);
    expect(refused).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('manifest.json: component.version'),
    });
    expect((await run(['component', 'view', 'ada/small'])).code).toBe(4);
  });
});
