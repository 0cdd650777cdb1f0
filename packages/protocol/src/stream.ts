// Streams on the wire. In: operations line by line, acknowledged chunk by chunk. Out: a ticket opens the live stream,
// which names the changed records but not their changes.
import { z } from 'zod';
import { repoAddress } from './organization.ts';

export const streamId = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,128}$/, 'not a stream id: 1 to 128 of A-Z, a-z, 0-9, ., _ and -');

export const streamAddress = z.strictObject({ ...repoAddress, streamId });

export const streamStatusInput = z.strictObject({
  ...streamAddress.shape,
  refusedAfter: z
    .int()
    .min(0)
    .optional()
    .describe(
      'Asks for the lines that were refused after this one, of the last 20,000: their acknowledgement was lost.',
    ),
});

export const submissionQuery = z.strictObject({
  offset: z.coerce.number().int().min(0).default(0).describe('How many lines of this stream were sent before.'),
  message: z.string().max(2_000).default('').describe('Of the commits that the lines are written by.'),
  committer: z.string().optional().describe('A wref such as `Agent/bot`, on whose behalf the lines are written.'),
  atomicity: z
    .enum(['none', 'chunk'])
    .default('none')
    .describe(
      '`none`: each operation stands alone. `chunk`: one that fails ends the stream, and its chunk is not applied.',
    ),
  skipExisting: z
    .enum(['true', 'false'])
    .default('false')
    .describe('Leaves records that exist already as they are, instead of refusing to add them.'),
});

export type SubmissionQuery = z.output<typeof submissionQuery>;

const counts = {
  applied: z.int().describe('Operations that changed something.'),
  noop: z.int().describe('Operations that had nothing to change.'),
  error: z.int().describe('Operations that were refused.'),
};

/** Blank lines count as lines, but not as operations. */
const offset = z.int().describe('How many lines of the stream are durable. A stream that was cut goes on from there.');
const repoSeq = z.int().describe('Where the repository stands after them.');

const refusedLine = z.object({
  line: z.int().describe('Counted from 1, over the whole stream.'),
  code: z.string(),
  message: z.string(),
  details: z.unknown().optional(),
});

const undeclaredField = z.object({
  line: z.int().describe('The first that has it, counted from 1 over the whole stream.'),
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
      .describe('Fields that were stored though their shape declares none of that name: each once, and some of them.'),
  }),
  z.object({ type: z.literal('end'), offset, repoSeq, ...counts }),
  z.object({
    type: z.literal('error'),
    code: z.string(),
    message: z.string(),
    offset,
    line: z.int().optional().describe('The line that ended the stream, where it was one.'),
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
  state: z.enum(['new', 'open', 'closed']).describe('`new`: no line of it has come yet.'),
  offset,
  repoSeq: z.int().describe('The last commit that the stream made; 0 for none.'),
  ...counts,
  lineAt: z.int().optional().describe('When the last line came.'),
  closedAt: z.int().optional(),
  refused: z
    .array(refusedLine)
    .optional()
    .describe('Where `refusedAfter` was given: up to 1,000 lines that were refused after it, in order.'),
});

/** The progress of a stream, and the results of its lines. */
export type StreamStatus = z.infer<typeof streamStatus>;

export const liveTicket = z.object({
  ticket: z.string().describe('Good once: `GET /sse?ticket=...`.'),
  expiresAt: z.int().describe('A minute after it was issued.'),
});

export const liveQuery = z.strictObject({ ticket: z.string().optional() });

/** `event: ready`, the first event. */
const liveReady = z.object({ repoSeq: z.int() });

/** `event: invalidate`; its id is the sequence too. It holds only names that the listener may see. */
const liveInvalidate = z.object({
  topic: z.literal('repo'),
  repoSeq: z.int(),
  affectedShapes: z.array(z.string()).describe('Shapes that were changed, or whose records were.'),
  affectedRecords: z.array(z.string()).describe('Records that were added, revised, retracted or renamed.'),
  affectedTargets: z
    .array(z.string())
    .describe('What changed records are about or contain: what is said of it changed.'),
  truncated: z.literal(true).optional().describe('There were more names than fit: read everything again.'),
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
