// One call of a tool: its input is checked, it is run for whoever asks, and what went wrong is said so that a model knows
// what to do next.
import { type CairnError, fail } from '@cairn/protocol/errors';
import { nearest } from '@cairn/protocol/nearest';
import { isTool, needsCredential, readArguments, TOOL_NAMES, TOOLS, type ToolName } from '@cairn/protocol/tools';
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Context } from '../access/context.ts';
import { requireAccount } from '../access/requirement.ts';
import { callProcedure } from '../procedures.ts';
import { ACTION_TOOLS } from './action-tools.ts';
import { COMPONENT_TOOLS } from './component-tools.ts';
import { invalid, shortened } from './protocol-error.ts';
import { REPO_TOOLS } from './repo-tools.ts';
import { THING_TOOLS } from './thing-tools.ts';
import type { CallProcedure, Tools } from './tool.ts';
import { failureOf, isForHttp, toolErrorOf } from './tool-error.ts';
import { WRITE_TOOLS } from './write-tools.ts';

const TOOLS_HERE: Tools = { ...REPO_TOOLS, ...THING_TOOLS, ...WRITE_TOOLS, ...ACTION_TOOLS, ...COMPONENT_TOOLS };

/** What a request is about to do, and what becomes of it beyond the protocol of tools. */
export interface McpCall {
  readonly context: Context;
  /** Whether nobody waits for the answer any more. */
  readonly isAbandoned?: () => boolean;
  /** What is answered by HTTP itself. */
  refused?: CairnError;
}

export async function callTool(mcpCall: McpCall, name: string, input: unknown): Promise<CallToolResult> {
  if (!isTool(name)) throw unknownTool(shortened(name));
  try {
    // Before the input is looked at: who has to sign in should learn it at once.
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
  return invalid(
    `There is no tool ${name}. ${near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'See tools/list.'}`,
  );
}

async function run({ context, isAbandoned }: McpCall, name: ToolName, input: unknown): Promise<object> {
  const allowed: readonly string[] = TOOLS[name].procedures;
  const call: CallProcedure = async (procedure, given) => {
    if (!allowed.includes(procedure)) throw new Error(`the tool ${name} does not say that it calls ${procedure}`);
    // What has begun is brought to its end, as on every surface; what would come next is left (decision 45).
    if (isAbandoned?.()) throw fail('UNAVAILABLE', { message: 'The client has gone.' });
    // What the server can do is told as everywhere; what is read comes in pages that suit a tool.
    const within = procedure === 'diagnostics.capabilities' ? context : inPages(context);
    return await callProcedure(within, procedure, given);
  };
  const tool = TOOLS_HERE[name] as (call: CallProcedure, input: unknown) => Promise<object>;
  return await tool(call, input);
}

/** A result holds its data twice, and a model reads no 8 MB. */
function inPages({ limits, ...context }: Context): Context {
  return { ...context, limits: { ...limits, answerBytes: Math.min(limits.answerBytes, limits.toolAnswerBytes) } };
}

function toResult(result: object): CallToolResult {
  return {
    structuredContent: result as Record<string, unknown>,
    content: [{ type: 'text', text: JSON.stringify(result) }],
  };
}
