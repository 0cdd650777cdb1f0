// Every kind of caller with every tool: the same rights, refusals and reads as over tRPC.
import { type ProcedureName, QUERIES } from '@cairn/protocol/procedure-kinds';
import { TOOL_NAMES, TOOLS, type ToolName } from '@cairn/protocol/tools';
import { describe, expect, it } from 'vitest';
import { INPUTS } from '../../../../test/support/access/input.ts';
import { expectedOf } from '../../../../test/support/access/oracle.ts';
import { type Caller, createWorld, SECRET, TARGETS, type Target } from '../../../../test/support/access/world.ts';
import { createSession } from '../../../../test/support/principal.ts';
import { type CallProcedure, caller } from '../../../../test/support/procedure.ts';
import { createOwnerToken, createTestApp, ownerIdOf, type TestApp } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import { IS_LONG } from '../../../../test/support/suite.ts';
import {
  type CallTool,
  createToolUsers,
  type ToolAnswer,
  type ToolUser,
  toolCaller,
} from '../../../../test/support/tool.ts';

const CHOSEN_BY: Partial<Record<ProcedureName, object>> = {
  'thing.history': { history: true },
  'thing.refs': { refs: true },
  'shape.revise': { expectedVersion: 1 },
  'commit.validate': { dryRun: true },
  'credential.list': { credentials: true },
  'subscription.create': { action: 'create' },
  'subscription.update': { action: 'update' },
  'subscription.pause': { action: 'pause' },
  'subscription.resume': { action: 'resume' },
  'subscription.delete': { action: 'delete' },
  'subscription.bindCredentials': { action: 'bindCredentials' },
  'subscription.unbindCredentials': { action: 'unbindCredentials' },
  'subscription.test': { action: 'test' },
  'action.retry': { action: 'retry' },
  'action.giveUp': { action: 'giveUp' },
  'action.notifications': { notifications: true },
  'component.update': { update: true },
};

const COMPOSED: readonly ToolName[] = ['capabilities', 'repo_describe'];

const ASIDE: readonly ProcedureName[] = ['shape.get', 'shape.list'];

interface Trial {
  readonly tool: ToolName;
  readonly procedure: ProcedureName;
}

const TRIALS: readonly Trial[] = TOOL_NAMES.flatMap((tool) => {
  const procedures: readonly ProcedureName[] = TOOLS[tool].procedures;
  const called = procedures.filter((procedure) => !ASIDE.includes(procedure));
  return called.slice(0, COMPOSED.includes(tool) ? 1 : undefined).map((procedure) => ({ tool, procedure }));
});

function inputOf(procedure: ProcedureName, target: Target): object {
  if (procedure === 'component.view') return { component: 'acme/none' };
  return { ...INPUTS[procedure](target), ...CHOSEN_BY[procedure] };
}

type Outcome = '401' | '403' | 'FORBIDDEN' | 'NOT_FOUND' | 'allowed';

/** HTTP answers what another credential would solve, the tool everything else. */
function outcomeFor({ procedure }: Trial, one: Caller, target: Target): Outcome {
  if (one.kind === 'setup' || one.kind === 'runtime') return '403';
  const expected = expectedOf(procedure, one, target);
  if (expected === 'allowed') return 'allowed';
  if (expected.status === 401) return '401';
  if (expected.status === 404) return 'NOT_FOUND';
  return expected.withheldBy === 'token' ? '403' : 'FORBIDDEN';
}

const NOT_SEEN = /The (repository|organization|run)( or the record of the wref)? does not exist, or you may not see it/;

function outcomeOf({ status, body, error }: ToolAnswer): string {
  if (status !== 200) return String(status);
  if (error?.code === 'FORBIDDEN') return 'FORBIDDEN';
  return NOT_SEEN.test(body) ? 'NOT_FOUND' : 'allowed';
}

interface Hands {
  readonly tool: CallTool;
  readonly procedure: CallProcedure;
  readonly unknown: () => Promise<ToolAnswer>;
}

function handsOf(app: TestApp['app'], { tool: name, procedure }: Trial, one: ToolUser): Hands {
  const tool = toolCaller(app, one.token);
  let answer: Promise<ToolAnswer> | undefined;
  const unknown = () => {
    answer ??= tool(name, inputOf(procedure, MISSING));
    return answer;
  };
  return { tool, procedure: caller(app, one.elsewhere), unknown };
}

async function tryOn(trial: Trial, one: Caller, target: Target, hands: Hands): Promise<void> {
  const { tool, procedure } = trial;
  const about = [tool, procedure, one.name, `${target.orgName}/${target.repoName}`];
  const answer = await hands.tool(tool, inputOf(procedure, target));
  const outcome = outcomeFor(trial, one, target);
  expect([...about, outcomeOf(answer), answer.body]).toEqual([...about, outcome, answer.body]);
  if (outcome !== 'allowed') expect([...about, answer.body.includes(SECRET)]).toEqual([...about, false]);
  if (outcome === 'NOT_FOUND') {
    // Hidden equals missing, byte for byte.
    expect([...about, answer.body]).toEqual([...about, (await hands.unknown()).body]);
  }
  if (answer.status === 200 && QUERIES.has(procedure)) await compare(about, answer, { trial, target, hands });
}

interface Asked {
  readonly trial: Trial;
  readonly target: Target;
  readonly hands: Hands;
}

async function compare(about: readonly string[], answer: ToolAnswer, { trial, target, hands }: Asked): Promise<void> {
  const { tool, procedure } = trial;
  const read = await hands.procedure(procedure, INPUTS[procedure](target) as never);
  expect([...about, answer.error?.code, answer.error?.message]).toEqual([...about, read.code, read.message]);
  if (read.code !== undefined) return;
  const expected = COMPOSED.includes(tool) ? expect.objectContaining(composedOf(read.data())) : read.data();
  expect([...about, answer.data()]).toEqual([...about, expected]);
}

function composedOf(data: object): object {
  if ('limits' in data && 'version' in data) {
    const limits = Object.entries(data.limits as object);
    return { version: data.version, limits: expect.toSatisfy((told) => isPartOf(told, limits)) };
  }
  const { shapes, ...rest } = data as { shapes?: object[] };
  return { ...rest, ...(shapes !== undefined && { shapes: shapes.map((shape) => expect.objectContaining(shape)) }) };
}

function isPartOf(told: object, all: readonly [string, unknown][]): boolean {
  return Object.entries(told).every(([name, value]) => all.some(([other, limit]) => name === other && value === limit));
}

const targetsFor = (turn: number) => TARGETS.filter((_, index) => IS_LONG || (index + turn) % TARGETS.length === 0);

const MISSING = TARGETS.find(({ visibility }) => visibility === 'none') as Target;

describe.each(UPPER_ENGINES)('callers of tools on %s', (engine) => {
  it('may do what the procedures let them, and learn nothing else', async () => {
    const { app, store } = await createTestApp(engine);
    await createOwnerToken(store);
    const owner = caller(app, (await createSession(store, { accountId: await ownerIdOf(store) })).token);
    await createWorld(store, owner);
    const users = await createToolUsers(store, owner);
    let turn = 0;
    for (const trial of TRIALS) {
      for (const one of users) {
        const hands = handsOf(app, trial, one);
        turn += 1;
        for (const target of targetsFor(turn)) await tryOn(trial, one, target, hands);
      }
    }
  });
});
