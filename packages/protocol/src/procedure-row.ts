// What the procedure table says of each procedure.
import type { z } from 'zod';
import type { Access } from './access.ts';

export interface ProcedureRow {
  readonly summary: string;
  /** What operations ask for; a test tries every kind of caller against it. */
  readonly access: Access;
  readonly input: z.ZodType;
  readonly output: z.ZodType;
}
