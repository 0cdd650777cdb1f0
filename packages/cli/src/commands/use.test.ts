import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openRepository, runCairn } from '../../../../test/support/cli.ts';
import { LIST_REPOSITORIES } from '../repo-choice.ts';

async function openServer(): Promise<Record<string, string>> {
  const { environment } = await openRepository('sqlite');
  const { CAIRN_REPO: _, ...rest } = environment;
  return rest;
}

function openFolder(environment: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const below = join(folder, 'a/b');
  mkdirSync(below, { recursive: true });
  const file = join(folder, '.cairn');
  const run = (args: string[], at = folder, more: Record<string, string> = {}) =>
    runCairn(args, { folder: at, environment: { ...environment, ...more } });
  return { folder, below, file, run };
}

describe('cairn use', () => {
  it('writes which repository is used, for this folder and those below', async () => {
    const { file, below, run } = openFolder(await openServer());
    expect(await run(['use', 'ada/world'])).toMatchObject({
      code: 0,
      stdout: `ada/world (from ${file})\n`,
      stderr: `Wrote ${file}.\n`,
    });
    expect(readFileSync(file, 'utf8')).toBe('ada/world\n');
    expect((await run(['repo', 'view', '--format', 'jsonl'], below)).stdout).toContain('"name":"world"');
    expect(JSON.parse((await run(['use', '--json'], below)).stdout)).toEqual({
      ...{ repo: 'ada/world', from: '.cairn', file },
    });
  });

  it('says that there is no such repository, and uses it all the same', async () => {
    const environment = await openServer();
    const { file, run } = openFolder(environment);
    const { CAIRN_URL, CAIRN_TOKEN: _, ...nobody } = environment;
    const none = `There is no repository ada/none at ${CAIRN_URL} that you can see.`;
    expect(await run(['use', 'ada/none'])).toEqual({
      code: 0,
      stdout: `ada/none (from ${file})\n`,
      stderr: `Wrote ${file}.\n${none} To create it: cairn repo create ada/none. ${LIST_REPOSITORIES}\n`,
    });
    expect(readFileSync(file, 'utf8')).toBe('ada/none\n');
    for (const quiet of ['--json', '--quiet']) expect((await run(['use', 'ada/none', quiet])).stderr).toBe('');
    const stranger = openFolder({ ...nobody, CAIRN_URL: CAIRN_URL ?? '' });
    expect((await stranger.run(['use', 'ada/world'])).stderr).toContain('You are not signed in');
    const away = openFolder({ CAIRN_URL: 'http://127.0.0.1:1' });
    expect((await away.run(['use', 'ada/world'])).stderr).toBe(`Wrote ${away.file}.\n`);
  });

  it('gives way to CAIRN_REPO, and both to --repo; the nearest file wins', async () => {
    const { below, run } = openFolder();
    await run(['use', 'ada/world']);
    await run(['use', 'ada/nearer', '--quiet'], below);
    const used = async (args: string[], more = {}) =>
      JSON.parse((await run(['use', '--json', ...args], below, more)).stdout);
    expect(await used([])).toMatchObject({ repo: 'ada/nearer', from: '.cairn' });
    expect(await used([], { CAIRN_REPO: 'ada/env' })).toEqual({ repo: 'ada/env', from: 'CAIRN_REPO' });
    expect(await used(['--repo', 'ada/flag'], { CAIRN_REPO: 'ada/env' })).toEqual({ repo: 'ada/flag', from: '--repo' });
  });

  it('shows that none is chosen, and clears the file of this folder alone', async () => {
    const { file, below, run } = openFolder();
    expect(JSON.parse((await run(['use', '--json'])).stdout)).toEqual({ repo: null, from: null });
    expect(await run(['use'])).toMatchObject({ code: 0, stderr: expect.stringContaining('cairn use ORG/REPO') });
    await run(['use', 'ada/world']);
    expect(await run(['use', '--clear'], below)).toMatchObject({
      stdout: `ada/world (from ${file})\n`,
      stderr: expect.stringContaining('There is no '),
    });
    expect(await run(['use', '--clear'])).toMatchObject({ code: 0, stdout: 'No repository is chosen.\n' });
    expect(await run(['use', '--clear', 'ada/world'])).toMatchObject({ code: 2 });
    expect(await run(['use', 'world'])).toMatchObject({ code: 2, stderr: expect.stringContaining('ORG/REPO') });
  });

  it('takes comments, and passes by folders of that name', async () => {
    const { folder, below, file, run } = openFolder();
    writeFileSync(file, '# what this project is about\r\n\r\nada/world\r\n');
    mkdirSync(join(folder, 'a/.cairn'));
    expect((await run(['use'], below)).stdout).toBe(`ada/world (from ${file})\n`);
    expect(await run(['use', 'ada/x'], join(folder, 'a'))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Cannot write'),
    });
  });

  it.each([
    ['an address', 'https://elsewhere.example/ada/world\n'],
    ['an address beside the name', 'ada/world\nhttps://elsewhere.example\n'],
    ['settings', '{"repo":"ada/world","url":"https://elsewhere.example"}\n'],
    ['nothing', ''],
  ])('refuses a file that holds %s', async (_, text) => {
    const { file, run } = openFolder();
    writeFileSync(file, text);
    expect(await run(['repo', 'view'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`${file} must contain one line, ORG/REPO, and nothing else.`),
    });
  });

  it('does not follow the file of another user', async () => {
    const environment = await openServer();
    const { folder, file, run } = openFolder(environment);
    await run(['use', 'ada/world']);
    // Files of root are followed by everyone, so the test needs another owner.
    if (process.getuid?.() === 0) chownSync(file, 12_345, 12_345);
    const { uid } = statSync(file);
    const asAnother = { folder, environment, userId: uid + 1 };
    expect(await runCairn(['repo', 'view'], asAnother)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('belongs to another user'),
    });
    expect(await runCairn(['repo', 'view', '--repo', 'ada/world'], asAnother)).toMatchObject({ code: 0 });
    expect(await runCairn(['repo', 'view'], { ...asAnother, userId: uid })).toMatchObject({ code: 0 });
  });
});
