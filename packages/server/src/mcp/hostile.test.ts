// Hostile calls: bad values in every argument of every tool and in the params of every method. Each answer is a normal
// one or blames the caller.
import type { ToolRow } from '@cairn/protocol/row';
import { TOOL_NAMES, TOOLS, type ToolName } from '@cairn/protocol/tools';
import { describe, expect, it } from 'vitest';
import { mcpSender, PROTOCOLS } from '../../../../test/support/mcp.ts';
import { caller } from '../../../../test/support/procedure.ts';
import { createOwnerToken, createTestApp } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import { toolCaller } from '../../../../test/support/tool.ts';
import type { Engine } from '../engine/database.ts';

const HOUSE = { orgName: 'ada', repoName: 'house' };
const HALL = { ...HOUSE, wref: 'Room/hall' };

const GOOD: Readonly<Record<ToolName, object>> = {
  capabilities: {},
  repo_list: {},
  repo_describe: HOUSE,
  repo_create: { orgName: 'ada', name: 'other' },
  thing_query: { ...HOUSE, shape: 'Room' },
  thing_get: HALL,
  thing_about: HALL,
  thing_graph: HALL,
  thing_changes: { ...HOUSE, sinceRepoSeq: 0 },
  commit_log: HOUSE,
  shape_set: { ...HOUSE, name: 'Hut', fields: {} },
  commit_submit: { ...HOUSE, dryRun: true, operations: [{ name: 'Room/x', data: { label: 'x' } }] },
  content_set: { ...HOUSE, name: 'readme', content: 'x' },
  subscription_list: HOUSE,
  subscription_set: { ...HOUSE, action: 'create', name: 's', webhookUrl: 'https://a.example', filter: {} },
  action_runs: HOUSE,
  component_list: HOUSE,
  component_install: { ...HOUSE, component: 'acme/none' },
};

const NUL = 'Room/a\0b';
const LONE = 'Room/\ud800';
const BAD: readonly unknown[] = [NUL, 'x'.repeat(10_000), '', -1, 2 ** 53, null, [], [NUL], { [NUL]: NUL }];

function* nestedIn(bad: unknown): Generator<[ToolName, object]> {
  const room = { operation: 'add', name: 'Room/q', data: { label: 'x' } };
  for (const operation of [
    ...[
      bad,
      { ...room, name: bad },
      { ...room, data: bad },
      { ...room, data: { label: bad } },
      { ...room, about: bad },
    ],
    ...[
      { ...room, operation: bad },
      { ...room, kind: bad },
      { type: bad, members: ['Room/hall'] },
    ],
    ...[
      { type: 'set', members: [bad] },
      { type: 'set', name: bad, members: ['Room/hall'] },
    ],
    { operation: 'retract', name: 'Room/hall', reason: bad },
    { operation: 'rename', name: 'Room/hall', newName: bad },
    { operation: 'revise', name: 'Room/hall', data: { label: 'y' }, expectedVersion: bad },
  ])
    yield ['commit_submit', { ...HOUSE, dryRun: true, operations: [operation] }];
  for (const condition of [
    bad,
    { fieldPath: bad, op: 'eq', rhs: 1 },
    ...['eq', 'gt', 'prefix', 'in', 'exists'].map((op) => ({ fieldPath: 'label', op, rhs: op === 'in' ? [bad] : bad })),
  ])
    yield ['thing_query', { ...HOUSE, shape: 'Room', where: [condition] }];
  for (const field of [bad, { type: 'string', pattern: bad }, { type: 'string', enum: [bad] }, { type: bad }])
    yield ['shape_set', { ...HOUSE, name: 'Hut', fields: { x: field } }];
  for (const filter of [{ match: bad }, { shape: bad }, { name: [bad] }, { not: bad }])
    yield ['subscription_set', { ...GOOD.subscription_set, filter }];
}

async function prepare(engine: Engine) {
  const { app, store, logged } = await createTestApp(engine);
  const token = await createOwnerToken(store);
  const owner = caller(app, token);
  (await owner('repo.create', { orgName: 'ada', name: 'house', visibility: 'public' })).data();
  (await owner('shape.create', { ...HOUSE, name: 'Room', fields: { label: 'string' } })).data();
  (await owner('commit.submit', { ...HOUSE, operations: [{ name: 'Room/hall', data: { label: 'Hall' } }] })).data();
  return { app, token, faults: () => logged.filter(({ level }) => Number(level) >= 50) };
}

