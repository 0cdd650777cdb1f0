// The live stream on the wire: a ticket opens it, and it tells what has changed, not how.
import { z } from 'zod';

export const liveTicket = z.object({
  ticket: z.string().describe('Good once: `GET /sse?ticket=...`.'),
  expiresAt: z.int().describe('A minute after it was issued.'),
});

export const liveQuery = z.strictObject({ ticket: z.string().optional() });

/** `event: ready`, first of all. */
export const liveReady = z.object({ repoSeq: z.int() });

/** `event: invalidate`; its id is the sequence too. Names are those that who listens may see. */
export const liveInvalidate = z.object({
  topic: z.literal('repo'),
  repoSeq: z.int(),
  affectedShapes: z.array(z.string()).describe('Shapes that were changed, or whose records were.'),
  affectedRecords: z.array(z.string()).describe('Records that were added, revised, retracted or renamed.'),
  affectedTargets: z
    .array(z.string())
    .describe('What changed records are about or contain: what is said of it changed.'),
  truncated: z.literal(true).optional().describe('There were more names than fit: read everything again.'),
});

/** `event: revoked`, last of all: the right to listen has ended. */
export const liveRevoked = z.object({ code: z.string(), message: z.string() });

/** What opens a live stream, once. */
export type LiveTicket = z.infer<typeof liveTicket>;
/** Where a repository is when a connection stands. */
export type LiveReady = z.infer<typeof liveReady>;
/** What changed in a repository, and up to which sequence. */
export type LiveInvalidate = z.infer<typeof liveInvalidate>;
/** Why the right to listen has ended. */
export type LiveRevoked = z.infer<typeof liveRevoked>;
