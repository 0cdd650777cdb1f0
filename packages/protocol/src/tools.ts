// The tool table: the actions of agents over MCP, each made of procedures. There are few tools, one per task.
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
export type ToolArguments<Name extends ToolName> = z.output<(typeof TOOLS)[Name]['input']>;

export const TOOL_NAMES = Object.keys(TOOLS) as ToolName[];

export function isTool(name: string): name is ToolName {
  return Object.hasOwn(TOOLS, name);
}

/** Parses arguments as a caller sends them. Refuses malformed arguments, and combinations that do not go together. */
export function readArguments(name: ToolName, sent: unknown): unknown {
  const { input, ways }: ToolRow = TOOLS[name];
  const read = input.parse(sent ?? {}, INPUT_WORDS);
  if (ways !== undefined) refuseUseless({ input, ways }, (sent ?? {}) as Record<string, unknown>);
  return read;
}

/** True if the tool can do nothing without a credential. */
export function needsCredential(name: ToolName): boolean {
  return TOOLS[name].procedures.every((procedure) => isClosed(PROCEDURES[procedure].access));
}

function isClosed({ needs, open }: Access): boolean {
  return open !== true && (isScope(needs) || needs === 'account' || needs === 'operator');
}
