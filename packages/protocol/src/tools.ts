// The tool table: what agents can do over MCP, each tool made of procedures. Few, one for each task.
import type { z } from 'zod';
import { INPUT_WORDS } from './input-words.ts';
import { PROCEDURES } from './procedures.ts';
import type { ToolRow } from './row.ts';
import { type Access, isScope } from './scopes.ts';
import { ACTION_TOOLS, COMPONENT_TOOLS } from './tool/action.ts';
import { REPO_TOOLS, THING_TOOLS, WRITE_TOOLS } from './tool/record.ts';
import { refuseUseless } from './tool-way.ts';

export const TOOLS = {
  ...REPO_TOOLS,
  ...THING_TOOLS,
  ...WRITE_TOOLS,
  ...ACTION_TOOLS,
  ...COMPONENT_TOOLS,
} as const satisfies Record<string, ToolRow>;

export type ToolName = keyof typeof TOOLS;
/** What a tool is given: the input with its defaults filled in. */
export type ToolArguments<Name extends ToolName> = z.output<(typeof TOOLS)[Name]['input']>;

export const TOOL_NAMES = Object.keys(TOOLS) as ToolName[];

export function isTool(name: string): name is ToolName {
  return Object.hasOwn(TOOLS, name);
}

/** As a caller sends them; refused where they are not of the tool's form, or do not go together. */
export function readArguments(name: ToolName, sent: unknown): unknown {
  const { input, ways }: ToolRow = TOOLS[name];
  const read = input.parse(sent ?? {}, INPUT_WORDS);
  if (ways !== undefined) refuseUseless({ input, ways }, (sent ?? {}) as Record<string, unknown>);
  return read;
}

/** Whether there is nothing that it could do for somebody without a credential. */
export function needsCredential(name: ToolName): boolean {
  return TOOLS[name].procedures.every((procedure) => isClosed(PROCEDURES[procedure].access));
}

function isClosed({ needs, open }: Access): boolean {
  return open !== true && (isScope(needs) || needs === 'account' || needs === 'operator');
}
