// What the route table says of each route.
import type { z } from 'zod';
import type { Access } from './access.ts';

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
  /** Of a JSON body. */
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
