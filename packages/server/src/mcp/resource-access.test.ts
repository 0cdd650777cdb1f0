// Every kind of caller with resources, prompts and completion: they read what procedures let them, and hidden equals
// missing.
import { describe, expect, it } from 'vitest';
import { expectedOf } from '../../../../test/support/access/oracle.ts';
import { createWorld, SECRET, TARGETS, type Target } from '../../../../test/support/access/world.ts';
import { type McpAnswer, mcpSender, type SendMcp } from '../../../../test/support/mcp.ts';
import { createSession } from '../../../../test/support/principal.ts';
import { type CallProcedure, caller } from '../../../../test/support/procedure.ts';
import { createOwnerToken, createTestApp, ownerIdOf } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import { IS_LONG } from '../../../../test/support/suite.ts';
import { createToolUsers, type ToolUser } from '../../../../test/support/tool.ts';

interface Hands {
  readonly one: ToolUser;
  readonly send: SendMcp;
  readonly procedure: CallProcedure;
}

const MISSING = TARGETS.find(({ visibility }) => visibility === 'none') as Target;
const ref = { type: 'ref/resource', uri: 'cairn://{orgName}/{repoName}/{+wref}' };

const uriOf = ({ orgName, repoName }: Target, path: string) => `cairn://${orgName}/${repoName}/${path}`;

const QUESTIONS: readonly [string, (target: Target) => Record<string, unknown>][] = [
  ...['llms', 'readme', 'agents', 'Signal'].map((path): (typeof QUESTIONS)[number] => [
    'resources/read',
    (target) => ({ uri: uriOf(target, path) }),
  ]),
  ...['how_to_model', 'how_to_write'].map((name): (typeof QUESTIONS)[number] => [
    'prompts/get',
    ({ orgName, repoName }) => ({ name, arguments: { orgName, repoName } }),
  ]),
];

function refusedAtOnce({ kind }: ToolUser): number | undefined {
  if (kind === 'bad') return 401;
  return kind === 'setup' || kind === 'runtime' ? 403 : undefined;
}

async function askOf(target: Target, { one, send }: Hands): Promise<void> {
  const isRead = expectedOf('thing.get', one, target) === 'allowed' && target.held;
  for (const [method, paramsOf] of QUESTIONS) {
    const about = [one.name, method, JSON.stringify(paramsOf(target))];
    const answer = await send(method, paramsOf(target));
    expect([...about, answer.status, answer.error?.code]).toEqual([...about, 200, isRead ? undefined : -32_602]);
    if (isRead) continue;
    expect([...about, answer.body.includes(SECRET)]).toEqual([...about, false]);
    const missing = await send(method, paramsOf(MISSING));
    expect([...about, answer.error?.message]).toEqual([...about, missing.error?.message]);
  }
}

async function valuesOf({ send }: Hands, name: string, given: Record<string, string> = {}): Promise<string[]> {
  const offered = async (value: string): Promise<string[]> => {
    const sent = { ref, argument: { name, value }, context: { arguments: given } };
    return (await send('completion/complete', sent)).result.completion.values;
  };
  const all = await offered('');
  for (const beginning of IS_LONG ? ['a', 'v', 'q', 'S', 'vault', 'vaults'] : ['vault', 'q'])
    expect(await offered(beginning)).toEqual(all.filter((one) => one.startsWith(beginning)));
  return all;
}

const namesIn = (items: readonly { name: string }[]) => items.map(({ name }) => name);

async function completeAs(hands: Hands): Promise<void> {
  const { one, procedure } = hands;
  const organizations = namesIn((await procedure('org.list', {})).data().items);
  expect([one.name, await valuesOf(hands, 'orgName')]).toEqual([one.name, organizations]);
  for (const { orgName, repoName } of TARGETS) {
    const repos = await procedure('repo.list', { orgName });
    const seen = repos.code === undefined ? namesIn(repos.data().items) : [];
    expect([one.name, orgName, await valuesOf(hands, 'repoName', { orgName })]).toEqual([one.name, orgName, seen]);
    const head = await procedure('thing.head', { orgName, repoName });
    const names = head.code === undefined ? namesIn((head.data() as { items: { name: string }[] }).items) : [];
    const offered = await valuesOf(hands, 'wref', { orgName, repoName });
    expect([one.name, orgName, repoName, offered]).toEqual([one.name, orgName, repoName, names]);
  }
}

async function listAs({ one, send, procedure }: Hands): Promise<void> {
  const { resources } = (await send('resources/list')).result;
  const seen = (await procedure('repo.list', {})).data().items;
  const uris = seen.map(({ orgName, name }) => `cairn://${orgName}/${name}/llms`);
  expect([one.name, resources.map(({ uri }: { uri: string }) => uri)]).toEqual([one.name, uris]);
  for (const target of TARGETS) {
    const isListed = uris.includes(uriOf(target, 'llms'));
    if (expectedOf('thing.get', one, target) === 'allowed') expect([one.name, target, isListed]).toContain(true);
    if (!target.held) expect([one.name, target, isListed]).toContain(false);
  }
}

const ALL: readonly [string, Record<string, unknown>][] = [
  ['resources/list', {}],
  ['resources/templates/list', {}],
  ['prompts/list', {}],
  ['completion/complete', { ref, argument: { name: 'orgName', value: '' } }],
  ...TARGETS.flatMap((target) =>
    QUESTIONS.map(([method, paramsOf]): [string, Record<string, unknown>] => [method, paramsOf(target)]),
  ),
];

async function refusalsOf({ send }: Hands): Promise<McpAnswer[]> {
  const answers: McpAnswer[] = [];
  for (const [method, params] of ALL) answers.push(await send(method, params));
  return answers;
}

describe.each(UPPER_ENGINES)('callers of resources, prompts and completion on %s', (engine) => {
  it('find and read what procedures let them, and learn nothing else', async () => {
    const { app, store } = await createTestApp(engine);
    await createOwnerToken(store);
    const owner = caller(app, (await createSession(store, { accountId: await ownerIdOf(store) })).token);
    await createWorld(store, owner);
    for (const one of await createToolUsers(store, owner)) {
      const hands = { one, send: mcpSender(app, { token: one.token }), procedure: caller(app, one.elsewhere) };
      const refused = refusedAtOnce(one);
      if (refused !== undefined) {
        for (const { status, body } of await refusalsOf(hands))
          expect([one.name, status, body.includes(SECRET)]).toEqual([one.name, refused, false]);
        continue;
      }
      await listAs(hands);
      await completeAs(hands);
      for (const target of TARGETS) await askOf(target, hands);
    }
  });
});
