import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import { cairn, openRepository } from '../../../../test/support/cli.ts';
import { createOwnerToken, startTestServer } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';

describe.each(UPPER_ENGINES)('cairn repo on %s', (engine) => {
  it(verifies('manages repositories', '4.6/repos-cli'), async () => {
    const { url, store } = await startTestServer(engine);
    const environment = { CAIRN_URL: url, CAIRN_TOKEN: await createOwnerToken(store) };
    for (const name of ['acme', 'other']) await cairn(['org', 'create', name], environment);
    const repo = async (...args: string[]) => {
      const { code, stdout, stderr } = await cairn(['--json', 'repo', ...args], environment);
      expect([code, stderr]).toEqual([0, '']);
      return JSON.parse(stdout);
    };
    expect(await repo('create', 'acme/world', '--public', '--description', 'A world')).toMatchObject({
      orgName: 'acme',
      name: 'world',
      description: 'A world',
      visibility: 'public',
    });
    const mistyped = await cairn(['repo', 'view', 'acme/wrold'], environment);
    expect(mistyped).toMatchObject({ code: 4, stderr: expect.stringContaining('Did you mean acme/world?') });
    const homeless = await cairn(['repo', 'create', 'nope/x'], environment);
    expect(homeless).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('To create it: cairn org create nope.'),
    });
    const dotted = await cairn(['repo', 'create', 'acme/.x'], environment);
    expect(await cairn(['repo', 'create', 'Ada/My Parts'], environment)).toMatchObject({
      code: 2,
      stderr:
        'Error: Ada/My Parts is not the name of a repository. Write it as ORG/REPO. ORG has a-z, 0-9 and -, REPO has A-Z, a-z, 0-9, ., _ and -. Did you mean ada/My-Parts?\n',
    });
    expect(dotted).toMatchObject({ code: 2, stderr: expect.stringContaining('no dot at the start. (VALIDATION') });
    expect(await repo('create', 'acme/moon')).toMatchObject({ visibility: 'private' });
    expect(await repo('create', 'acme/mars', '--private')).toMatchObject({ visibility: 'private' });
    expect(await repo('view', 'acme/world')).toMatchObject({ name: 'world', repoSeq: 0 });
    expect(await repo('update', 'acme/world', '--display-name', 'The World')).toMatchObject({
      displayName: 'The World',
      description: 'A world',
    });
    expect(await repo('rename', 'acme/world', 'earth')).toMatchObject({ name: 'earth' });
    expect(await repo('visibility', 'acme/earth', 'private')).toMatchObject({ visibility: 'private' });
    expect(await repo('configure', 'acme/earth', '--stream-submissions', 'on')).toMatchObject({
      features: { streamSubmissions: true },
    });
    expect(await repo('configure', 'acme/earth', '--stream-submissions', 'off')).toMatchObject({
      features: { streamSubmissions: false },
    });
    expect(await repo('archive', 'acme/earth')).toMatchObject({ archived: true });
    expect(await repo('unarchive', 'acme/earth')).toMatchObject({ archived: false });
    expect(await repo('transfer', 'acme/earth', 'other', '--yes')).toMatchObject({ orgName: 'other', name: 'earth' });
    expect(await repo('list')).toMatchObject({ items: [{ name: 'mars' }, { name: 'moon' }, { name: 'earth' }] });
    expect(await repo('list', 'acme', '--limit', '1')).toMatchObject({
      items: [{ name: 'mars' }],
      nextCursor: expect.any(String),
    });
    expect(await repo('delete', 'other/earth', '--yes')).toMatchObject({ name: 'earth', finalAt: expect.any(Number) });
    expect(await repo('list', 'other')).toEqual({ items: [] });
    expect(await repo('list', '--deleted')).toMatchObject({
      items: [{ name: 'earth', deletedAt: expect.any(Number) }],
    });
    expect(await repo('restore', 'other/earth')).toMatchObject({ name: 'earth' });
  });

  it('takes the repository from its argument, then --repo, then CAIRN_REPO, and deletes none unasked', async () => {
    const { url, store } = await startTestServer(engine);
    const environment = { CAIRN_URL: url, CAIRN_TOKEN: await createOwnerToken(store), CAIRN_REPO: 'ada/third' };
    for (const name of ['first', 'second', 'third']) await cairn(['repo', 'create', `ada/${name}`], environment);
    const viewed = async (...args: string[]) =>
      JSON.parse((await cairn(['--json', 'repo', 'view', ...args], environment)).stdout).name;
    expect(await viewed('ada/first', '--repo', 'ada/second')).toBe('first');
    expect(await viewed('--repo', 'ada/second')).toBe('second');
    expect(await viewed()).toBe('third');
    expect((await cairn(['repo', 'delete', '--yes'], environment)).code).toBe(2);
    expect((await cairn(['repo', 'delete', 'ada/first'], environment)).code).toBe(2);
    expect(await viewed('ada/first')).toBe('first');
    const archived = await cairn(['repo', 'archive'], environment);
    expect(archived.stdout).toMatch(/^archived +true$/m);
    const refused = await cairn(['repo', 'rename', 'ada/third', 'x'], environment);
    expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining('(ARCHIVED)') });
  });
});

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
