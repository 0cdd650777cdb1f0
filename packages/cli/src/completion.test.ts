import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openRepository, runCairn } from '../../../test/support/cli.ts';
import { cairnFile, ROOT, testFolder } from '../../../test/support/server.ts';
import { INSTALLED, SCRIPTS, SHELLS, type Shell } from './commands/completion.ts';

async function offered(
  words: string[],
  environment: Record<string, string> = {},
  silenceMs = 60_000,
): Promise<string[]> {
  const retry = { silenceMs };
  const { code, stdout, stderr } = await runCairn(['__complete', ...words], { environment, retry });
  expect({ words, code, stderr }).toEqual({ words, code: 0, stderr: '' });
  return stdout.split('\n').flatMap((line) => (line === '' ? [] : [line.split('\t')[0] ?? '']));
}

describe('a completion', () => {
  it.each([
    ['nouns', ['th'], ['thing']],
    ['nouns by another name', ['su'], ['subscription', 'sub']],
    ['verbs', ['repo', 're'], ['rename', 'restore']],
    ['verbs below verbs', ['repo', 'checkpoint', ''], ['create', 'list', 'get', 'delete', 'help']],
    ['verbs of an alias', ['sub', 'lo'], ['log']],
    ['verbs after global flags', ['--repo', 'a/b', '--json', 'thing', 'li'], ['list']],
    ['flags', ['thing', 'list', '--ki'], ['--kind']],
    ['global flags', ['thing', 'list', '--pro'], ['--profile']],
    ['flags that were not given', ['thing', 'list', '--kind', 'thing', '--ki'], []],
    ['choices of flags', ['thing', 'list', '--kind', 'a'], ['assertion']],
    ['choices of global flags', ['--format', 'json'], ['json', 'jsonl']],
    ['choices of arguments', ['repo', 'visibility', 'a/b', ''], ['public', 'private']],
    ['arguments after flags', ['repo', 'content', 'get', '--at', '3', 'r'], ['readme']],
    ['shells', ['completion', 'z'], ['zsh']],
    ['files', ['commit', 'submit', '--file', 'x'], [':files']],
    ['files as arguments', ['repo', 'export', ''], [':files']],
    ['nothing where anything goes', ['commit', 'submit', '--message', ''], []],
    ['nothing for what is no command', ['frob', 'x', ''], []],
  ])('offers %s', async (_, words, names) => {
    expect(await offered(words)).toEqual(names);
  });

  it('offers names of the server', async () => {
    const { environment, client, json } = await openRepository('sqlite');
    await json('shape', 'create', 'Room', '--fields', '{}');
    const operations = ['Room/attic', 'Room/hall', 'Room/it"s;$(id)'].map((name) => ({ name, data: {} }));
    await client.commit.submit('ada', 'world', { operations, atomic: false });
    await json('repo', 'create', 'ada/other');
    await json('token', 'create', 'ci', '--scope', 'repo:read');
    for (const [words, names] of [
      [
        ['repo', 'view', ''],
        ['ada/other', 'ada/world'],
      ],
      [['repo', 'view', 'ada/w'], ['ada/world']],
      [
        ['--repo', ''],
        ['ada/other', 'ada/world'],
      ],
      [['org', 'view', ''], ['ada']],
      [['sub', 'list', '--org', ''], ['ada']],
      [['shape', 'view', ''], ['Room']],
      [['thing', 'list', '--shape', 'R'], ['Room']],
      [['thing', 'get', ''], ['Room/']],
      [
        ['thing', 'get', 'Room/'],
        ['Room/attic', 'Room/hall'],
      ],
      [['thing', 'get', 'Room/attic', 'Room/h'], ['Room/hall']],
      [['commit', 'submit', '--revise', 'Room/a'], ['Room/attic']],
      [['commit', 'submit', '--add', ''], ['Room/']],
      [['--repo', 'ada/other', 'thing', 'get', 'Room/'], []],
      [['token', 'view', ''], ['ci']],
    ] as const) {
      expect({ words, offered: await offered([...words], environment) }).toEqual({ words, offered: names });
    }
    expect(await offered(['thing', 'get', 'Room/'], { ...environment, CAIRN_TOKEN: 'stale' })).toEqual([]);
  });

  it('does not wait for a server that does not answer', async () => {
    expect(await offered(['repo', 'view', ''], { CAIRN_URL: 'http://127.0.0.1:1' })).toEqual([]);
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    onTestFinished(() => void silent.close());
    await new Promise((done) => silent.once('listening', done));
    const address = silent.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    expect(await offered(['repo', 'view', ''], { CAIRN_URL: `http://127.0.0.1:${port}` }, 50)).toEqual([]);
  });
});

