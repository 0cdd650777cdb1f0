// `cairn component validate`, which needs no server.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cairn } from '../../../../test/support/cli.ts';
import { fullManifest, smallManifest } from '../../../../test/support/manifest.ts';
import { ROOT, testFolder } from '../../../../test/support/server.ts';

/** A folder with these files, as JSON. */
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
      expect(await validate(path)).toEqual({ code: 0, stdout: `${path} is a good manifest.\n`, stderr: '' });
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
