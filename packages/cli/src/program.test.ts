import { describe, expect, it } from 'vitest';
import { cairn, openRepository } from '../../../test/support/cli.ts';
import { createOwnerToken, startTestServer } from '../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../test/support/store.ts';

describe.each(UPPER_ENGINES)('commands on %s', (engine) => {
  it('print data on standard output, in the format that is asked for', async () => {
    const { url, store } = await startTestServer(engine);
    const environment = { CAIRN_URL: url, CAIRN_TOKEN: await createOwnerToken(store), CAIRN_REPO: 'ada/world' };
    await store.write.createRepository({ orgName: 'ada', name: 'world', description: '', visibility: 'private' });
    const json = await cairn(['repo', 'view', '--json'], environment);
    expect(json).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(json.stdout)).toMatchObject({ orgName: 'ada', name: 'world', repoSeq: 0 });
    const line = await cairn(['--format', 'jsonl', 'repo', 'view'], environment);
    expect(line.stdout.trim().split('\n')).toHaveLength(1);
    const pretty = await cairn(['auth', 'whoami'], environment);
    expect(pretty.stdout).toMatch(/^kind +token$/m);
    expect((await cairn(['doctor', '--json'], environment)).stdout).toContain(`"engine": "${engine}"`);
  });

  it('end with a code that tells a script what happened', async () => {
    const { url } = await startTestServer(engine);
    const environment = { CAIRN_URL: url };
    expect(await cairn(['repo', 'view', '--repo', 'no/repo'], environment)).toMatchObject({
      code: 4,
      stdout: '',
      stderr: expect.stringContaining('(NOT_FOUND)'),
    });
    expect((await cairn(['auth', 'whoami'], { ...environment, CAIRN_TOKEN: 'stale' })).code).toBe(3);
    const json = await cairn(['--json', 'repo', 'view', '--repo', 'no/repo'], environment);
    expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: 'NOT_FOUND' } });
  });
});

