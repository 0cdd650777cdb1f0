// The examples of the command's help as one story on a real server: each as a shell parses it, and the data that it
// needs.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect } from 'vitest';
import { EXAMPLES } from '../../packages/cli/src/examples.ts';
import { CairnClient } from '../../packages/sdk/src/index.ts';
import { type CommandRun, runCairn } from './cli.ts';
import { smallManifest } from './manifest.ts';
import { createOwnerToken, startTestServer, testFolder } from './server.ts';

export interface Call {
  readonly path: string;
  readonly example: string;
  readonly args: readonly string[];
  readonly input: string;
}

const manifest = (version: string) => JSON.stringify(smallManifest({ name: 'word-count', version }));

const FILES: Readonly<Record<string, string>> = {
  'README.md': '# A world of caves\n',
  'sensor.json': '{"code":"string"}',
  'operations.jsonl': '{"name":"Location/inn","data":{"x":7}}\n',
  'more.jsonl': '{"name":"Location/well","data":{"x":8}}\n',
  'token.txt': 'a-token-of-some-length\n',
  'url.txt': 'https://hooks.example.com/secret\n',
  'password.txt': 'a password of some length\n',
  'word-count/component.json': manifest('1.0.0'),
  'word-count-2/component.json': manifest('1.1.0'),
};

/** The call that a shell would make for each example, in a folder with the files. */
export function callsIn(folder: string): Call[] {
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const examples = Object.entries(EXAMPLES).flatMap(([path, lines]) => lines.map((example) => ({ path, example })));
  const script = [
    'cairn() { printf "%s\\0" "$@" > "args.$n"; cat > "input.$n"; }',
    ...examples.map(({ example }, index) => `n=${index}\n${example}`),
  ].join('\n');
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: folder };
  execFileSync('bash', ['-c', script], { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] });
  return examples.map(({ path, example }, index) => ({
    path,
    example,
    args: readFileSync(join(folder, `args.${index}`), 'utf8')
      .split('\0')
      .slice(0, -1),
    input: readFileSync(join(folder, `input.${index}`), 'utf8'),
  }));
}

const SUBMISSION = '0b9f2d4e-3c55-4f6b-9d3e-0a6f3f1f2a11';

/** Reasons why some examples are not run here. */
const NOT_RUN: readonly (readonly [RegExp, string])[] = [
  [
    /^(serve|setup|admin)\b/,
    'works on the machine of the server; test/admin.test.ts and test/new-user.test.ts run these',
  ],
  [/^auth (?!whoami|status)/, 'works on profiles and sessions; auth-profile.test.ts and auth.test.ts run these'],
  [/^mcp/, 'needs a profile; mcp.test.ts runs it'],
];
const ENDLESS = /--live/;

/** Exit codes of examples that fail because the test world lacks their target. */
const CODES: Readonly<Record<string, number>> = {
  'cairn subscription test signals': 1,
  'cairn action attempts run_01jb7z4q0m8x2v5t6w7y9a1b3c': 4,
  'cairn action retry run_01jb7z4q0m8x2v5t6w7y9a1b3c': 4,
  'cairn action give-up run_01jb7z4q0m8x2v5t6w7y9a1b3c': 4,
  'cairn component exec acme/word-count count --text Text/readme': 2,
  'cairn word-count count --text Text/readme': 2,
};

export interface Story {
  readonly client: CairnClient;
  readonly calls: readonly Call[];
  readonly run: (call: Call, ...more: string[]) => Promise<CommandRun>;
  readonly codeOf: (call: Call) => number;
}

export async function openStory(): Promise<Story> {
  const folder = testFolder();
  const calls = callsIn(folder);
  const { url, store } = await startTestServer('sqlite');
  const environment = { CAIRN_URL: url, CAIRN_TOKEN: await createOwnerToken(store), CAIRN_REPO: 'acme/world' };
  await store.write.createAccount({ email: 'bob@example.com', handle: 'bob', passwordHash: '-', operator: false });
  const run = (args: readonly string[], input = '') =>
    runCairn(args, { environment, folder, stdin: Readable.from([Buffer.from(input)]) });
  for (const args of [
    ['org', 'create', 'acme'],
    ['repo', 'create', 'acme/world'],
    ['repo', 'create', 'acme/copy'],
    ['shape', 'create', 'Location', '--fields', '{"x":"number","label?":"string"}'],
    ['shape', 'create', 'Belief', '--fields', '{"safe":"boolean"}'],
    ['commit', 'submit', '--add', 'Location/cave', '--data', '{"x":3,"label":"The old cave"}'],
    ['commit', 'submit', '--add', 'Location/hut', '--data', '{"x":1}', '--submission-id', SUBMISSION],
  ]) {
    expect(await run(args)).toMatchObject({ code: 0 });
  }
  const made = new Set([...Object.keys(FILES), 'world.ndjson', 'monday.ndjson', 'refused.jsonl']);
  const inFolder = (word: string) => (made.has(word) || word.startsWith('./') ? join(folder, word) : word);
  return {
    client: new CairnClient({ url, token: environment.CAIRN_TOKEN }),
    calls: calls.filter(
      ({ path, example }) => !ENDLESS.test(example) && !NOT_RUN.some(([pattern]) => pattern.test(path)),
    ),
    run: ({ args, input }, ...more) => run([...args.map(inFolder), ...more], input),
    codeOf: ({ example }) => CODES[example] ?? 0,
  };
}
