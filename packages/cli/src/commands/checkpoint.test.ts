// `cairn repo checkpoint`, and exports by jobs, against a real server.
import { existsSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cairn } from '../../../../test/support/cli.ts';
import { openExportedWorld } from '../../../../test/support/cli-world.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';

describe.each(UPPER_ENGINES)('cairn repo checkpoint on %s', (engine) => {
  it('makes, lists, downloads and deletes them', async () => {
    const { run, json, file, read, whole } = await openExportedWorld(engine);
    const made = await json('repo', 'checkpoint', 'create', 'monday', '--description', 'Before the move');
    expect(made).toMatchObject({ name: 'monday', description: 'Before the move', atRepoSeq: 7 });
    expect(await json('repo', 'checkpoint', 'create', 'early', 'ada/world', '--at', '2')).toMatchObject({
      atRepoSeq: 2,
    });
    expect((await run(['repo', 'checkpoint', 'create', 'monday'])).code).toBe(5);
    expect(await json('repo', 'checkpoint', 'get', 'monday', file)).toMatchObject({ path: file, recordCount: 11 });
    expect(read()).toBe(whole);
    expect(await run(['repo', 'checkpoint', 'get', 'monday', file])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--force'),
    });
    const { stdout } = await run(['repo', 'checkpoint', 'list']);
    expect(stdout).toMatch(/^name +atRepoSeq +state/);
    expect(stdout).toMatch(/^monday +7 +complete +11/m);
    expect(await json('repo', 'checkpoint', 'delete', 'monday', '--yes')).toMatchObject({ name: 'monday' });
    expect((await run(['repo', 'checkpoint', 'get', 'monday', file, '--force'])).code).toBe(4);
    expect(read()).toBe(whole);
  });
});

describe.each(UPPER_ENGINES)('cairn repo export --async on %s', (engine) => {
  it('downloads what the server built, and shows how far it is', async () => {
    const { json, environment, file, part, read, whole } = await openExportedWorld(engine);
    const shown = await cairn(['repo', 'export', file, '--async'], environment, '', 100);
    expect(shown.stdout).toMatch(/^contentSha256 +[0-9a-f]{64}$/m);
    expect(shown.stderr).toMatch(/Waiting|Building|Downloading/);
    expect(read()).toBe(whole);
    expect(await json('repo', 'export', file, '--async', '--force', '--since', '6')).toMatchObject({ recordCount: 1 });
    writeFileSync(part, '{"type":"hea');
    expect(await json('repo', 'export', `${file}.2`, '--async', '--resume')).toMatchObject({ recordCount: 11 });
    expect(existsSync(`${file}.2.part`)).toBe(false);
  });
});
