import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cairn } from '../../../../test/support/cli.ts';
import { openExportedWorld } from '../../../../test/support/cli-world.ts';
import { startProxy } from '../../../../test/support/proxy.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';

describe.each(UPPER_ENGINES)('cairn repo import on %s', (engine) => {
  it('restores what was exported, from a file or from standard input', async () => {
    const { run, json, file } = await openExportedWorld(engine);
    for (const name of ['copy', 'second']) await json('repo', 'create', `ada/${name}`);
    await json('repo', 'export', file, '--at', '4');
    expect(await json('repo', 'import', file, 'ada/copy')).toMatchObject({ repoSeq: 4, recordCount: 10 });
    const increment = await run(['repo', 'export', '-', '--since', '4']);
    const applied = await run(['--json', 'repo', 'import', '-', 'ada/copy'], increment.stdout);
    expect(JSON.parse(applied.stdout)).toMatchObject({ repoSeq: 7 });
    expect(await run(['repo', 'import', file, '--repo', 'ada/second'])).toMatchObject({ code: 0, stderr: '' });
    const heads = async (name: string) =>
      (await json('thing', 'list', '--repo', name)) as { items: { name: string }[] };
    const names = async (name: string) => (await heads(name)).items.map((item) => item.name);
    expect(await names('ada/copy')).toEqual(await names('ada/world'));
  });

  it('goes on over cuts, and after one that was for good', async () => {
    const { json, environment, file } = await openExportedWorld(engine);
    await json('repo', 'create', 'ada/copy');
    await json('repo', 'export', file);
    const proxy = await startProxy(environment.CAIRN_URL, { cutAfter: (nth) => (nth === 0 ? 1_200 : 0) });
    const cut = await cairn(['repo', 'import', file, 'ada/copy'], { ...environment, CAIRN_URL: proxy.url });
    expect(cut).toMatchObject({ code: 7, stderr: expect.stringContaining('Run the same command again to resume') });
    expect(await json('repo', 'import', file, 'ada/copy')).toMatchObject({ repoSeq: 7, recordCount: 11 });
  });

  it('refuses what is no whole export before any of it is sent, and names wrong lines', async () => {
    const { run, json, file } = await openExportedWorld(engine);
    await json('repo', 'create', 'ada/copy');
    await json('repo', 'export', file);
    const lines = readFileSync(file, 'utf8').split('\n');
    writeFileSync(file, lines.slice(0, -2).join('\n'));
    const refused = await run(['repo', 'import', file, 'ada/copy']);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('is not a complete export') });
    writeFileSync(file, lines.with(5, (lines[5] ?? '').replace('"fields":{}', '"fields":{"x":"number"}')).join('\n'));
    const wrong = await run(['repo', 'import', file, 'ada/copy']);
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringMatching(/line 6/i) });
    expect(await json('repo', 'import', 'ada/copy', '--abort', '--yes')).toEqual({
      repository: 'ada/copy',
      aborted: true,
    });
    writeFileSync(file, lines.join('\n'));
    expect(await json('repo', 'import', file, 'ada/copy')).toMatchObject({ recordCount: 11 });
    expect((await run(['repo', 'import', file, 'ada/world'])).code).toBe(5);
    expect(await run(['repo', 'import', file, 'ada/none'])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('first create it: cairn repo create ada/none.'),
    });
  });

  it('shows how far it is on a terminal, and nothing of it with --quiet', async () => {
    const { json, environment, file } = await openExportedWorld(engine);
    await json('repo', 'create', 'ada/copy');
    await json('repo', 'export', file);
    const shown = await cairn(['repo', 'import', file, 'ada/copy'], environment, '', 100);
    expect(shown.stderr).toMatch(/Sending .* %/);
    expect(shown.stdout).toMatch(/^recordCount +11$/m);
    await json('repo', 'create', 'ada/second');
    const quiet = await cairn(['repo', 'import', file, 'ada/second', '--quiet'], environment, '', 100);
    expect(quiet).toMatchObject({ code: 0, stderr: '' });
  });
});