const METHODS: readonly [string, (bad: unknown) => Record<string, unknown>][] = [
  ['tools/list', (cursor) => ({ cursor })],
  ['tools/call', (bad) => ({ name: 'repo_list', arguments: bad })],
  ['resources/list', (cursor) => ({ cursor })],
  ['resources/templates/list', (cursor) => ({ cursor })],
  ['resources/read', (bad) => ({ uri: Array.isArray(bad) ? bad : `cairn://ada/house/${String(bad)}` })],
  ['prompts/list', (cursor) => ({ cursor })],
  ['prompts/get', (bad) => ({ name: 'how_to_write', arguments: { orgName: bad, repoName: bad } })],
  ['prompts/get', (bad) => ({ name: 'how_to_write', arguments: bad })],
  ['completion/complete', (bad) => ({ ref: bad, argument: { name: 'orgName', value: '' } })],
  ['completion/complete', (bad) => ({ ref: { type: 'ref/prompt', name: 'how_to_write' }, argument: bad })],
  [
    'completion/complete',
    (bad) => ({
      ref: { type: 'ref/prompt', name: 'how_to_write' },
      argument: { name: 'wref', value: bad },
      context: { arguments: HOUSE },
    }),
  ],
];

describe.each(UPPER_ENGINES)('hostile input on %s', (engine) => {
  it('is never a fault of the server, in any argument of any tool', async () => {
    const { app, token, faults } = await prepare(engine);
    const call = toolCaller(app, token);
    const spoiled = TOOL_NAMES.flatMap((tool) => {
      const { input }: ToolRow = TOOLS[tool];
      return Object.keys(input.shape).flatMap((name) =>
        BAD.map((bad): [ToolName, object] => [tool, { ...GOOD[tool], [name]: bad }]),
      );
    });
    for (const [tool, input] of [...spoiled, ...BAD.flatMap((bad) => [...nestedIn(bad)])]) {
      const { status, error } = await call(tool, input);
      const about = [tool, JSON.stringify(input).slice(0, 200)];
      expect([...about, status, error?.code === 'INTERNAL_ERROR']).toEqual([...about, 200, false]);
    }
    expect(faults()).toEqual([]);
  });

  it.each(PROTOCOLS)('is an error of the protocol in the params of its methods, in %s', async (protocol) => {
    const { app, token, faults } = await prepare(engine);
    for (const [method, paramsOf] of METHODS) {
      for (const bad of BAD) {
        const params = paramsOf(bad);
        const headers = String(params.uri).includes('\0') ? { 'mcp-name': '' } : {};
        const { status, body, error } = await mcpSender(app, { protocol, token, headers })(method, params);
        if (error?.code === -32_020) continue;
        const about = [method, JSON.stringify(bad).slice(0, 50)];
        const known = error === undefined || error.code === -32_602;
        expect([...about, status, known, body.length < 20_000]).toEqual([...about, 200, true, true]);
        expect(body).not.toMatch(/Invalid (?!params for )|Unrecognized|received/);
      }
    }
    expect(faults()).toEqual([]);
  });

  it('is refused at once where it is no text at all', async () => {
    const { app, token } = await prepare(engine);
    for (const protocol of PROTOCOLS) {
      const { status, error } = await toolCaller(app, token, { protocol })('thing_get', { ...HOUSE, wref: LONE });
      expect([status, error?.code]).toEqual([400, -32_700]);
    }
  });
});

describe('params that are of another form', () => {
  it.each(PROTOCOLS)('are told in words that say what was expected, in %s', async (protocol) => {
    const { app, token } = await prepare('sqlite');
    const send = mcpSender(app, { protocol, token });
    const cases: [string, Record<string, unknown>, string][] = [
      [
        'tools/call',
        { name: 'repo_list', arguments: 'x' },
        'arguments: expected an object, got a string. See tools/list.',
      ],
      [
        'tools/call',
        { name: 'repo_list', arguments: [] },
        'arguments: expected an object, got an array. See tools/list.',
      ],
      ['tools/call', {}, 'name: it is missing. See tools/list.'],
      ['resources/read', {}, 'uri: it is missing'],
      ['prompts/get', { name: 'x', arguments: { a: 1 } }, 'arguments.a: expected a string, got a number'],
      ['resources/list', { cursor: 5 }, 'cursor: expected a string, got a number'],
      [
        'completion/complete',
        { ref: { type: 'x' }, argument: { name: 'a', value: 'b' } },
        'expected one of ref/prompt, ref/resource',
      ],
    ];
    for (const [method, params, words] of cases) {
      const { status, error } = await send(method, params);
      expect([method, status, error?.code]).toEqual([method, 200, -32_602]);
      expect(error?.message).toContain(words);
    }
  });
});
