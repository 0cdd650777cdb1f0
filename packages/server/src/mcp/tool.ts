// A tool is a function that takes its input and calls procedures.
import type { ProcedureName } from '@cairn/protocol/procedure-kinds';
import type { ProcedureInput, ProcedureOutput } from '@cairn/protocol/procedures';
import type { ToolRow } from '@cairn/protocol/tool-row';
import { inputOf, wayOf } from '@cairn/protocol/tool-way';
import { TOOLS, type ToolArguments, type ToolName } from '@cairn/protocol/tools';

export type CallProcedure = <Name extends ProcedureName>(
  name: Name,
  input: ProcedureInput<Name>,
) => Promise<ProcedureOutput<Name>>;

/** Returns what the procedures returned, so that every surface answers the same, plus hints on what to do next. */
type Tool<Name extends ToolName> = (call: CallProcedure, input: ToolArguments<Name>) => Promise<object>;

export type Tools = { readonly [Name in ToolName]: Tool<Name> };

// -

/** For tools that call one of several procedures, depending on their arguments. The procedure checks the input. */
export function byWay<Name extends ToolName>(name: Name): Tool<Name> {
  const { ways = [] }: ToolRow = TOOLS[name];
  return async (call, input) => {
    const way = wayOf(ways, input);
    return await call(way.calls, inputOf(way, input) as ProcedureInput<typeof way.calls>);
  };
}
