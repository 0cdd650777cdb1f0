import type { z } from 'zod';
import type { ProcedureName } from './procedure-kinds.ts';
import type { Access } from './scopes.ts';
import type { ToolWay } from './tool-way.ts';

export interface ProcedureRow {
  readonly summary: string;
  /** Rights that operations require. A test tries every kind of caller against it. */
  readonly access: Access;
  readonly input: z.ZodType;
  readonly output: z.ZodType;
}

export const signature = <Input extends z.ZodType, Output extends z.ZodType>(
  access: Access,
  input: Input,
  output: Output,
) => ({ access, input, output });

export interface RouteRow {
  readonly summary: string;
  /** Permitted callers, in the words of the specification's Auth column. */
  readonly auth: string;
  /** Machine-readable form of `auth`: the check that precedes the route's own checks. */
  readonly access: Access;
  /** Bearer token: required by default, `optional`, or `none` if it has no meaning here. */
  readonly bearer?: 'optional' | 'none';
  readonly tag: string;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** Form fields. Programs may send the same fields as JSON, unless `isForPeople` is set. */
  readonly form?: z.ZodObject;
  readonly isForPeople?: true;
  /** A body of another content type; `undefined` if it has no schema here. */
  readonly otherBody?: Readonly<Record<string, z.ZodType | undefined>>;
  /** Refusal statuses, beside those that any route of this kind can have. */
  readonly refusals?: readonly number[];
  /** Refusal content types, beside Cairn's own. */
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
  /**
   * Written for a model: the tool's purpose, and the steps before and after it. Keep it short, because every agent pays
   * for every byte.
   */
  readonly description: string;
  readonly input: z.ZodObject;
  /** Only the top-level fields: `capabilities` describes a record once for all tools. */
  readonly output: z.ZodObject;
  readonly procedures: readonly ProcedureName[];
  /** Variants of a tool whose arguments choose the procedure. The first match is called. */
  readonly ways?: readonly ToolWay[];
  /**
   * The effect on data, from which a client decides whether to ask the user first. `changes` may remove or pause
   * something.
   */
  readonly effect: 'reads' | 'adds' | 'changes';
  /** True if another call with the same input changes nothing more. */
  readonly idempotent?: true;
  /** True if it reaches beyond this server. */
  readonly reaches?: true;
}
