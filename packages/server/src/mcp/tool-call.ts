// Runs one tool call as the caller and explains failures, so that a model knows what to do next.
import { CairnError, fail } from '@cairn/protocol/errors';
import type { LimitName, Limits } from '@cairn/protocol/limits';
import { nearest } from '@cairn/protocol/nearest';
import { isTool, needsCredential, readArguments, TOOL_NAMES, TOOLS, type ToolName } from '@cairn/protocol/tools';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { requireAccount } from '../access/access.ts';
import type { Context } from '../access/context.ts';
import { callProcedure } from '../procedures.ts';
import { failureOf, invalidParams, isForHttp, shortened, toolErrorOf } from './message.ts';
import { byWay, type CallProcedure, type Tools } from './tool.ts';
import { COOKBOOK, GUIDE } from './tool-cookbook.ts';
import { describeForAgent } from './tool-list.ts';
import { withShapeHint } from './unknown-shape.ts';

const LIMITS_TOLD = [
  'commitOperations',
  'commitReferences',
  'dataBytes',
  'dataDepth',
  'jsonBodyBytes',
  'readWrefs',
  'toolAnswerBytes',
] as const satisfies readonly LimitName[];

export function toldLimits(limits: Readonly<Record<string, number>>): object {
  return Object.fromEntries(LIMITS_TOLD.map((name) => [name, limits[name]]));
}

const BEYOND =
  'There are more records than limit. Raise limit (at most 500), lower depth, choose a direction, start from one of the nodes, or list all references of a record in pages with refs: true.';

const listInstalls = byWay('component_list');
const graph = byWay('thing_graph');
const changes = byWay('thing_changes');

const TOOLS_HERE: Tools = {
  capabilities: async (call) => {
    const { version, limits } = await call('diagnostics.capabilities', {});
    return { version, you: await call('auth.whoami', {}), ...GUIDE, cookbook: COOKBOOK, limits: toldLimits(limits) };
  },
  repo_list: (call, input) => call('repo.list', input),
  repo_describe: describeForAgent,
  repo_create: (call, input) => call('repo.create', input),
  thing_query: (call, input) => withShapeHint(call, input, () => call('thing.query', input)),
  thing_get: byWay('thing_get'),
  thing_about: (call, input) => withShapeHint(call, input, () => call('thing.about', input)),
  thing_graph: async (call, input) => {
    const answer = await graph(call, input);
    return 'truncated' in answer && answer.truncated === true ? { ...answer, hint: BEYOND } : answer;
  },
  thing_changes: (call, input) => withShapeHint(call, input, () => changes(call, input)),
  commit_log: byWay('commit_log'),
  shape_set: async (call, { expectedVersion, ...input }) => {
    if (expectedVersion !== undefined) return await call('shape.revise', { ...input, expectedVersion });
    try {
      return await call('shape.create', input);
    } catch (error) {
      if (error instanceof CairnError && error.code === 'ALREADY_EXISTS') return await call('shape.revise', input);
      throw error;
    }
  },
  commit_submit: byWay('commit_submit'),
  content_set: (call, input) => call('repo.setContent', input),
  subscription_list: byWay('subscription_list'),
  subscription_set: byWay('subscription_set'),
  action_runs: byWay('action_runs'),
  component_list: async (call, input) => {
    const { repoName, component } = input;
    if (repoName !== undefined || component === undefined) return await listInstalls(call, input);
    const [orgName = '', name = ''] = component.split('/');
    return await call('component.view', { orgName, name });
  },
  component_install: byWay('component_install'),
};

export interface McpCall {
  readonly context: Context;
  readonly isAbandoned?: () => boolean;
  refused?: CairnError;
  method?: string | undefined;
}

export async function callTool(mcpCall: McpCall, name: string, input: unknown): Promise<CallToolResult> {
  if (!isTool(name)) throw unknownTool(shortened(name));
  try {
    // Checked before the input, so that callers who must sign in learn it first.
    if (needsCredential(name)) requireAccount(mcpCall.context.principal);
    return toResult(await run(mcpCall, name, readArguments(name, input)));
  } catch (thrown) {
    const error = toolErrorOf(thrown);
    if (isForHttp(error)) mcpCall.refused = error;
    return failureOf(error, mcpCall.context.principal);
  }
}

function unknownTool(name: string): Error {
  const near = nearest(name, TOOL_NAMES);
  return invalidParams(
    `There is no tool ${name}. ${near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'See tools/list.'}`,
  );
}

async function run({ context, isAbandoned }: McpCall, name: ToolName, input: unknown): Promise<object> {
  const allowed: readonly string[] = TOOLS[name].procedures;
  const call: CallProcedure = async (procedure, given) => {
    if (!allowed.includes(procedure)) throw new Error(`the tool ${name} does not declare that it calls ${procedure}`);
    // Procedures that have begun are completed, as on every surface. Further ones are skipped (decision 45).
    if (isAbandoned?.()) throw fail('UNAVAILABLE', { message: 'The client disconnected.' });
    const within = procedure === 'diagnostics.capabilities' ? context : inPages(context);
    return await callProcedure(within, procedure, given);
  };
  const tool = TOOLS_HERE[name] as (call: CallProcedure, input: unknown) => Promise<object>;
  return await tool(call, input);
}

const smaller = new WeakMap<Limits, Limits>();

/** A tool result contains its data twice, and models cannot read 8 MB. */
function inPages(context: Context): Context {
  const { limits } = context;
  const known = smaller.get(limits);
  const within = known ?? { ...limits, answerBytes: Math.min(limits.answerBytes, limits.toolAnswerBytes) };
  if (known === undefined) smaller.set(limits, within);
  return { ...context, limits: within };
}

function toResult(result: object): CallToolResult {
  return {
    structuredContent: result as Record<string, unknown>,
    content: [{ type: 'text', text: JSON.stringify(result) }],
  };
}
