import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { cairn } from '../../../../test/support/cli.ts';
import { openExportedWorld } from '../../../../test/support/cli-world.ts';
import { PATIENCE_MS } from '../../../../test/support/patience.ts';
import { startProxy } from '../../../../test/support/proxy.ts';
import { exportText, withoutTime } from '../../../../test/support/sdk-world.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';

describe.each(UPPER_ENGINES)('cairn repo export on %s', (engine) => {
  it('writes what the server sends, into a file or onto standard output', async () => {
    const { run, json, file, part, read, whole } = await openExportedWorld(engine);
    expect(await json('repo', 'export', file)).toEqual({
      ...{ path: file, bytes: readFileSync(file).length, sinceRepoSeq: 0, atRepoSeq: 7, recordCount: 11 },
    });
    expect(read()).toBe(whole);
    expect(existsSync(part)).toBe(false);
    const { stdout, stderr, code } = await run(['repo', 'export', '-', '--quiet']);
    expect([code, stderr, withoutTime(stdout)]).toEqual([0, '', whole]);
    const increment = await run(['repo', 'export', '-', 'ada/world', '--since', '6', '--at', '7']);
    expect(increment.stdout.trim().split('\n')).toHaveLength(3);
  });

  it('replaces no file unasked', async () => {
    const { run, file, part, read, whole } = await openExportedWorld(engine);
    writeFileSync(file, 'mine');
    expect(await run(['repo', 'export', file])).toMatchObject({ code: 2, stderr: expect.stringContaining('--force') });
    expect(read()).toBe('mine');
    expect((await run(['repo', 'export', file, '--force'])).code).toBe(0);
    expect(read()).toBe(whole);
    rmSync(file);
    writeFileSync(part, '{"type":"hea');
    expect(await run(['repo', 'export', file])).toMatchObject({ code: 2, stderr: expect.stringContaining('--resume') });
    expect((await run(['repo', 'export', file, '--resume'])).code).toBe(0);
    expect(read()).toBe(whole);
  });

  it('goes on after each byte at which it may have been cut', async () => {
    const { run, client, file, part, read, whole } = await openExportedWorld(engine);
    const text = await exportText(client);
    // The export must not contain commits made meanwhile.
    await client.commit.submit('ada', 'world', { operations: [{ name: 'Room/new', data: {} }] });
    const bytes = Buffer.from(text);
    const lineEnds = [...bytes.keys()].filter((at) => bytes[at] === 0x0a);
    const header = lineEnds[0] ?? 0;
    for (const cut of lineEnds.slice(0, -1).flatMap((end) => [end - 1, end + 1, end + 40])) {
      writeFileSync(part, bytes.subarray(0, cut));
      expect(await run(['repo', 'export', file, '--resume', ...(cut < header ? ['--at', '7'] : [])])).toMatchObject({
        code: 0,
      });
      expect([cut, read()]).toEqual([cut, whole]);
      rmSync(file);
    }
    writeFileSync(part, bytes.subarray(0, -5));
    for (const flags of [
      ['--since', '3'],
      ['--at', '8'],
      ['--at', '8', '--async'],
    ]) {
      const refused = await run(['repo', 'export', file, '--resume', ...flags]);
      expect(refused).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`The interrupted export used ${flags[0]}`),
      });
    }
    writeFileSync(part, bytes);
    expect(JSON.parse((await run(['--json', 'repo', 'export', file, '--resume'])).stdout)).toMatchObject({
      recordCount: 11,
    });
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('goes on by itself over cuts, and says how when it was cut for good', async () => {
    const { run, environment, file, part, read, whole } = await openExportedWorld(engine);
    const often = await startProxy(environment.CAIRN_URL, {
      cutAfter: (nth) => (nth < 4 ? 2_000 + 900 * nth : undefined),
    });
    const through = (url: string) => cairn(['repo', 'export', file], { ...environment, CAIRN_URL: url });
    expect(await through(often.url)).toMatchObject({ code: 0, stderr: '' });
    expect(read()).toBe(whole);
    rmSync(file);
    const held = await startProxy(environment.CAIRN_URL, { cutAfter: () => 2_500, holds: true });
    const exporting = through(held.url);
    await vi.waitUntil(() => existsSync(part), PATIENCE_MS);
    held.stop();
    expect(await exporting).toMatchObject({
      code: 7,
      stderr: expect.stringContaining('run the same command again with --resume'),
    });
    expect(existsSync(file)).toBe(false);
    expect((await run(['repo', 'export', file, '--resume'])).code).toBe(0);
    expect(read()).toBe(whole);
  });

  it('leaves nothing of what is refused, and says what is wrong', async () => {
    const { run, file, part } = await openExportedWorld(engine);
    expect((await run(['repo', 'export', file, 'ada/none'])).code).toBe(4);
    const away = await run(['repo', 'export', file, '--url', 'http://127.0.0.1:1']);
    expect(away).toMatchObject({ code: 7, stderr: expect.not.stringContaining('--resume') });
    expect(await run(['repo', 'export', file, '--at', '99'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--at is 99'),
    });
    expect(existsSync(part)).toBe(false);
    writeFileSync(part, 'not an\nexport');
    expect((await run(['repo', 'export', file, '--resume'])).code).toBe(2);
    expect(readFileSync(part, 'utf8')).toBe('not an\nexport');
  });

  it('shows how far it is on a terminal, and nothing of it with --quiet', async () => {
    const { environment, file } = await openExportedWorld(engine);
    const shown = await cairn(['repo', 'export', file], environment, '', 100);
    expect(shown.stderr).toMatch(/Exporting .*\d+ rows/);
    expect(shown.stderr.endsWith('\r\u001B[K')).toBe(true);
    for (const flag of ['--quiet', '--json']) {
      const quiet = await cairn(['repo', 'export', file, '--force', flag], environment, '', 100);
      expect(quiet).toMatchObject({ code: 0, stderr: '' });
    }
  });
});

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
    expect(stdout).toMatch(/^name +description +state .* atRepoSeq\n/);
    expect(stdout).toMatch(/^monday .* complete .* 11 +7$/m);
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
