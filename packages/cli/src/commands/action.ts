import { RUN_STATUSES, type RunStatus } from '@cairn/protocol/vocabulary';
import { type Command, Option } from 'commander';
import { UsageError } from '../exit-codes.ts';
import { addList, listed, wholeNumber } from '../flags.ts';
import type { Io } from '../io.ts';
import { parseLifetime } from '../scope.ts';
import { addOwner, openOwner, printed } from '../session.ts';

export const ACTION_PAGE_MAX = 200;
export const RUN_COLUMNS = [
  ...['subscriptionName', 'status', 'event', 'lastErrorCode', 'lastErrorMessage', 'updatedAt', 'attemptCount'],
  ...['nextAttemptAt', 'repoSeq', 'runId'],
];
const ATTEMPT_COLUMNS = [
  ...['attempt', 'outcome', 'httpStatus', 'errorCode', 'errorMessage', 'responseSnippet', 'startedAt', 'durationMs'],
  'target',
];
const NOTIFICATION_COLUMNS = [
  ...['subscriptionName', 'status', 'runStatus', 'errorCode', 'errorMessage', 'createdAt', 'repoSeq', 'runId'],
];

const RUNS = { columns: RUN_COLUMNS, pageMax: ACTION_PAGE_MAX };
const NOTIFICATIONS = { columns: NOTIFICATION_COLUMNS, pageMax: ACTION_PAGE_MAX };

export function addAction(program: Command, io: Io): void {
  const action = program
    .command('action')
    .summary('deliveries of subscriptions: runs, attempts, notifications')
    .description('Shows deliveries of a repository, or with --org of an organization.');
  addRuns(action, io);
  addVerbs(action, io);
}

export interface StatusFlags {
  readonly status?: RunStatus;
}

export function addStatus(command: Command): Command {
  return command.addOption(new Option('--status <status>', 'only runs with this status').choices(RUN_STATUSES));
}

interface RunFlags extends StatusFlags {
  readonly after?: number;
  readonly runId?: string;
  readonly subscription?: string;
  readonly since?: number;
}

function addAfter(command: Command): Command {
  return command.option(
    '--after <time>',
    'only entries since then: 2h for two hours ago, or 2026-01-31T12:00Z',
    moment,
  );
}

function moment(text: string): number {
  if (/^\d+[mhd]$/.test(text)) return Math.max(0, Date.now() - parseLifetime(text));
  const at = Date.parse(text);
  if (Number.isNaN(at))
    throw new UsageError(`${text} is not a time. Write 2h for two hours ago, or 2026-01-31T12:00Z.`);
  return at;
}

function addRuns(action: Command, io: Io): void {
  addAfter(addStatus(addOwner(addList(action.command('runs'), { pageMax: ACTION_PAGE_MAX }))))
    .summary('list runs, newest first: one for each commit that a subscription matched')
    .option('--run-id <run-id>', 'only this run')
    .option('--subscription <name>', 'only runs of this subscription')
    .option('--since <repo-seq>', 'only runs of this commit and later ones', wholeNumber)
    .action(
      listed(io, openOwner, RUNS, ({ client, orgName, repoName }, paging, flags: RunFlags) => {
        const { runId, subscription, status, since: sinceRepoSeq, after: since } = flags;
        const choice = { runId, subscription, status, sinceRepoSeq, since };
        return client.action.runs(orgName, repoName, { ...choice, ...paging });
      }),
    );
}

function addVerbs(action: Command, io: Io): void {
  addOwner(action.command('attempts <run-id>'))
    .summary('list the attempts of a run with their outcomes, oldest first')
    .action(async (runId: string, _flags: object, command: Command) => {
      const { client, orgName, repoName, printPage } = openOwner(io, command);
      printPage(await client.action.attempts(orgName, repoName, runId), ATTEMPT_COLUMNS);
    });
  addAfter(addOwner(addList(action.command('notifications'), { pageMax: ACTION_PAGE_MAX })))
    .summary('list runs that failed permanently, and subscriptions that the server paused, newest first')
    .action(
      listed(
        io,
        openOwner,
        NOTIFICATIONS,
        ({ client, orgName, repoName }, paging, { after: since }: { after?: number }) =>
          client.action.notifications(orgName, repoName, { since, ...paging }),
      ),
    );
  for (const [verb, procedure, summary] of [
    ['retry', 'retry', 'deliver a failed or waiting run now; a failed run gets all of its attempts again'],
    ['give-up', 'giveUp', 'stop retrying a waiting run; it becomes a dead letter, which can be retried'],
  ] as const) {
    addOwner(action.command(`${verb} <run-id>`))
      .summary(summary)
      .action(
        printed(io, openOwner, ({ client, orgName, repoName }, runId: string) =>
          client.action[procedure](orgName, repoName, runId),
        ),
      );
  }
}
