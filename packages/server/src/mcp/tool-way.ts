// Tools that call one of several procedures, as their arguments say.
import type { ProcedureInput } from '@cairn/protocol/procedures';
import type { ToolRow } from '@cairn/protocol/tool-row';
import { inputOf, wayOf } from '@cairn/protocol/tool-way';
import { TOOLS, type ToolName } from '@cairn/protocol/tools';
import type { Tool } from './tool.ts';

/** The procedure checks the input as it does everybody's. */
export function byWay<Name extends ToolName>(name: Name): Tool<Name> {
  const { ways = [] }: ToolRow = TOOLS[name];
  return async (call, input) => {
    const way = wayOf(ways, input);
    return await call(way.calls, inputOf(way, input) as ProcedureInput<typeof way.calls>);
  };
}
