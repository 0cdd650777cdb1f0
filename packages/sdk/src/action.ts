import type {
  ActionAttempt,
  ActionNotification,
  ActionRun,
  CallbackAnswer,
  CallbackBody,
} from '@cairn/protocol/action';
import type { ProcedureInput } from '@cairn/protocol/procedures';
import { type HomeName, homeOf } from './home.ts';
import { type List, listOf } from './list.ts';
import type { Call, CallOptions } from './transport.ts';

type Address = 'orgName' | 'repoName';

/** Which runs are listed. */
export type ListRuns = Omit<ProcedureInput<'action.runs'>, Address> & CallOptions;
/** What a list of notifications can be told. */
export type ListNotifications = Omit<ProcedureInput<'action.notifications'>, Address> & CallOptions;

/**
 * What became of subscriptions: a run for each commit that one matched, its attempts, and what failed for good. With
 * `null` in place of the repository, those of the organization itself.
 *
 * @example
 * for await (const { runId, status } of client.action.runs('acme', 'world', { subscription: 'signals' })) {
 *   for await (const { attempt, httpStatus } of client.action.attempts('acme', 'world', runId)) console.log(attempt, httpStatus);
 *   const error = { code: 'TOO_LATE', message: 'It is over.' };
 *   if (status === 'processing') await client.action.callback(runId, { status: 'failure', error });
 *   if (status === 'retry_wait') await client.action.giveUp('acme', 'world', runId);
 * }
 * for await (const { runId, errorMessage } of client.action.notifications('acme', 'world')) {
 *   console.log(errorMessage);
 *   if (runId !== undefined) await client.action.retry('acme', 'world', runId);
 * }
 */
export interface ActionSurface {
  /** The runs, newest first. */
  runs(orgName: string, repoName: HomeName, options?: ListRuns): List<ActionRun>;
  /** Every attempt of a run, in order. */
  attempts(orgName: string, repoName: HomeName, runId: string, options?: CallOptions): List<ActionAttempt>;
  /** The runs that failed for good, and the subscriptions that the server paused, newest first. */
  notifications(orgName: string, repoName: HomeName, options?: ListNotifications): List<ActionNotification>;
  /** Delivers a run at once: one that has failed, with as many attempts as at first, or one that waits for its next. */
  retry(orgName: string, repoName: HomeName, runId: string, options?: CallOptions): Promise<ActionRun>;
  /** Tries a run that waits no more. It is a dead letter, and can be retried. */
  giveUp(orgName: string, repoName: HomeName, runId: string, options?: CallOptions): Promise<ActionRun>;
  /** For receivers: how far a run is, or how it ended. The run is known by its id alone. */
  callback(runId: string, report: CallbackBody, options?: CallOptions): Promise<CallbackAnswer>;
}

export function actionSurface(call: Call): ActionSurface {
  return {
    runs: (orgName, repoName, options = {}) =>
      listOf(call, 'action.runs', { ...homeOf(orgName, repoName), ...options }),
    attempts: (orgName, repoName, runId, options) =>
      listOf(call, 'action.attempts', { ...homeOf(orgName, repoName), runId, ...options }),
    notifications: (orgName, repoName, options = {}) =>
      listOf(call, 'action.notifications', { ...homeOf(orgName, repoName), ...options }),
    retry: (orgName, repoName, runId, options) =>
      call('action.retry', { ...homeOf(orgName, repoName), runId, ...options }),
    giveUp: (orgName, repoName, runId, options) =>
      call('action.giveUp', { ...homeOf(orgName, repoName), runId, ...options }),
    callback: (runId, report, options) => call('action.callback', { runId, ...report, ...options }),
  };
}
