// Tests every argument of every tool in each of its variants: it reaches the procedure, or is refused by name.
import { describe, expect, it } from 'vitest';
import { CairnError } from './errors.ts';
import type { ToolRow } from './row.ts';
import { inputOf, type ToolWay, wayOf } from './tool-way.ts';
import { readArguments, TOOL_NAMES, TOOLS, type ToolName } from './tools.ts';

const GOOD: Readonly<Record<string, unknown>> = {
  acrossRepos: true,
  allowTraceReentry: false,
  atRepoSeq: 1,
  component: 'acme/tracker',
  count: true,
  credentials: true,
  credentialSet: 'keys',
  cursor: 'x',
  depth: 1,
  direction: 'in',
  event: 'repo.created',
  fallbackWebhookUrl: 'https://a.example',
  fields: ['x'],
  filter: {},
  history: true,
  includeRetracted: true,
  kind: 'thing',
  limit: 1,
  match: 'Room/**',
  name: 'watcher',
  newName: 'guard',
  notifications: true,
  order: 'name',
  orgName: 'acme',
  q: 'hall',
  refs: true,
  repoName: 'world',
  repoSeq: 1,
  resolveCollections: true,
  role: 'about',
  runId: `run_${'0'.repeat(26)}`,
  shape: 'Room',
  since: 0,
  sinceRepoSeq: 0,
  source: 'acme/other',
  status: 'succeeded',
  submissionId: '3f0c6f0a-7d0e-4f50-9a3d-6b9f0f1f2a33',
  subscription: 'watcher',
  update: true,
  webhookUrl: 'https://a.example',
  where: [],
  wref: 'Room/hall',
  wrefs: ['Room/hall'],
};

/** A dry run accepts every argument of these tools. */
const TAKES_ALL: readonly ToolName[] = ['commit_submit', 'component_install'];

interface Case {
  readonly tool: ToolName;
  readonly way: ToolWay;
  readonly name: string;
}

const CASES: readonly Case[] = TOOL_NAMES.filter((tool) => !TAKES_ALL.includes(tool)).flatMap((tool) => {
  const { ways = [], input }: ToolRow = TOOLS[tool];
  return ways.flatMap((way) => Object.keys(input.shape).map((name) => ({ tool, way, name })));
});

function argumentsOf({ tool, way, name }: Case): Record<string, unknown> {
  const { input }: ToolRow = TOOLS[tool];
  const needed = Object.keys(input.shape).filter(
    (one) => one in way.when || !input.shape[one]?.safeParse(undefined).success,
  );
  const addressed = tool === 'thing_get' && !('wrefs' in way.when) && name !== 'wrefs' ? ['wref'] : [];
  const given = Object.fromEntries([...needed, ...addressed, name].map((one) => [one, GOOD[one]]));
  const chosen = Object.entries(way.when).filter(([, value]) => value !== true);
  return { ...given, ...Object.fromEntries(chosen) };
}

function refusalOf(tool: ToolName, given: object): CairnError | undefined {
  try {
    readArguments(tool, given);
    return undefined;
  } catch (error) {
    if (error instanceof CairnError) return error;
    throw error;
  }
}

describe('arguments of tools that do several things', () => {
  it.each(CASES.map((one) => ({ ...one, when: Object.keys(one.way.when).join() || 'otherwise' })))(
    '$tool, $when: what is given beside $name is passed on, or refused by its name',
    (one) => {
      const { tool } = one;
      const given = argumentsOf(one);
      const { ways = [] }: ToolRow = TOOLS[tool];
      const way = wayOf(ways, given);
      const passedOn = { ...way.when, ...inputOf(way, given) };
      const useless = Object.keys(given).filter((name) => !(name in passedOn));
      const refusal = refusalOf(tool, given);
      if (useless.length === 0) expect(refusal).toBeUndefined();
      for (const name of useless) expect(refusal?.message).toMatch(new RegExp(`${name}: (not|only) with .+\\.`));
    },
  );

  it('may say no to what they do not want', () => {
    const address = { orgName: 'acme', repoName: 'world' };
    expect(readArguments('thing_get', { ...address, wref: 'Room/hall', history: false })).toMatchObject({
      history: false,
    });
    expect(() => readArguments('thing_graph', { ...address, wref: 'Room/hall', acrossRepos: false })).toThrow(
      'acrossRepos: only with refs',
    );
  });
});
