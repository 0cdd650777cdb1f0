import type { ProcedureName } from '@cairn/protocol/procedure-kinds';
import type { ProcedureInput, ProcedureOutput } from '@cairn/protocol/procedures';
import type { ToolRow } from '@cairn/protocol/row';
import { inputOf, wayOf } from '@cairn/protocol/tool-way';
import { TOOLS, type ToolArguments, type ToolName } from '@cairn/protocol/tools';

export type CallProcedure = <Name extends ProcedureName>(
  name: Name,
  input: ProcedureInput<Name>,
) => Promise<ProcedureOutput<Name>>;

/** Tools return what procedures returned, so that every surface answers the same. Hints may be added. */
type Tool<Name extends ToolName> = (call: CallProcedure, input: ToolArguments<Name>) => Promise<object>;

export type Tools = { readonly [Name in ToolName]: Tool<Name> };

export function byWay<Name extends ToolName>(name: Name): Tool<Name> {
  const { ways = [] }: ToolRow = TOOLS[name];
  return async (call, input) => {
    const way = wayOf(ways, input);
    return await call(way.calls, inputOf(way, input) as ProcedureInput<typeof way.calls>);
  };
}
