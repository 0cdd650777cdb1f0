// What the tool table says of each tool.
import type { z } from 'zod';
import type { ProcedureName } from './procedure-kinds.ts';
import type { ToolWay } from './tool-way.ts';

export interface ToolRow {
  readonly title: string;
  /** Written for a model: what it is for, and what to do before and after. Every byte is paid for by every agent. */
  readonly description: string;
  readonly input: z.ZodObject;
  /** The fields at the top alone; what a record is stands once, in `capabilities`. */
  readonly output: z.ZodObject;
  /** All that it may call. */
  readonly procedures: readonly ProcedureName[];
  /** Where its arguments choose among them: the first that fits is called. */
  readonly ways?: readonly ToolWay[];
  /** What a client may show or ask before it is called. `changes`: something may be removed or paused by it. */
  readonly effect: 'reads' | 'adds' | 'changes';
  /** Whether calling it again with the same input changes nothing more. */
  readonly idempotent?: true;
  /** Whether it reaches beyond this server. */
  readonly reaches?: true;
}
