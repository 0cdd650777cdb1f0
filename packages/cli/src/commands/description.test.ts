// `cairn repo describe`, `stats` and `content` against a real server.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openRepository } from '../../../../test/support/cli.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';

async function openWorld(engine: (typeof UPPER_ENGINES)[number]) {
  const repository = await openRepository(engine);
  const fields = { x: 'number', 'label?': { type: 'string', maxLength: 9 } };
  const operations = [
    { kind: 'shape', name: 'Empty', data: { fields: {} } },
    { kind: 'shape', name: 'Location', data: { fields, description: 'A place' } },
    { name: 'Location/cave', data: { x: 1 } },
  ];
  await repository.json('commit', 'submit', '--ops', JSON.stringify(operations));
  return repository;
}

describe.each(UPPER_ENGINES)('cairn repo on %s', (engine) => {
  it('describes a repository', async () => {
    const { json, run, client } = await openWorld(engine);
    expect(await json('repo', 'describe')).toEqual(await client.repo.describe('ada', 'world'));
    expect(await json('repo', 'describe', 'ada/world', '--at', '0')).toMatchObject({ repoSeq: 0, shapes: [] });
    const { stdout } = await run(['repo', 'describe']);
    expect(stdout).toMatch(/^repository +ada\/world\nvisibility +private\n/);
    expect(stdout).toMatch(/^texts +none$/m);
    expect(stdout).toMatch(/\n\nEmpty \(0 records, version 1\)\n\n/);
    expect(stdout).toContain(
      '\n\nLocation (1 record, version 1): A place\n  label?  {"maxLength":9,"type":"string"}\n  x       number\n',
    );
  });

  it('counts what is in a repository', async () => {
    const { json, run, client } = await openWorld(engine);
    expect(await json('repo', 'stats')).toEqual(await client.repo.stats('ada', 'world'));
    expect(await json('repo', 'stats', '--at', '0')).toMatchObject({ repoSeq: 0, counts: { thing: 0 } });
    const { stdout } = await run(['repo', 'stats', 'ada/world']);
    expect(stdout).toMatch(/^thing +1$/m);
    expect(stdout).toMatch(/^lastCommitAt +\d{4}-/m);
    expect(stdout).toMatch(/\n\nname +count\n(.*\n)*Location +1\n$/);
  });

  it('keeps texts as they are, from a file or standard input', async () => {
    const { json, run, client } = await openWorld(engine);
    const none = await run(['repo', 'content', 'get', 'readme']);
    expect(none).toMatchObject({ code: 0, stdout: '\n', stderr: expect.stringContaining('content set readme --file') });
    const folder = mkdtempSync(join(tmpdir(), 'cairn-test-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'readme.md');
    const text = '# A world\n\nOf caves.\n';
    writeFileSync(file, text);
    const set = ['repo', 'content', 'set', 'readme', 'ada/world', '--file'];
    expect(await json(...set, file, '--expected-version', '0', '--message', 'What it is')).toEqual({
      name: 'readme',
      content: text,
      version: 1,
      repoSeq: 2,
    });
    expect(await run(['repo', 'content', 'get', 'readme'])).toEqual({ code: 0, stdout: text, stderr: '' });
    expect((await run([...set, file, '--expected-version', '0'])).code).toBe(5);
    const piped = await run(['repo', 'content', 'set', 'agents', '--file', '-'], 'Write beliefs.\n');
    expect(piped.stdout).toBe('name     agents\nversion  1\nrepoSeq  3\n');
    const agents = await client.repo.getContent('ada', 'world', 'agents');
    expect(agents.content).toBe('Write beliefs.\n');
    expect(await json('repo', 'content', 'get', 'agents')).toEqual(agents);
    expect(await json('repo', 'content', 'get', 'agents', 'ada/world', '--at', '2')).toMatchObject({ version: 0 });
    expect((await run(['repo', 'describe'])).stdout).toMatch(/^texts +readme, agents$/m);
  });
});
