// The tools as clients are told of them: made once, because it is the same for everyone.
import type { ToolRow } from '@cairn/protocol/tool-row';
import { isForAll } from '@cairn/protocol/tool-way';
import { TOOL_NAMES, TOOLS, type ToolName } from '@cairn/protocol/tools';
import type { Tool } from '@modelcontextprotocol/server';
import { schemaOf } from './tool-schema.ts';

export const TOOL_LIST: readonly Tool[] = TOOL_NAMES.map(describe);

function describe(name: ToolName): Tool {
  const row: ToolRow = TOOLS[name];
  const { title, description, output } = row;
  return {
    name,
    title,
    description,
    inputSchema: inputSchemaOf(row),
    outputSchema: schemaOf(output, 'output'),
    annotations: annotationsOf(row),
  };
}

/** Some clients send every default that they are told: of an argument that is not for every call, there is none to tell. */
function inputSchemaOf({ input, ways = [] }: ToolRow): Tool['inputSchema'] {
  const schema = schemaOf(input, 'input');
  const properties = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const { default: _, ...rest } = field as Record<string, unknown>;
    return [name, isForAll(ways, name) ? field : rest];
  });
  return { ...schema, properties: Object.fromEntries(properties) };
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
