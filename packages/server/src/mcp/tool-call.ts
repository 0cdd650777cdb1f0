// One call of a tool: its input is checked, it is run for whoever asks, and what went wrong is said so that a model knows
// what to do next.
import type { CairnError } from '@cairn/protocol/errors';
import { isTool, needsCredential, TOOLS, type ToolName } from '@cairn/protocol/tools';
import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { Context } from '../operations/context.ts';
import { requireAccount } from '../operations/credential.ts';
import { callProcedure } from '../operations/procedure-table.ts';
import { ACTION_TOOLS } from './action-tools.ts';
import { COMPONENT_TOOLS } from './component-tools.ts';
import { REPO_TOOLS } from './repo-tools.ts';
import { THING_TOOLS } from './thing-tools.ts';
import type { CallProcedure, Tools } from './tool.ts';
import { failureOf, isForHttp, toolErrorOf } from './tool-error.ts';
import { WRITE_TOOLS } from './write-tools.ts';

const TOOLS_HERE: Tools = { ...REPO_TOOLS, ...THING_TOOLS, ...WRITE_TOOLS, ...ACTION_TOOLS, ...COMPONENT_TOOLS };

/** As much of a name that is not ours as is told back. */
const NAME_SHOWN_CHARACTERS = 100;

/** What a request is about to do, and what becomes of it beyond the protocol of tools. */
export interface McpCall {
  readonly context: Context;
  /** What is answered by HTTP itself. */
  refused?: CairnError;
}

export async function callTool(mcpCall: McpCall, name: string, input: unknown): Promise<CallToolResult> {
  if (!isTool(name)) {
    const shown = name.slice(0, NAME_SHOWN_CHARACTERS);
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${shown}. See tools/list.`);
  }
  try {
    // Before the input is looked at: who has to sign in should learn it at once.
    if (needsCredential(name)) requireAccount(mcpCall.context.principal);
    return toResult(await run(mcpCall.context, name, TOOLS[name].input.parse(input ?? {})));
  } catch (thrown) {
    const error = toolErrorOf(thrown);
    if (isForHttp(error)) mcpCall.refused = error;
    return failureOf(error);
  }
}

async function run(context: Context, name: ToolName, input: unknown): Promise<object> {
  const allowed: readonly string[] = TOOLS[name].procedures;
  const call: CallProcedure = async (procedure, given) => {
    if (!allowed.includes(procedure)) throw new Error(`the tool ${name} does not say that it calls ${procedure}`);
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