describe('wrong usage', () => {
  it.each([
    [['frob'], "nknown command 'frob'"],
    [['repo', 'view'], 'No repository is given.'],
    [['repo', 'view', '--repo', 'a/b/c'], 'a/b/c is not the name of a repository.'],
    [['repo', 'create', 'world'], 'world is not the name of a repository. Write it as ORG/REPO.'],
    [['repo', 'create', 'a/b', '--public', '--private'], "ption '--private' cannot be used with option '--public'"],
    [['repo', 'update', 'a/b'], 'Nothing to change. Give --display-name, --description or both.'],
    [['repo', 'visibility', 'a/b', 'secret'], 'Allowed choices are public, private. See cairn repo visibility --help.'],
    [['repo', 'configure', 'a/b'], '--stream-submissions'],
    [['repo', 'configure', 'a/b', '--stream-submissions', 'maybe'], 'Allowed choices are on, off.'],
    [['repo', 'delete', 'a/b'], 'This deletes a/b with everything in it. To confirm, add --yes.'],
    [['org', 'list', '--limit', 'many'], 'Write a whole number.'],
    [['org', 'update', 'a'], 'Nothing to change. Give --display-name, --description or both.'],
    [['auth', 'whoami', '--url', 'nonsense'], 'nonsense is not a URL. Write it as http://localhost:8787.'],
    [['auth', 'whoami', '--url', 'localhost:9417'], 'Write it as http://localhost:9417.'],
    [['auth', 'whoami', '--url', 'cairn.example.com/below'], 'Write it as http://cairn.example.com/below.'],
    [['auth', 'whoami', '--url', '[::1]:9417'], 'Write it as http://[::1]:9417.'],
    [['commit', 'submit'], 'Give operations with one of --ops, --file, '],
    [['commit', 'submit', '--add', 'A/a'], 'Give the data of the record: --data JSON, or --data @FILE.'],
    [['commit', 'submit', '--rename', 'A/a'], 'Give the new name of the record: --new-name NAME.'],
    [['commit', 'submit', '--rename', 'A/a', '--data', '{}'], '--data goes with --add or --revise, not with --rename.'],
    [['commit', 'submit', '--ops', '[]', '--about', 'A/a'], '--about goes with --add, not with --ops.'],
    [
      ['commit', 'submit', '--retract', 'A/a', '--new-name', 'A/b'],
      '--new-name goes with --rename, not with --retract.',
    ],
    [
      ['commit', 'submit', '--add', 'A/a', '--expected-version', '1'],
      '--expected-version goes with --revise or --retract or --rename, not with --add.',
    ],
    [['assertion', 'add', 'A/a', '--data', '{}'], "equired option '--about <wref>' not specified. See cairn "],
    [['assertion', 'add', 'A/a', '--about', 'A/b'], 'Give either --data or --file.'],
    [['assertion', 'revise', 'A/a', '--data', '{'], '--data: '],
    [['collection', 'add', '--member', 'A/a'], "equired option '--type <type>' not specified. See cairn "],
    [['collection', 'add', '--type', 'heap'], 'Allowed choices are arc, bond, set, list, pair.'],
    [['collection', 'add', '--type', 'set'], 'Name the members: --member WREF'],
    [['collection', 'revise', 'Set/s'], 'Name the members: --member WREF'],
    [['thing', 'head', '--kind', 'fact'], 'Allowed choices are thing, assertion, shape, collection.'],
    [['thing', 'head', '--order', 'oldest'], 'Allowed choices are created, -created, updated, -updated, name.'],
    [['thing', 'head', '--all', '--limit', '9'], "'--all' cannot be used with option '--limit <count>'"],
    [['thing', 'head', '--at', 'now'], 'Write a whole number.'],
    [['thing', 'query', '--count', '--all'], "'--count' cannot be used with option '--all'"],
    [['thing', 'query', '--role', 'field'], 'Allowed choices are from, to, ends, members, items.'],
    [['thing', 'about'], "issing required argument 'wref'"],
    [['thing', 'search'], "issing required argument 'words'"],
    [['thing', 'refs', 'A/a', '--direction', 'up'], 'Allowed choices are in, out, both.'],
    [['thing', 'changes'], "equired option '--since <repo-seq>' not specified. See cairn "],
    [['thing', 'diff', 'A/a', '--since', 'then'], 'Write a whole number.'],
    [['repo', 'content', 'get', 'licence', 'a/b'], 'Allowed choices are readme, agents.'],
    [['repo', 'content', 'set', 'readme', 'a/b'], "equired option '--file <path>' not specified. See cairn "],
    [['repo', 'content', 'set', 'readme', 'a/b', '--file', '/none'], 'Cannot read /none: '],
    [['repo', 'export'], "issing required argument 'file'"],
    [['repo', 'export', '-', 'a/b', '--async'], '--async needs a file'],
    [['repo', 'export', '-', 'a/b', '--resume'], '--resume needs a file'],
    [['repo', 'export', 'f', 'a/b', '--resume', '--force'], "ption '--force' cannot be used with option '--resume'"],
    [['repo', 'export', 'f', 'a/b', '--since', 'then'], 'Write a whole number.'],
    [['repo', 'import', '--repo', 'a/b'], 'Name the export to import: a file, or - for standard input.'],
    [['repo', 'import', '/none', 'a/b'], 'Cannot read /none: '],
    [['repo', 'export', '/none/x', 'a/b'], 'There is no folder /none. '],
    [['repo', 'checkpoint', 'get', 'x', '/none/x', 'a/b'], 'There is no folder /none. '],
    [['repo', 'import', 'f', 'a/b', '--abort', '--yes'], '--abort takes no file'],
    [['repo', 'checkpoint', 'get', 'monday', '--repo', 'a/b'], "issing required argument 'file'"],
    [['thing', 'rename', 'A/a'], "issing required argument 'new-name'"],
    [['subscription', 'list'], 'No repository is given.'],
    [['sub', 'list', '--org', 'a', '--repo', 'a/b'], 'Give either --org or --repo.'],
    [['sub', 'create', 'x', '--org', 'a'], "equired option '--webhook-url <url>' not specified. See cairn "],
    [['sub', 'create', 'x', '--org', 'a', '--webhook-url', 'u'], "--filter '{}' matches every operation."],
    [
      ['sub', 'create', 'x', '--org', 'a', '--webhook-url', 'u', '--event', 'repo.created', '--shape', 'A'],
      'Give either --filter, or --event, or flags such as --shape and --operation.',
    ],
    [['sub', 'create', 'x', '--operation', 'burn'], 'Allowed choices are add, revise, retract, rename.'],
    [['sub', 'create', 'x', '--org', 'a', '--webhook-url', 'u', '--filter', '{'], '--filter: '],
    [['sub', 'create', 'x', '--event', 'repo.burnt'], 'Allowed choices are thing.renamed, shape.renamed, repo.renamed'],
    [['sub', 'create', 'x', '--org', 'a', '--shape', 'A', '--webhook-url', '-'], 'The webhook URL is empty.'],
    [
      ['sub', 'update', 'x', '--org', 'a', '--webhook-url', '-', '--fallback-webhook-url', '-'],
      'Only one value can come from standard input.',
    ],
    [['sub', 'update', 'x', '--org', 'a'], 'Nothing to change.'],
    [['sub', 'bind', 'x'], "issing required argument 'credential-set'"],
    [['sub', 'log', 'x', '--live', '--cursor', 'y'], 'cannot be combined with --cursor'],
    [['action', 'runs', '--status', 'lost'], 'Allowed choices are pending, running, processing, retry_wait'],
    [['action', 'runs', '--after', 'lunch'], 'lunch is not a time. Write 2h for two hours ago, or 2026-01-31T12:00Z.'],
    [['action', 'attempts'], "issing required argument 'run-id'"],
    [['credential', 'set', 'x', '--org', 'a'], "issing required argument 'key'"],
    [['credential', 'set', 'x', 'KEY=value', '--org', 'a'], 'Give only the names of the keys.'],
    [['credential', 'set', 'x', 'KEY', '--org', 'a'], 'The value of KEY is empty.'],
    [['credential', 'set', 'x', 'A', 'B', '--org', 'a'], 'Give 2 lines on standard input: the values of A, B'],
    [['component', 'register', 'x', '--org', 'a'], "equired option '--manifest <path>' not specified. See cairn "],
    [['component', 'register', 'x', '--minted-tokens', 'all'], 'Write setup, runtime or both with a comma.'],
    [
      ['component', 'publish', 'x', '--org', 'a', '--manifest', 'm', '--public', '--private'],
      "ption '--public' cannot be used with option '--private'",
    ],
    [['component', 'view', 'x'], 'x is not the name of a component. Write it as ORG/NAME.'],
    [['component', 'install', 'x', '--repo', 'a/b'], 'x is not the name of a component. Write it as ORG/NAME.'],
    [
      ['component', 'teardown', 'x', '--repo', 'a/b', '--yes'],
      'x is not the name of a component. Write it as ORG/NAME.',
    ],
    [['component', 'list'], 'No repository is given.'],
    [['component', 'exec'], 'Name the component, as ORG/NAME or NAME, and the method.'],
    [['--format', 'xml', 'doctor'], 'Allowed choices are pretty, json, jsonl'],
    [['admin', 'create-user', '--email', 'a@b.c'], '--password-stdin'],
    [['admin', 'create-token', '--email', 'a@b.c', '--name', 'n', '--scope', 'x'], 'x is not a scope.'],
  ])('%j ends with 2 and says what is right', async (args, message) => {
    expect(await cairn(args)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
  });

  it('of a server that is not there ends with 7', async () => {
    expect(await cairn(['org', 'list'], { CAIRN_URL: 'http://127.0.0.1:1' })).toMatchObject({ code: 7, stdout: '' });
  });

  it.each([
    [['thign', 'list'], "Unknown command 'thign'. Did you mean thing? See cairn --help."],
    [['records', 'list'], 'Did you mean thing?'],
    [['frob'], "Unknown command 'frob'. See cairn --help."],
    [['thing', 'frob'], "Unknown command 'frob'."],
  ])('%j is wrong whether the server is there or not', async (args, message) => {
    const environment = { CAIRN_URL: 'http://127.0.0.1:1', CAIRN_REPO: 'a/b' };
    expect(await cairn(args, environment)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });

  it('of a word that may be a component says why it was not looked for', async () => {
    const environment = { CAIRN_URL: 'http://127.0.0.1:1', CAIRN_REPO: 'a/b' };
    const { code, stderr } = await cairn(['frob', 'count'], environment);
    expect([code, stderr]).toEqual([7, expect.stringMatching(/^Error: Unknown command 'frob'\. .* component of a\/b/)]);
  });

  it('help and version end with 0', async () => {
    expect(await cairn(['--help'])).toMatchObject({ code: 0, stdout: expect.stringContaining('Usage: cairn') });
    const exec = await cairn(['component', 'exec', '--help']);
    expect(exec).toMatchObject({ code: 0, stdout: expect.stringContaining('--arg NAME=VALUE') });
    expect(await cairn(['--version'])).toMatchObject({ code: 0, stdout: '0.1.0\n' });
  });
});

it('what is shown by view is shown by get, and the other way round', async () => {
  const { json, client, run } = await openRepository('sqlite');
  await json('shape', 'create', 'Part', '--fields', '{}');
  await json('commit', 'submit', '--add', 'Part/a', '--data', '{}');
  await client.token.create('reader', { scopes: [{ permissions: ['repo:read'] }] });
  await client.credential.create('ada', 'world', 'keys');
  const webhook = ['--webhook-url', 'https://example.com/hook'];
  await json('subscription', 'create', 'parts', '--shape', 'Part', ...webhook);
  for (const [noun, ...args] of [
    ['org', 'ada'],
    ['repo', 'ada/world'],
    ['shape', 'Part'],
    ['thing', 'Part/a'],
    ['commit', '1'],
    ['token', 'reader'],
    ['credential', 'keys'],
    ['subscription', 'parts'],
  ] as const) {
    expect.soft(await json(noun, 'get', ...args)).toEqual(await json(noun, 'view', ...args));
  }
  expect((await run(['component', 'view', 'none'])).stderr).toContain('ORG/NAME');
});
