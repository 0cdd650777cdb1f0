// What a tool is made of here: a function that is given its input and calls procedures.
import type { ProcedureName } from '@cairn/protocol/procedure-kinds';
import type { ProcedureInput, ProcedureOutput } from '@cairn/protocol/procedures';
import type { ToolArguments, ToolName } from '@cairn/protocol/tools';

export type CallProcedure = <Name extends ProcedureName>(
  name: Name,
  input: ProcedureInput<Name>,
) => Promise<ProcedureOutput<Name>>;

/** The result is what the procedures gave, so that every surface answers the same; what to do next may stand beside it. */
export type Tool<Name extends ToolName> = (call: CallProcedure, input: ToolArguments<Name>) => Promise<object>;

export type Tools = { readonly [Name in ToolName]: Tool<Name> };
