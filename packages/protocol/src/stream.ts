// Streams on the wire. In: operations line by line, acknowledged chunk by chunk. Out: a ticket opens the live stream,
// which names the changed records but not their changes.
import { z } from 'zod';
import { repoAddress } from './organization.ts';

export const streamId = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,128}$/, 'expected a stream id: 1 to 128 of A-Z, a-z, 0-9, ., _ and -');

export const streamAddress = z.strictObject({ ...repoAddress, streamId });

export const streamStatusInput = z.strictObject({
  ...streamAddress.shape,
  refusedAfter: z
    .int()
    .min(0)
    .optional()
    .describe(
      'Returns the refused lines after this one, from the last 20,000 refused lines. Use it if an acknowledgement was lost.',
    ),
});

export const submissionQuery = z.strictObject({
  offset: z.coerce.number().int().min(0).default(0).describe('Number of lines of this stream that were sent before.'),
  message: z.string().max(2_000).default('').describe('Message of the commits that write the lines.'),
  committer: z.string().optional().describe('The wref of the record on whose behalf you write, such as `Agent/bot`.'),
  atomicity: z
    .enum(['none', 'chunk'])
    .default('none')
    .describe(
      '`none`: each operation is applied on its own. `chunk`: a failed operation ends the stream, and its chunk is not applied.',
    ),
  skipExisting: z
    .enum(['true', 'false'])
    .default('false')
    .describe('Skips an add of an existing record instead of refusing it.'),
});

export type SubmissionQuery = z.output<typeof submissionQuery>;

const counts = {
  applied: z.int().describe('Operations that changed something.'),
  noop: z.int().describe('Operations that had nothing to change.'),
  error: z.int().describe('Operations that were refused.'),
};

/** Blank lines count as lines, but not as operations. */
const offset = z.int().describe('Number of durable lines. An interrupted stream resumes there.');
const repoSeq = z.int().describe('The sequence of the repository after these lines.');

const refusedLine = z.object({
  line: z.int().describe('Counted from 1 over the whole stream.'),
  code: z.string(),
  message: z.string(),
  details: z.unknown().optional(),
});

const undeclaredField = z.object({
  line: z.int().describe('The first line with the field, counted from 1 over the whole stream.'),
  shapeName: z.string(),
  path: z.string().describe('A JSON pointer into the data.'),
});

/** The lines of the answer to a submission. `ack` counts its own chunk, `end` the whole stream. */
export const streamLine = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('ack'),
    offset,
    repoSeq,
    ...counts,
    errors: z.array(refusedLine).optional(),
    undeclaredFields: z
      .array(undeclaredField)
      .optional()
      .describe('Stored fields that their shape does not declare. Each is listed once; the list may be incomplete.'),
  }),
  z.object({ type: z.literal('end'), offset, repoSeq, ...counts }),
  z.object({
    type: z.literal('error'),
    code: z.string(),
    message: z.string(),
    offset,
    line: z.int().optional().describe('The line that ended the stream, if a line did.'),
    details: z.unknown().optional(),
    retryAfter: z.number().optional(),
  }),
]);

/** A refused line of a stream, and the reason. */
export type RefusedLine = z.infer<typeof refusedLine>;
/** A stored field that the record's shape does not declare. */
export type UndeclaredField = z.infer<typeof undeclaredField>;
export type StreamLine = z.infer<typeof streamLine>;
export type StreamAck = Extract<StreamLine, { type: 'ack' }>;
export type StreamEnd = Extract<StreamLine, { type: 'end' }>;

export const streamStatus = z.object({
  streamId: z.string(),
  state: z.enum(['new', 'open', 'closed']).describe('`new`: no line has arrived yet.'),
  offset,
  repoSeq: z.int().describe('The sequence of the last commit of the stream; 0 for none.'),
  ...counts,
  lineAt: z.int().optional().describe('The time of the last line.'),
  closedAt: z.int().optional(),
  refused: z
    .array(refusedLine)
    .optional()
    .describe('With `refusedAfter`: up to 1,000 refused lines after it, in order.'),
});

/** The progress of a stream, and the results of its lines. */
export type StreamStatus = z.infer<typeof streamStatus>;

export const liveTicket = z.object({
  ticket: z.string().describe('Valid once: `GET /sse?ticket=...`.'),
  expiresAt: z.int().describe('One minute after the ticket was issued.'),
});

export const liveQuery = z.strictObject({ ticket: z.string().optional() });

/** `event: ready`, the first event. */
const liveReady = z.object({ repoSeq: z.int() });

/** `event: invalidate`; its id is the sequence too. It holds only names that the listener may see. */
const liveInvalidate = z.object({
  topic: z.literal('repo'),
  repoSeq: z.int(),
  affectedShapes: z.array(z.string()).describe('Shapes that changed, and shapes of changed records.'),
  affectedRecords: z.array(z.string()).describe('Records that were added, revised, retracted or renamed.'),
  affectedTargets: z.array(z.string()).describe('Records that the changed records are about or contain.'),
  truncated: z.literal(true).optional().describe('The names did not fit. Read everything again.'),
});

/** `event: revoked`, the last event: the right to listen has ended. */
const liveRevoked = z.object({ code: z.string(), message: z.string() });

/** A ticket that opens a live stream, once. */
export type LiveTicket = z.infer<typeof liveTicket>;
/** The sequence of a repository when a live connection opens. */
export type LiveReady = z.infer<typeof liveReady>;
/** The changed records of a repository, and the sequence that includes the change. */
export type LiveInvalidate = z.infer<typeof liveInvalidate>;
/** The reason why the right to listen has ended. */
export type LiveRevoked = z.infer<typeof liveRevoked>;
