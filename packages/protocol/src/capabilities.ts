// What a server says of itself.
import { z } from 'zod';

export const capabilities = z.object({
  version: z.string(),
  engine: z.enum(['sqlite', 'postgres']),
  schemaVersion: z.int(),
  exportFormatVersion: z.int(),
  limits: z.record(z.string(), z.number()),
});

/** What a server is and can do: its version, engine, formats and limits. */
export type Capabilities = z.infer<typeof capabilities>;
