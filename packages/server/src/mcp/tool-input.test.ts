// Bad input of tools: each is refused in words that a model can act on, and nothing is done.
import { TOOL_NAMES } from '@cairn/protocol/tools';
import { describe, expect, it } from 'vitest';
import { caller } from '../../../../test/support/procedure.ts';
import { createOwnerToken, createTestApp } from '../../../../test/support/server.ts';
import { toolCaller } from '../../../../test/support/tool.ts';

const HOUSE = { orgName: 'ada', repoName: 'house' };

async function prepare() {
  const { app, store, logged } = await createTestApp('sqlite');
  const token = await createOwnerToken(store);
  const owner = caller(app, token);
  await owner('repo.create', { orgName: 'ada', name: 'house', visibility: 'public' });
  await owner('shape.create', { ...HOUSE, name: 'Room', fields: { label: 'string', 'floor?': 'number' } });
  return { app, token, store, logged, owner, call: toolCaller(app, token), nobody: toolCaller(app) };
}

const WRONG: readonly [string, object, RegExp][] = [
  ['thing_query', { ...HOUSE, shapes: 'Room' }, /unknown field "shapes"; did you mean shape\?/],
  [
    'thing_query',
    { ...HOUSE, colour: 'red' },
    /unknown field "colour"; the known fields are orgName, repoName, shape, /,
  ],
  ['thing_query', { ...HOUSE, limit: 'many' }, /limit: expected a number, got a string/],
  ['thing_query', { ...HOUSE, limit: 1.5 }, /limit: expected a whole number/],
  ['thing_query', { ...HOUSE, includeRetracted: 'yes' }, /includeRetracted: expected true or false, got a string/],
  ['thing_query', { ...HOUSE, shape: 'Room', where: 'floor:eq:1' }, /where: expected an array, got a string/],
  ['thing_query', { ...HOUSE, limit: 501 }, /limit: /],
  ['thing_query', { ...HOUSE, order: 'size' }, /order: expected one of "/],
  ['thing_query', { ...HOUSE, cursor: 'nonsense' }, /cursor/],
  [
    'thing_query',
    { ...HOUSE, shape: 'Room', where: [{ fieldPath: 'floor', op: 'like', rhs: 1 }] },
    /where.0: expected .*fieldPath.* eq, ne/,
  ],
  ['thing_query', { ...HOUSE, where: [{ fieldPath: 'floor', op: 'eq', rhs: 1 }] }, /shape/],
  ['thing_query', { repoName: 'house' }, /orgName: it is missing/],
  ['thing_query', { ...HOUSE, orgName: 'A B' }, /orgName: expected an organization name/],
  ['thing_query', { ...HOUSE, atRepoSeq: 99 }, /99/],
  ['thing_get', HOUSE, /give wref or wrefs/],
  ['thing_get', { ...HOUSE, wref: 'Room/a', wrefs: ['Room/a'] }, /wref: not with wrefs/],
  [
    'thing_get',
    { ...HOUSE, wrefs: ['Room/a'], history: true },
    /history: not with wrefs.* With wrefs you can give atRepoSeq, includeRetracted\./,
  ],
  ['thing_get', { ...HOUSE, wref: 'x'.repeat(2_000) }, /wref: /],
  ['thing_get', { ...HOUSE, wref: 'Room/../a' }, /Room/],
  ['thing_graph', { ...HOUSE, wref: 'Room', role: 'about' }, /role: only with refs/],
  ['thing_graph', { ...HOUSE, wref: 'Room', depth: 9 }, /depth: /],
  ['thing_graph', { ...HOUSE, wref: 'Room', refs: true, depth: 2 }, /depth: not with refs/],
  ['thing_graph', { ...HOUSE, wref: 'Room', refs: false, cursor: 'x' }, /cursor: only with refs/],
  ['thing_query', { ...HOUSE, count: true, limit: 1 }, /limit: not with count/],
  ['thing_about', { ...HOUSE, wref: 'Room/a', count: true, order: 'name' }, /order: not with count/],
  [
    'thing_get',
    { ...HOUSE, wref: 'Room/a', limit: 5, cursor: 'x' },
    /limit: only with history; cursor: only with history/,
  ],
  [
    'thing_get',
    { ...HOUSE, wref: 'Room/a', history: true, includeRetracted: true },
    /includeRetracted: not with history/,
  ],
  [
    'thing_changes',
    { ...HOUSE, sinceRepoSeq: 0, wref: 'Room/a', limit: 5 },
    /limit: not with wref.* With wref you can give .*atRepoSeq/,
  ],
  [
    'commit_log',
    { ...HOUSE, repoSeq: 1, submissionId: '3f0c6f0a-7d0e-4f50-9a3d-6b9f0f1f2a33' },
    /repoSeq: not with submissionId/,
  ],
  ['commit_log', { ...HOUSE, repoSeq: 1, limit: 5 }, /limit: not with repoSeq. With repoSeq you can give nothing else/],
  ['subscription_list', { ...HOUSE, name: 'a', credentials: true }, /name: not with credentials/],
  ['action_runs', { ...HOUSE, notifications: true, status: 'succeeded' }, /status: not with notifications/],
  ['component_list', { component: 'acme/tracker', orgName: 'acme' }, /orgName: not with component/],
  ['component_list', { ...HOUSE, component: 'acme/tracker', limit: 5 }, /limit: not with repoName and component/],
  ['thing_changes', HOUSE, /sinceRepoSeq: /],
  ['repo_describe', { ...HOUSE, cursor: 'nonsense' }, /cursor: .*Start again/],
  ['repo_describe', { ...HOUSE, cursor: Buffer.from('[1,"None"]').toString('base64url') }, /cursor: /],
  ['repo_describe', { ...HOUSE, contents: ['licence'] }, /contents.0: /],
  ['repo_create', { orgName: 'ada' }, /name: /],
  ['shape_set', { ...HOUSE, name: 'Room' }, /fields/],
  ['shape_set', { ...HOUSE, name: 'Room', fields: { x: 'decimal' } }, /decimal/],
  ['commit_submit', HOUSE, /operations: /],
  ['commit_submit', { ...HOUSE, operations: [] }, /at least one operation/],
  ['commit_submit', { ...HOUSE, operations: 'add a room' }, /operations: expected an array, got a string/],
  ['commit_submit', { ...HOUSE, operations: ['add a room'] }, /An operation must be an object/],
  [
    'commit_submit',
    { ...HOUSE, operations: [{ name: 'Room/a', data: {} }], submissionId: '1' },
    /submissionId: expected a UUID/,
  ],
  ['subscription_set', { ...HOUSE, action: 'create' }, /name: it is missing/],
  ['subscription_set', { ...HOUSE, action: 'stop', name: 'a' }, /action: /],
  [
    'subscription_set',
    { ...HOUSE, action: 'pause', name: 'a', webhookUrl: 'https://a.example' },
    /webhookUrl: not with action pause/,
  ],
  ['subscription_set', { ...HOUSE, action: 'create', name: 'a', filter: {} }, /webhookUrl: /],
  [
    'subscription_set',
    { ...HOUSE, action: 'create', name: 'a', webhookUrl: 'https://a.example' },
    /either a filter or an event/,
  ],
  ['subscription_set', { ...HOUSE, action: 'retry' }, /runId: it is missing/],
  [
    'subscription_set',
    { ...HOUSE, action: 'pause', name: 'a', runId: `run_${'0'.repeat(26)}` },
    /runId: not with action pause/,
  ],
  ['action_runs', { ...HOUSE, runId: 'run_1' }, /runId: expected a run id/],
  ['component_list', { repoName: 'house' }, /orgName: it is missing/],
  ['component_install', { ...HOUSE, component: 'thing' }, /component: expected a component as org\/name/],
];

const OLDER = { protocol: '2025-11-25' } as const;

describe('tools that are called wrongly', () => {
  it.each(WRONG)('%s %o', async (tool, input, message) => {
    const { call, owner } = await prepare();
    const { status, isError, error } = await call(tool, input);
    expect([status, isError, error?.code]).toEqual([200, true, 'VALIDATION_ERROR']);
    expect(error?.message).toMatch(message);
    expect(JSON.stringify(error)).not.toMatch(/Invalid |Unrecognized|received|Too (?:big|small)/);
    expect(error?.hint).toMatch(/\.$/);
    expect((await owner('repo.get', HOUSE)).data().repoSeq).toBe(1);
  });

  it('say what to do next, whatever it is that is wrong', async () => {
    const { call } = await prepare();
    const add = (name: string, data: object, more: object = {}) => ({
      ...HOUSE,
      operations: [{ operation: 'add', name, data, ...more }],
    });
    (await call('commit_submit', add('Room/hall', { label: 'Hall' }))).data();
    const cases: [string, object, string, RegExp][] = [
      ['commit_submit', add('Room/attic', { floor: 'two' }), 'SHAPE_MISMATCH', /label.*floor/s],
      ['commit_submit', add('Room/hall', { label: 'Hall' }), 'ALREADY_EXISTS', /Use revise/],
      ['commit_submit', add('Hut/a', {}), 'TARGET_NOT_FOUND', /Hut/],
      ['commit_submit', add('Room/a', { label: 'A' }, { about: 'Room/none' }), 'TARGET_NOT_FOUND', /Room\/none/],
      ['thing_get', { ...HOUSE, wref: 'Room/none' }, 'NOT_FOUND', /Room\/none|no such/],
      ['repo_describe', { ...HOUSE, repoName: 'none' }, 'NOT_FOUND', /repository does not exist/],
      ['repo_create', { orgName: 'ada', name: 'house' }, 'ALREADY_EXISTS', /./],
      ['shape_set', { ...HOUSE, name: 'Room', fields: {}, expectedVersion: 7 }, 'CONFLICT', /version 1, not 7/],
      ['subscription_set', { ...HOUSE, action: 'pause', name: 'none' }, 'NOT_FOUND', /./],
    ];
    for (const [tool, input, code, message] of cases) {
      const { isError, error } = await call(tool, input);
      expect([tool, isError, error?.code]).toEqual([tool, true, code]);
      expect(JSON.stringify(error)).toMatch(message);
      expect([tool, error?.hint]).toEqual([tool, expect.stringMatching(/\.$/)]);
    }
  });

  it('do not tell back more than a model can read of what was sent', async () => {
    const { app, token } = await prepare();
    const call = toolCaller(app, token, OLDER);
    const giant = 'x'.repeat(1_000_000);
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`key${index}`, index]));
    for (const name of TOOL_NAMES) {
      for (const input of [{ [giant]: 1 }, many, { orgName: giant }, [giant], giant, 7, null]) {
        const { status, body } = await call(name, input);
        expect([name, status < 500, body.length < 20_000]).toEqual([name, true, true]);
      }
    }
    const unknown = await call(giant);
    expect([unknown.status, unknown.body.length < 1_000]).toEqual([200, true]);
    expect(unknown.body).toContain('-32602');
  });

  it('are unknown by names that every object has', async () => {
    const { app, token } = await prepare();
    const call = toolCaller(app, token, OLDER);
    for (const name of ['constructor', '__proto__', 'toString', 'thing.query', 'THING_QUERY', '']) {
      const { body } = await call(name, HOUSE);
      expect([name, body.includes('-32602')]).toEqual([name, true]);
    }
  });

  it('are told which name is near', async () => {
    const { app } = await prepare();
    const call = toolCaller(app, undefined, OLDER);
    for (const [name, next] of [
      ['thing.query', 'Did you mean thing_query?'],
      ['Repo_Lst', 'Did you mean repo_list?'],
      ['search', 'See tools/list.'],
    ] as const) {
      expect((await call(name)).error?.message).toBe(`There is no tool ${name}. ${next}`);
    }
  });

  it('ask for a credential before they look at the input, where nobody could do anything without one', async () => {
    const { nobody } = await prepare();
    for (const name of ['commit_submit', 'shape_set', 'repo_create', 'subscription_set', 'component_install']) {
      const { status, error } = await nobody(name, { wrong: true });
      expect([name, status, error?.code]).toEqual([name, 401, 'UNAUTHENTICATED']);
    }
    expect((await nobody('thing_query', { wrong: true })).error?.code).toBe('VALIDATION_ERROR');
  });

  it('tell of signing in to who has not', async () => {
    const { call, nobody } = await prepare();
    const missing = { ...HOUSE, repoName: 'none' };
    const [known, unknown] = [await call('repo_describe', missing), await nobody('repo_describe', missing)];
    expect([known.error?.code, known.error?.message]).toEqual([unknown.error?.code, unknown.error?.message]);
    expect(known.error?.hint).not.toContain('sign in');
    expect(unknown.error?.hint).toContain('To sign in, call a tool');
  });

  it('tell nothing of a fault but that there is one', async () => {
    const { store, nobody, logged } = await prepare();
    Object.defineProperty(store, 'database', {
      get() {
        throw new Error('secret reason');
      },
    });
    const { status, body, headers } = await nobody('repo_list');
    expect([status, body.includes('secret reason')]).toEqual([500, false]);
    expect(headers.get('x-request-id')).toBeTruthy();
    expect(JSON.stringify(logged)).toContain('secret reason');
  });
});
