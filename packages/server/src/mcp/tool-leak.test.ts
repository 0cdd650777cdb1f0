// Hidden data must stay hidden from every tool and every question, for a narrowed token, an outsider and an anonymous
// caller.
import { describe, expect, it } from 'vitest';
import { createSession } from '../../../../test/support/principal.ts';
import { caller } from '../../../../test/support/procedure.ts';
import { createOwnerToken, createTestApp, ownerIdOf } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import { type CallTool, toolCaller } from '../../../../test/support/tool.ts';
import type { Engine } from '../engine/database.ts';

const OPEN = { orgName: 'ada', repoName: 'open' };
const VAULT = { orgName: 'ada', repoName: 'vault' };
const HIDDEN = 'classified';

async function prepare(engine: Engine) {
  const { app, store } = await createTestApp(engine);
  const owner = caller(app, await createOwnerToken(store));
  const session = caller(app, (await createSession(store, { accountId: await ownerIdOf(store) })).token);
  for (const [address, visibility] of [
    [OPEN, 'public'],
    [VAULT, 'private'],
  ] as const) {
    await owner('repo.create', { orgName: address.orgName, name: address.repoName, visibility });
    await owner('shape.create', {
      ...address,
      name: 'Signal',
      fields: { 'x?': 'number', 'to?': 'wref', 'text?': 'string' },
    });
  }
  await owner('shape.create', { ...VAULT, name: 'Secret', fields: { text: 'string' }, description: HIDDEN });
  await owner('repo.setContent', { ...VAULT, name: 'agents', content: HIDDEN });
  const operations = [
    { name: `Secret/${HIDDEN}`, data: { text: HIDDEN } },
    { name: 'Secret/pointed', data: { text: HIDDEN } },
    { name: 'Signal/mine/a', data: { x: 1, to: `Secret/${HIDDEN}` } },
    { name: 'Signal/mine/b', about: `Secret/${HIDDEN}`, data: { x: 2 } },
    { name: `Signal/other/${HIDDEN}`, about: 'Signal/mine/a', data: { text: HIDDEN } },
    { type: 'arc', name: HIDDEN, members: ['Signal/mine/a', `Secret/${HIDDEN}`] },
  ];
  (await owner('commit.submit', { ...VAULT, operations, message: HIDDEN, committer: `Secret/${HIDDEN}` })).data();
  const pointing = { operations: [{ name: 'Signal/a', data: { to: 'wh:ada/vault/Secret/pointed' } }] };
  (await owner('commit.submit', { ...OPEN, ...pointing, committer: 'wh:ada/vault/Secret/pointed' })).data();
  const webhookUrl = 'https://hooks.example.com/classified';
  (await owner('subscription.create', { ...VAULT, name: HIDDEN, filter: {}, webhookUrl })).data();
  const scopes = [
    { resource: 'ada/vault', permissions: ['repo:read' as const, 'repo:write' as const], refs: ['Signal/mine/**'] },
  ];
  const narrowed = (await session('token.create', { name: 'narrowed', scopes })).data();
  const other = await store.write.createAccount({
    email: 'bo@example.com',
    handle: 'bo',
    passwordHash: '-',
    operator: false,
  });
  const outsider = await createSession(store, { accountId: other.id });
  return {
    narrowed: toolCaller(app, narrowed.token),
    outsider: toolCaller(app, outsider.token),
    nobody: toolCaller(app),
  };
}

function questionsFor(address: typeof OPEN): readonly [string, object][] {
  const wrefs = ['Signal/a', 'Signal/mine/a', 'Signal/mine/b', 'Signal', 'Secret', 'Content/Agents'];
  return [
    ['capabilities', {}],
    ['repo_list', {}],
    ['repo_list', { orgName: 'ada' }],
    ['repo_describe', address],
    ['repo_describe', { ...address, contents: ['readme', 'agents'], limit: 1 }],
    ['thing_query', address],
    ['thing_query', { ...address, includeRetracted: true, order: '-updated' }],
    ['thing_query', { ...address, kind: 'shape' }],
    ['thing_query', { ...address, shape: 'Secret' }],
    ['thing_query', { ...address, match: '**' }],
    ['thing_get', { ...address, wrefs }],
    ['thing_changes', { ...address, sinceRepoSeq: 0 }],
    ['commit_log', address],
    ['subscription_list', address],
    ['subscription_list', { ...address, credentials: true }],
    ['action_runs', address],
    ['action_runs', { ...address, notifications: true }],
    ['component_list', address],
    ['component_list', { orgName: 'ada' }],
    ...[1, 2, 3, 4].map((repoSeq): [string, object] => ['commit_log', { ...address, repoSeq }]),
    ...wrefs.flatMap((wref): [string, object][] => [
      ['thing_get', { ...address, wref }],
      ['thing_get', { ...address, wref, history: true }],
      ['thing_about', { ...address, wref, depth: 3, resolveCollections: true, acrossRepos: true }],
      ['thing_graph', { ...address, wref, depth: 5 }],
      ['thing_graph', { ...address, wref, refs: true, acrossRepos: true }],
      ['thing_changes', { ...address, wref, sinceRepoSeq: 0 }],
    ]),
    ['commit_submit', { ...address, dryRun: true, operations: [{ operation: 'retract', name: 'Signal/mine/a' }] }],
    ['shape_set', { ...address, name: 'Signal', fields: {}, expectedVersion: 99 }],
  ];
}

async function answersTo(call: CallTool): Promise<string[]> {
  const answers: string[] = [];
  for (const address of [OPEN, VAULT]) {
    for (const [tool, input] of questionsFor(address)) {
      const { body, status } = await call(tool, input);
      expect([tool, input, status < 500]).toEqual([tool, input, true]);
      answers.push(body);
    }
  }
  return answers;
}

describe.each(UPPER_ENGINES)('tools on %s', (engine) => {
  it('tell nothing of what is hidden', async () => {
    const { narrowed, outsider, nobody } = await prepare(engine);
    for (const call of [narrowed, outsider, nobody]) {
      const leaking = (await answersTo(call)).filter((body) => body.includes(HIDDEN));
      expect(leaking).toEqual([]);
    }
    const mine = (await narrowed('thing_query', VAULT)).data();
    expect(mine.items.map(({ name }: { name: string }) => name)).toEqual(['Signal', 'Signal/mine/a', 'Signal/mine/b']);
    expect((await narrowed('repo_describe', VAULT)).data().counts).toMatchObject({ thing: 1, assertion: 1 });
    expect((await nobody('thing_get', { ...OPEN, wref: 'Signal/a' })).data()).toMatchObject({ version: 1 });
    expect((await nobody('repo_list')).data().items).toMatchObject([{ name: 'open' }]);
    expect((await nobody('repo_describe', OPEN)).data()).toMatchObject({ mayWrite: false });
  });

  it('answer for what is hidden as for what is not there', async () => {
    const { outsider, nobody } = await prepare(engine);
    const missing = { ...VAULT, repoName: 'nothing' };
    for (const call of [outsider, nobody]) {
      for (const [index, [tool, input]] of questionsFor(VAULT).entries()) {
        const [asked, other] = [await call(tool, input), await call(tool, questionsFor(missing)[index]?.[1])];
        expect([tool, asked.status, asked.body]).toEqual([tool, other.status, other.body]);
      }
    }
  });
});
