// Actions on the wire: runs, their attempts, notifications of failures, and what receivers report back.
import { z } from 'zod';
import { pageInput, pageOf } from './page.ts';
import { homeAddress, subscriptionName } from './subscription.ts';
import { ATTEMPT_OUTCOMES, RUN_STATUSES } from './vocabulary.ts';

const RUNS_MAX = 200;
const MESSAGE_CHARACTERS_MAX = 2_000;
const RESULT_CHARACTERS_MAX = 65_536;

export const runId = z.string().regex(/^run_[0-9a-hjkmnp-tv-z]{26}$/, 'expected a run id: run_ and 26 characters');

export const actionRun = z.object({
  runId: z.string(),
  subscriptionName: z.string(),
  status: z.enum(RUN_STATUSES),
  event: z.string().describe('The event of the delivery, such as cairn.write.'),
  traceId: z.string(),
  originRepo: z
    .object({ orgName: z.string(), repoName: z.string() })
    .optional()
    .describe('The repository of the commit, if it is another one.'),
  repoSeq: z.int().optional().describe('The sequence of the commit. Absent for events.'),
  attemptCount: z.int(),
  maxAttempts: z.int(),
  matchedOperationIndexes: z.array(z.int()),
  nextAttemptAt: z.int().optional(),
  lastErrorCode: z.string().optional(),
  lastErrorMessage: z.string().optional(),
  progress: z.number().optional().describe('From 0 to 1, as last reported by the receiver.'),
  message: z.string().optional().describe('As last reported by the receiver.'),
  result: z.unknown().optional().describe('As reported by the receiver.'),
  createdAt: z.int(),
  updatedAt: z.int(),
});

/** A commit that a subscription matched, and the state of its delivery. */
export type ActionRun = z.infer<typeof actionRun>;

const actionAttempt = z.object({
  attempt: z.int(),
  target: z.enum(['webhook', 'fallback']).describe('The URL of the subscription that was used.'),
  startedAt: z.int(),
  finishedAt: z.int().optional().describe('Absent while the attempt is in progress.'),
  outcome: z.enum(ATTEMPT_OUTCOMES).optional(),
  httpStatus: z.int().optional(),
  errorCode: z.string().optional(),
  errorMessage: z.string().optional(),
  durationMs: z.int().optional(),
  responseSnippet: z.string().optional().describe('The beginning of the response.'),
});

/** One attempt to deliver a run, with its time and the receiver's answer. */
export type ActionAttempt = z.infer<typeof actionAttempt>;

const actionNotification = z.object({
  notificationId: z.string(),
  runId: z.string().optional().describe('Absent if the server paused the subscription without a run.'),
  subscriptionName: z.string(),
  status: z.enum(['failed_terminal', 'dead_letter', 'paused']),
  runStatus: z
    .enum(RUN_STATUSES)
    .optional()
    .describe(
      'The current status of the run: succeeded after a successful retry. Absent if there is no run, or if it is no longer stored.',
    ),
  errorCode: z.string(),
  errorMessage: z.string(),
  attemptCount: z.int(),
  repoSeq: z.int().optional(),
  createdAt: z.int(),
});

/** A notification that a run failed for good, or that the server paused a subscription. */
export type ActionNotification = z.infer<typeof actionNotification>;

const since = z.coerce.number().int().min(0).describe('Unix milliseconds.');
const page = {
  limit: z.coerce.number().int().min(1).max(RUNS_MAX).default(50).describe('Maximum number of items on a page.'),
  cursor: pageInput.cursor,
};

const runChoice = {
  runId: runId.optional().describe('Only this run.'),
  subscription: subscriptionName.optional(),
  status: z.enum(RUN_STATUSES).optional(),
  sinceRepoSeq: z.coerce.number().int().min(0).optional().describe('Only runs of this commit and later commits.'),
  since: since.optional(),
  ...page,
};
const notificationChoice = { since: since.optional(), ...page };

export const runQuery = z.strictObject(runChoice);
export const notificationQuery = z.strictObject(notificationChoice);
export const runList = z.strictObject({ ...homeAddress, ...runChoice });
export const notificationList = z.strictObject({ ...homeAddress, ...notificationChoice });
export const runAddress = z.strictObject({ ...homeAddress, runId });

export const runPage = pageOf(actionRun);
export const attemptList = z.object({ items: z.array(actionAttempt) });
export const notificationPage = pageOf(actionNotification);

const callback = {
  status: z.enum(['processing', 'success', 'failure', 'retry_requested']),
  message: z.string().max(MESSAGE_CHARACTERS_MAX).optional(),
  progress: z.number().min(0).max(1).optional(),
  result: z
    .record(z.string(), z.unknown())
    .refine(
      (result) => JSON.stringify(result).length <= RESULT_CHARACTERS_MAX,
      `expected at most ${RESULT_CHARACTERS_MAX} characters as JSON`,
    )
    .optional(),
  error: z
    .strictObject({ code: z.string().min(1).max(100), message: z.string().max(MESSAGE_CHARACTERS_MAX) })
    .optional(),
};

export const callbackBody = z.strictObject(callback);
export const callbackInput = z.strictObject({ runId, ...callback });
export const callbackAnswer = z.object({ runId: z.string(), status: z.enum(RUN_STATUSES) });

/** A receiver's report on a run. */
export type CallbackBody = z.infer<typeof callbackBody>;
/** The status of a run after a report. */
export type CallbackAnswer = z.infer<typeof callbackAnswer>;