const ASK: Readonly<Record<Shell, (script: string, line: string) => readonly string[]>> = {
  bash: (script, line) => [
    '--norc',
    '-c',
    `source '${script}'; COMP_LINE=$1; COMP_POINT=\${#COMP_LINE}; _cairn 2> /dev/null; printf '%s\\n' "\${COMPREPLY[@]}"`,
    'bash',
    line,
  ],
  // Stubs the completion system, which exists only at a prompt.
  zsh: (script, line) => [
    '-f',
    '-c',
    `compdef() { :; }; _files() { print -l -- *(N); }; compadd() { while [[ "$1" != "--" ]]; do shift; done; shift; print -l -- "$@"; }
source '${script}'; words=("\${(@s: :)1}"); CURRENT=\${#words}; _cairn`,
    'zsh',
    line,
  ],
  fish: (script, line) => ['--no-config', '-c', `source '${script}'; complete -C $argv[1]`, line],
};

const isThere = (shell: Shell) => {
  try {
    execFileSync(shell, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

/** Every machine that runs these tests has bash. The image of .ci/run has the others. */
const FOUND = SHELLS.filter((shell) => shell === 'bash' || isThere(shell));

describe.each(FOUND)('in %s, a completion', (shell) => {
  it('is put in its place by the line that the docs have, in a home that has no such folder', () => {
    const folder = testFolder();
    const cairn = join(folder, 'cairn');
    writeFileSync(cairn, '#!/bin/sh\necho "$@"\n');
    chmodSync(cairn, 0o755);
    const line = INSTALLED[shell];
    const env = { HOME: folder, PATH: `${folder}:/usr/local/bin:/usr/bin:/bin` };
    execFileSync(shell, ['-c', line], { env, cwd: folder });
    const [, file = ''] = /> ~\/(\S+)/.exec(line) ?? [];
    expect(readFileSync(join(folder, file), 'utf8')).toBe(`completion ${shell}\n`);
    expect(readFileSync(join(ROOT, 'docs/cli.md'), 'utf8')).toContain(line);
  });

  it('is what the command offers', async () => {
    const { environment, client, json } = await openRepository('sqlite');
    await json('shape', 'create', 'Room', '--fields', '{}');
    await client.commit.submit('ada', 'world', { operations: [{ name: 'Room/attic', data: {} }] });
    const folder = testFolder();
    const script = join(folder, 'completion');
    writeFileSync(script, (await runCairn(['completion', shell], {})).stdout);
    const cairn = join(folder, 'cairn');
    writeFileSync(cairn, `#!/bin/sh\nexec '${process.execPath}' '${cairnFile()}' "$@"\n`);
    chmodSync(cairn, 0o755);
    writeFileSync(join(folder, 'operations.jsonl'), '');
    const env = { ...environment, HOME: folder, PATH: `${folder}:/usr/local/bin:/usr/bin:/bin` };
    // Asynchronous, because the server runs in this process.
    const ask = async (line: string) => {
      const options = { env, cwd: folder, encoding: 'utf8' } as const;
      const { stdout } = await promisify(execFile)(shell, [...ASK[shell](script, line)], options);
      return stdout.split('\n').flatMap((found) => (found === '' ? [] : [found.split('\t')[0]]));
    };
    expect(await ask('cairn thi')).toEqual(['thing']);
    expect(await ask('cairn repo checkpoint cr')).toEqual(['create']);
    expect(await ask('cairn thing list --kind a')).toEqual(['assertion']);
    expect(await ask('cairn thing list --ki')).toEqual(['--kind']);
    expect(await ask('cairn thing get Room/')).toEqual(['Room/attic']);
    expect(await ask('cairn repo view ')).toEqual(['ada/world']);
    expect(await ask('cairn commit submit --file oper')).toContain('operations.jsonl');
    expect(await ask('cairn frob nonsense ')).toEqual([]);
  });
});

it('completes scopes in bash, which splits words at colons', () => {
  const asked = `${SCRIPTS.bash}
cairn() { printf '%s\\n' 'repo:read' 'repo:write'; }
COMP_LINE='cairn token create x --scope repo:r'; COMP_POINT=\${#COMP_LINE}; _cairn; printf '%s\\n' "\${COMPREPLY[@]}"`;
  expect(execFileSync('bash', ['--norc', '-c', asked], { encoding: 'utf8' })).toBe('read\nwrite\n');
});
