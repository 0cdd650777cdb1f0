// `cairn action`: what became of subscriptions.
import { RUN_STATUSES, type RunStatus } from '@cairn/protocol/vocabulary';
import { type Command, Option } from 'commander';
import { UsageError } from '../exit-codes.ts';
import { addList, type ListFlags, type PagingFlags, printList, wholeNumber } from '../flags.ts';
import type { Io } from '../io.ts';
import { parseLifetime } from '../scope.ts';
import { addHome, openHome } from '../session.ts';

/** Of the lists of runs and notifications. */
export const ACTION_PAGE_MAX = 200;
export const RUN_COLUMNS = [
  'runId',
  'subscriptionName',
  'status',
  'event',
  'repoSeq',
  'attemptCount',
  'nextAttemptAt',
  'updatedAt',
  'lastErrorCode',
  'lastErrorMessage',
];
const ATTEMPT_COLUMNS = [
  'attempt',
  'target',
  'startedAt',
  'outcome',
  'httpStatus',
  'errorCode',
  'errorMessage',
  'durationMs',
  'responseSnippet',
];
const NOTIFICATION_COLUMNS = [
  'createdAt',
  'subscriptionName',
  'status',
  'runStatus',
  'errorCode',
  'errorMessage',
  'repoSeq',
  'runId',
];

export function addAction(program: Command, io: Io): void {
  const action = program
    .command('action')
    .summary('what became of subscriptions: runs, attempts, notifications')
    .description('Those of a repository, or with --org of an organization itself.');
  addRuns(action, io);
  addAttempts(action, io);
  addNotifications(action, io);
  addRetry(action, io);
  addGiveUp(action, io);
}

export interface StatusFlags {
  readonly status?: RunStatus;
}

export function addStatus(command: Command): Command {
  return command.addOption(new Option('--status <status>', 'only runs that stand so').choices(RUN_STATUSES));
}

interface AfterFlags {
  readonly after?: number;
}

interface RunFlags extends StatusFlags, AfterFlags, ListFlags {
  readonly runId?: string;
  readonly subscription?: string;
  readonly since?: number;
}

function addAfter(command: Command): Command {
  return command.option('--after <time>', 'only what came since then: 2h ago, or 2026-01-31T12:00Z', moment);
}

/** A length of time ago, or a point in time. */
function moment(text: string): number {
  if (/^\d+[mhd]$/.test(text)) return Math.max(0, Date.now() - parseLifetime(text));
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw new UsageError(`${text} is no time. Write 2h for two hours ago, or 2026-01-31T12:00Z.`);
  return at;
}

function addRuns(action: Command, io: Io): void {
  addAfter(addStatus(addHome(addList(action.command('runs'), { pageMax: ACTION_PAGE_MAX }))))
    .summary('list runs, newest first: one for each commit that a subscription matched')
    .option('--run-id <run-id>', 'only this run')
    .option('--subscription <name>', 'only those of this subscription')
    .option('--since <repo-seq>', 'only those of this commit and later ones', wholeNumber)
    .action(async (flags: RunFlags, command: Command) => {
      const session = openHome(io, command);
      const { client, orgName, repoName } = session;
      const { runId, subscription, status, since, after } = flags;
      const choice = {
        ...(runId !== undefined && { runId }),
        ...(subscription !== undefined && { subscription }),
        ...(status !== undefined && { status }),
        ...(since !== undefined && { sinceRepoSeq: since }),
        ...(after !== undefined && { since: after }),
      };
      const list = (paging: PagingFlags) => client.action.runs(orgName, repoName, { ...choice, ...paging });
      await printList(session, { flags, columns: RUN_COLUMNS, pageMax: ACTION_PAGE_MAX, list });
    });
}

function addAttempts(action: Command, io: Io): void {
  addHome(action.command('attempts <run-id>'))
    .summary('list the attempts of a run, in order, with how each was answered')
    .action(async (runId: string, _flags: object, command: Command) => {
      const { client, orgName, repoName, printPage } = openHome(io, command);
      printPage(await client.action.attempts(orgName, repoName, runId), ATTEMPT_COLUMNS);
    });
}

function addNotifications(action: Command, io: Io): void {
  addAfter(addHome(addList(action.command('notifications'), { pageMax: ACTION_PAGE_MAX })))
    .summary('list runs that failed for good, and subscriptions that the server paused, newest first')
    .action(async (flags: AfterFlags & ListFlags, command: Command) => {
      const session = openHome(io, command);
      const { client, orgName, repoName } = session;
      const choice = flags.after !== undefined && { since: flags.after };
      const list = (paging: PagingFlags) => client.action.notifications(orgName, repoName, { ...choice, ...paging });
      await printList(session, { flags, columns: NOTIFICATION_COLUMNS, pageMax: ACTION_PAGE_MAX, list });
    });
}

function addRetry(action: Command, io: Io): void {
  addHome(action.command('retry <run-id>'))
    .summary('deliver a run at once: one that has failed, with as many attempts as at first, or one that waits')
    .action(async (runId: string, _flags: object, command: Command) => {
      const { client, orgName, repoName, print } = openHome(io, command);
      print(await client.action.retry(orgName, repoName, runId));
    });
}

function addGiveUp(action: Command, io: Io): void {
  addHome(action.command('give-up <run-id>'))
    .summary('try a run that waits no more; it is a dead letter, and can be retried')
    .action(async (runId: string, _flags: object, command: Command) => {
      const { client, orgName, repoName, print } = openHome(io, command);
      print(await client.action.giveUp(orgName, repoName, runId));
    });
}
