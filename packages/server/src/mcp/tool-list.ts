// The tools as clients are told of them: made once, because it is the same for everyone.
import type { ToolRow } from '@cairn/protocol/tool-row';
import { TOOL_NAMES, TOOLS, type ToolName } from '@cairn/protocol/tools';
import type { Tool } from '@modelcontextprotocol/server';
import { schemaOf } from './tool-schema.ts';

export const TOOL_LIST: readonly Tool[] = TOOL_NAMES.map(describe);

function describe(name: ToolName): Tool {
  const row: ToolRow = TOOLS[name];
  const { title, description, input, output } = row;
  return {
    name,
    title,
    description,
    inputSchema: schemaOf(input, 'input'),
    outputSchema: schemaOf(output, 'output'),
    annotations: annotationsOf(row),
  };
}

/** Of what only reads, the protocol gives the other two hints no meaning. */
function annotationsOf({ effect, idempotent, reaches }: ToolRow): Tool['annotations'] {
  const openWorldHint = reaches === true;
  if (effect === 'reads') return { readOnlyHint: true, openWorldHint };
  return {
    readOnlyHint: false,
    destructiveHint: effect === 'changes',
    idempotentHint: idempotent === true,
    openWorldHint,
  };
}
