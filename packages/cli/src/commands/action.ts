import { RUN_STATUSES, type RunStatus } from '@cairn/protocol/vocabulary';
import { type Command, Option } from 'commander';
import { UsageError } from '../exit-codes.ts';
import { addList, listed, wholeNumber } from '../flags.ts';
import type { Io } from '../io.ts';
import { parseLifetime } from '../scope.ts';
import { addOwner, openOwner, printed } from '../session.ts';

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

const RUNS = { columns: RUN_COLUMNS, pageMax: ACTION_PAGE_MAX };
const NOTIFICATIONS = { columns: NOTIFICATION_COLUMNS, pageMax: ACTION_PAGE_MAX };

export function addAction(program: Command, io: Io): void {
  const action = program
    .command('action')
    .summary('what became of subscriptions: runs, attempts, notifications')
    .description('Those of a repository, or with --org of an organization itself.');
  addRuns(action, io);
  addVerbs(action, io);
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

interface RunFlags extends StatusFlags, AfterFlags {
  readonly runId?: string;
  readonly subscription?: string;
  readonly since?: number;
}

function addAfter(command: Command): Command {
  return command.option('--after <time>', 'only what came since then: 2h ago, or 2026-01-31T12:00Z', moment);
}

function moment(text: string): number {
  if (/^\d+[mhd]$/.test(text)) return Math.max(0, Date.now() - parseLifetime(text));
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw new UsageError(`${text} is no time. Write 2h for two hours ago, or 2026-01-31T12:00Z.`);
  return at;
}

function addRuns(action: Command, io: Io): void {
  addAfter(addStatus(addOwner(addList(action.command('runs'), { pageMax: ACTION_PAGE_MAX }))))
    .summary('list runs, newest first: one for each commit that a subscription matched')
    .option('--run-id <run-id>', 'only this run')
    .option('--subscription <name>', 'only those of this subscription')
    .option('--since <repo-seq>', 'only those of this commit and later ones', wholeNumber)
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
    .summary('list the attempts of a run, in order, with how each was answered')
    .action(async (runId: string, _flags: object, command: Command) => {
      const { client, orgName, repoName, printPage } = openOwner(io, command);
      printPage(await client.action.attempts(orgName, repoName, runId), ATTEMPT_COLUMNS);
    });
  addAfter(addOwner(addList(action.command('notifications'), { pageMax: ACTION_PAGE_MAX })))
    .summary('list runs that failed for good, and subscriptions that the server paused, newest first')
    .action(
      listed(io, openOwner, NOTIFICATIONS, ({ client, orgName, repoName }, paging, { after: since }: AfterFlags) =>
        client.action.notifications(orgName, repoName, { since, ...paging }),
      ),
    );
  for (const [verb, procedure, summary] of [
    [
      'retry',
      'retry',
      'deliver a run at once: one that has failed, with as many attempts as at first, or one that waits',
    ],
    ['give-up', 'giveUp', 'try a run that waits no more; it is a dead letter, and can be retried'],
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
