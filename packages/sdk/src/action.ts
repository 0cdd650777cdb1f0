import type {
  ActionAttempt,
  ActionNotification,
  ActionRun,
  CallbackAnswer,
  CallbackBody,
} from '@cairn/protocol/action';
import type { Page } from '@cairn/protocol/page';
import type { ProcedureInput } from '@cairn/protocol/procedures';
import { type HomeName, homeOf } from './home.ts';
import type { Call } from './transport.ts';

type Address = 'orgName' | 'repoName';

export type ListRuns = Omit<ProcedureInput<'action.runs'>, Address>;
export type ListNotifications = Omit<ProcedureInput<'action.notifications'>, Address>;

/**
 * What became of subscriptions: a run for each commit that one matched, its attempts, and what failed for good. With
 * `null` in place of the repository, those of the organization itself.
 *
 * @example
 * const { items } = await client.action.runs('acme', 'world', { subscription: 'signals', status: 'dead_letter' });
 * for (const { runId } of items) await client.action.retry('acme', 'world', runId);
 */
export interface ActionSurface {
  /** A page of runs, newest first. */
  runs(orgName: string, repoName: HomeName, options?: ListRuns): Promise<Page<ActionRun>>;
  /** Every attempt of a run, in order. */
  attempts(orgName: string, repoName: HomeName, runId: string): Promise<{ items: ActionAttempt[] }>;
  /** A page of the runs that failed for good, and of the subscriptions that the server paused, newest first. */
  notifications(orgName: string, repoName: HomeName, options?: ListNotifications): Promise<Page<ActionNotification>>;
  /** Delivers a run that has failed once more, with as many attempts as at first. */
  retry(orgName: string, repoName: HomeName, runId: string): Promise<ActionRun>;
  /** For receivers: how far a run is, or how it ended. The run is known by its id alone. */
  callback(runId: string, report: CallbackBody): Promise<CallbackAnswer>;
}

export function actionSurface(call: Call): ActionSurface {
  return {
    runs: (orgName, repoName, options = {}) => call('action.runs', { ...homeOf(orgName, repoName), ...options }),
    attempts: (orgName, repoName, runId) => call('action.attempts', { ...homeOf(orgName, repoName), runId }),
    notifications: (orgName, repoName, options = {}) =>
      call('action.notifications', { ...homeOf(orgName, repoName), ...options }),
    retry: (orgName, repoName, runId) => call('action.retry', { ...homeOf(orgName, repoName), runId }),
    callback: (runId, report) => call('action.callback', { runId, ...report }),
  };
}
