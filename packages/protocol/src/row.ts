// What the tables say of each procedure, route and tool.
import type { z } from 'zod';
import type { ProcedureName } from './procedure-kinds.ts';
import type { Access } from './scopes.ts';
import type { ToolWay } from './tool-way.ts';

export interface ProcedureRow {
  readonly summary: string;
  /** What operations ask for; a test tries every kind of caller against it. */
  readonly access: Access;
  readonly input: z.ZodType;
  readonly output: z.ZodType;
}

/** Who may call a procedure, what it takes and what it answers. */
export const signature = <Input extends z.ZodType, Output extends z.ZodType>(
  access: Access,
  input: Input,
  output: Output,
) => ({ access, input, output });

export interface RouteRow {
  readonly summary: string;
  /** Who may call: as the specification's Auth column says it. */
  readonly auth: string;
  /** The same for machines: what is asked before the route itself asks for more. */
  readonly access: Access;
  /** Whether a bearer token must be sent, can be, or has no meaning here. By default it must. */
  readonly bearer?: 'optional' | 'none';
  readonly tag: string;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** Fields of a form. Programs may send the same fields as JSON, unless the form is for people alone. */
  readonly form?: z.ZodObject;
  readonly isForPeople?: true;
  /** A body of another content type; `undefined` if it has no schema here. */
  readonly otherBody?: Readonly<Record<string, z.ZodType | undefined>>;
  /** Statuses of refusals, beside those that any such route can have. */
  readonly refusals?: readonly number[];
  /** Content types of refusals, beside Cairn's own. */
  readonly refusal?: RouteAnswer['content'];
  readonly answers: Readonly<Record<number, RouteAnswer>>;
}

export interface RouteAnswer {
  readonly description: string;
  /** Content type to schema; `undefined` where the body has no schema here. */
  readonly content: Readonly<Record<string, z.ZodType | undefined>>;
}

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
