import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cairn, openRepository } from '../../../../test/support/cli.ts';
import { fullManifest, smallManifest } from '../../../../test/support/manifest.ts';
import { ROOT, testFolder } from '../../../../test/support/server.ts';
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
      stderr: 'No results.\n',
    });
    expect((await run(['component', 'registry', '--org', 'ada'])).stdout).toMatch(/^ada\/small .* 1\.1\.0 +public/m);
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

function folderOf(files: Record<string, unknown>): string {
  const folder = join(testFolder(), 'component');
  mkdirSync(folder);
  for (const [name, json] of Object.entries(files)) writeFileSync(join(folder, name), JSON.stringify(json));
  return folder;
}

const validate = (path: string, ...flags: string[]) => cairn(['component', 'validate', path, ...flags]);

describe('cairn component validate', () => {
  it('finds nothing wrong with a good manifest, in one file or two', async () => {
    const { component, ...rest } = fullManifest();
    const both = folderOf({ 'component.json': { component }, 'manifest.json': rest });
    const one = folderOf({ 'all.json': fullManifest() });
    for (const path of [both, join(one, 'all.json'), join(ROOT, 'examples/component-word-count')]) {
      expect(await validate(path)).toEqual({ code: 0, stdout: `${path} is a valid manifest.\n`, stderr: '' });
    }
    const json = await validate(both, '--json');
    expect(JSON.parse(json.stdout)).toEqual({ valid: true, problems: [], warnings: [] });
  });

  it('names each problem with its file and its place, and ends with 1', async () => {
    const { component, ...rest } = fullManifest();
    rest.subscriptions[0].webhookUrl = 7;
    rest.cli.methods[0].method = 'FETCH';
    const folder = folderOf({ 'component.json': { component: { ...component, id: 'no' } }, 'manifest.json': rest });
    const { code, stdout, stderr } = await validate(folder);
    expect([code, stderr]).toEqual([1, '']);
    expect(stdout).toMatch(/^component.json: component.id: /m);
    expect(stdout).toMatch(/^manifest.json: subscriptions.0.webhookUrl: /m);
    expect(stdout).toMatch(/^manifest.json: cli.methods.0.method: /m);
    const json = JSON.parse((await validate(folder, '--json')).stdout);
    expect(json).toMatchObject({
      valid: false,
      problems: expect.arrayContaining([{ file: 'component.json', path: 'component.id', message: expect.any(String) }]),
    });
  });

  it('says where two files disagree', async () => {
    const { component } = smallManifest();
    const folder = folderOf({
      'component.json': { component },
      'manifest.json': { component: { ...component, version: '2.0.0' } },
    });
    const { code, stdout } = await validate(folder);
    expect([code, stdout]).toEqual([1, expect.stringMatching(/component\.json.*component.*manifest\.json/)]);
  });

  it('says what a folder or a file lacks', async () => {
    expect(await validate(folderOf({}))).toMatchObject({ code: 2, stderr: expect.stringContaining('neither') });
    expect(await validate('/none')).toMatchObject({ code: 2, stderr: expect.stringContaining('Cannot read /none') });
    const list = join(folderOf({ 'list.json': [] }), 'list.json');
    expect(await validate(list)).toMatchObject({ code: 2, stderr: expect.stringContaining('is not a manifest') });
  });
});
