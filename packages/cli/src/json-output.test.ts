// `--json` prints the SDK's result: for every example that calls one procedure, and for reads compared with the SDK
// itself.
import { describe, expect, it, vi } from 'vitest';
import { openStory } from '../../../test/support/cli-story.ts';
import type { CairnClient } from '../../sdk/src/index.ts';

interface Answered {
  /** All requests: the name of a procedure, otherwise the path. */
  readonly procedures: string[];
  readonly results: unknown[];
}

async function listen<Result>(work: () => Promise<Result>): Promise<Answered & { result: Result }> {
  const original = globalThis.fetch;
  const answered: Answered = { procedures: [], results: [] };
  const spy = vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const response = await original(input, init);
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    if (!pathname.startsWith('/trpc/')) answered.procedures.push(pathname);
    else {
      const body = (await response.clone().json()) as
        | { result?: { data?: unknown } }
        | { result?: { data?: unknown } }[];
      answered.procedures.push(...pathname.replace('/trpc/', '').split(','));
      answered.results.push(...[body].flat().map(({ result }) => result?.data));
    }
    return response;
  });
  try {
    return { ...answered, result: await work() };
  } finally {
    spy.mockRestore();
  }
}

/** Commands that call one procedure but print something else, and the reason. */
const OTHERWISE: readonly (readonly [RegExp, string])[] = [
  [/^cairn repo import acme\/copy --abort/, 'the procedure answers nothing: the command says what it gave up'],
  [/^cairn repo export/, 'prints the export itself, or where it is'],
  [/^cairn auth status/, 'says what is used and why, which the server does not know'],
];

describe('--json', () => {
  it('is what the one procedure behind a command answered', async () => {
    const { calls, run, codeOf } = await openStory();
    const compared = new Set<string>();
    for (const call of calls.filter(({ args }) => !args.includes('--format'))) {
      const { procedures, results, result } = await listen(() => run(call, '--json'));
      const { code, stdout, stderr } = result;
      expect.soft({ example: call.example, code }).toEqual({ example: call.example, code: codeOf(call) });
      if (code !== 0 || procedures.length !== 1 || OTHERWISE.some(([pattern]) => pattern.test(call.example))) continue;
      expect.soft({ example: call.example, stderr, printed: JSON.parse(stdout) }).toEqual({
        ...{ example: call.example, stderr: '', printed: results[0] },
      });
      compared.add(procedures[0] ?? '');
    }
    expect(compared.size).toBeGreaterThan(75);
  });

  it('is what the SDK gives for the same', async () => {
    const { calls, run, client } = await openStory();
    const until = calls.findIndex(({ example }) => example.startsWith('cairn thing rename'));
    for (const call of calls.slice(0, until)) await run(call);
    for (const [args, ask] of READS) {
      const { stdout } = await run({ path: '', example: '', args, input: '' }, '--json');
      expect.soft({ args, printed: JSON.parse(stdout) }).toEqual({ args, printed: await ask(client) });
    }
  });
});

const repo = ['acme', 'world'] as const;

const READS: readonly (readonly [readonly string[], (client: CairnClient) => Promise<unknown>])[] = [
  [['auth', 'whoami'], (client) => client.auth.whoami()],
  [['org', 'list'], (client) => client.org.list()],
  [['org', 'view', 'acme'], (client) => client.org.get('acme')],
  [['org', 'members', 'acme'], (client) => client.org.listMembers('acme')],
  [['org', 'audit', 'acme', '--limit', '3'], (client) => client.audit.list('acme', { limit: 3 })],
  [['repo', 'list', 'acme'], (client) => client.repo.list({ orgName: 'acme' })],
  [['repo', 'view'], (client) => client.repo.get(...repo)],
  [['repo', 'describe'], (client) => client.repo.describe(...repo)],
  [['repo', 'stats', '--at', '3'], (client) => client.repo.stats(...repo, { atRepoSeq: 3 })],
  [['repo', 'content', 'get', 'readme'], (client) => client.repo.getContent(...repo, 'readme')],
  [['repo', 'roles'], (client) => client.repo.listRoles(...repo)],
  [['repo', 'checkpoint', 'list'], (client) => client.repo.checkpoints(...repo)],
  [['shape', 'list', '--include-retracted'], (client) => client.shape.list(...repo, { includeRetracted: true })],
  [['shape', 'view', 'Location'], (client) => client.shape.get(...repo, 'Location')],
  [['shape', 'history', 'Location'], (client) => client.shape.history(...repo, 'Location')],
  [['commit', 'log', '--limit', '2'], (client) => client.commit.log(...repo, { limit: 2 })],
  [['commit', 'log', '--at', '2'], (client) => client.commit.log(...repo, { atRepoSeq: 2 })],
  [['commit', 'get', '3'], (client) => client.commit.get(...repo, 3)],
  [['thing', 'head', '--shape', 'Location'], (client) => client.thing.head(...repo, { shape: 'Location' })],
  [['thing', 'query', '--q', 'old'], (client) => client.thing.query(...repo, { q: 'old' })],
  [['thing', 'search', 'old', 'cave'], (client) => client.thing.search(...repo, 'old cave')],
  [['thing', 'count', '--kind', 'thing'], (client) => client.thing.count(...repo, { kind: 'thing' })],
  [['thing', 'get', 'Location/cave'], (client) => client.thing.get(...repo, 'Location/cave')],
  [
    ['thing', 'get', 'Location/cave', 'Location/hut'],
    (client) => client.thing.getMany(...repo, ['Location/cave', 'Location/hut']),
  ],
  [['thing', 'history', 'Location/cave'], (client) => client.thing.history(...repo, 'Location/cave')],
  [['thing', 'names', 'Location/cave'], (client) => client.thing.names(...repo, 'Location/cave')],
  [['thing', 'about', 'Location/cave'], (client) => client.thing.about(...repo, 'Location/cave')],
  [['thing', 'refs', 'Location/cave'], (client) => client.thing.refs(...repo, 'Location/cave')],
  [['thing', 'graph', 'Location/cave'], (client) => client.thing.graph(...repo, 'Location/cave')],
  [['thing', 'changes', '--since', '2'], (client) => client.thing.changes(...repo, { sinceRepoSeq: 2 })],
  [
    ['thing', 'diff', 'Location/cave', '--since', '2'],
    (client) => client.thing.diff(...repo, 'Location/cave', { sinceRepoSeq: 2 }),
  ],
  [['assertion', 'list'], (client) => client.thing.head(...repo, { kind: 'assertion' })],
  [['collection', 'list'], (client) => client.thing.head(...repo, { kind: 'collection' })],
  [['subscription', 'list'], (client) => client.subscription.list(...repo)],
  [['credential', 'list', '--org', 'acme'], (client) => client.credential.list('acme', null)],
  [['action', 'runs'], (client) => client.action.runs(...repo)],
  [['action', 'notifications'], (client) => client.action.notifications(...repo)],
  [['component', 'registry'], (client) => client.component.registry()],
  [['component', 'list'], (client) => client.component.list(...repo)],
  [['token', 'list'], (client) => client.token.list()],
];
