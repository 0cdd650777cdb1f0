// `cairn subscription log`: runs of one subscription, and with `--live` their updates.
import { setTimeout as pause } from 'node:timers/promises';
import { type ActionRun, CairnError, isRetryable, type ListRuns } from '@cairn/sdk';
import type { Command } from 'commander';
import { addList, type ListFlags, type PagingFlags, pagingOf, printList } from '../flags.ts';
import type { Io } from '../io.ts';
import type { LiveFlags } from '../live-list.ts';
import { oneLine, shownTime } from '../look.ts';
import { addOwner, type OwnerName, openOwner, type Session } from '../session.ts';
import { ACTION_PAGE_MAX, addStatus, RUN_COLUMNS, type StatusFlags } from './action.ts';

const SUBSCRIPTION_LOG_COLUMNS = RUN_COLUMNS.filter((name) => name !== 'subscriptionName');

type LogFlags = StatusFlags & ListFlags;

interface Log extends Session, OwnerName {
  readonly choice: ListRuns;
}

export function addSubscriptionLog(subscription: Command, io: Io): void {
  addStatus(addOwner(addList(subscription.command('log <name>'), { pageMax: ACTION_PAGE_MAX })))
    .summary('list the runs of a subscription, newest first')
    .option('--live', 'keep running, and show new and changed runs, newest last')
    .action(async (name: string, flags: LogFlags, command: Command) => {
      const session = openOwner(io, command);
      await refuseUnknown(session, name);
      const choice = { subscription: name, status: flags.status };
      const { live }: LiveFlags = command.optsWithGlobals();
      await (live ? follow({ ...session, choice }, flags) : printLog({ ...session, choice }, flags));
    });
}

/** A misspelt name would be followed forever. A deleted subscription may still have runs. */
async function refuseUnknown({ client, orgName, repoName }: Session & OwnerName, name: string): Promise<void> {
  try {
    await client.subscription.get(orgName, repoName, name);
  } catch (error) {
    if (!(error instanceof CairnError) || error.code !== 'NOT_FOUND') throw error;
    const { items } = await client.action.runs(orgName, repoName, { subscription: name, limit: 1 });
    if (items.length === 0) throw error;
  }
}

async function printLog(log: Log, flags: LogFlags): Promise<void> {
  await printList(log, {
    flags,
    columns: SUBSCRIPTION_LOG_COLUMNS,
    pageMax: ACTION_PAGE_MAX,
    list: (paging) => pageOf(log, paging),
  });
}

function pageOf({ client, orgName, repoName, choice }: Log, paging: PagingFlags) {
  return client.action.runs(orgName, repoName, { ...choice, ...paging });
}

/** Polls, because retries and callbacks change runs without a commit, and organizations have no live stream. */
const POLL_MS = 1_000;

async function follow(log: Log, flags: LogFlags): Promise<never> {
  const shown = createShown(log);
  const { items } = await pageOf(log, pagingOf(flags));
  shown.print(items);
  for (;;) {
    await pause(POLL_MS);
    try {
      shown.print(await newsOf(log, shown));
    } catch (error) {
      if (!isRetryable(error)) throw error;
      log.say(`${(error as Error).message} Trying again.`);
    }
  }
}

const FINAL: readonly string[] = ['succeeded', 'failed_terminal', 'dead_letter', 'suppressed'];

/** Limits the pages read per poll if an old run still waits for a retry. */
const PAGES_MAX = 10;

interface Shown {
  readonly isKnown: (run: ActionRun) => boolean;
  readonly open: Set<string>;
  /** Prints new and changed runs, oldest first. `runs` lists the newest first. */
  readonly print: (runs: readonly ActionRun[]) => void;
}

function createShown({ print }: Log): Shown {
  const states = new Map<string, string>();
  const open = new Set<string>();
  const forgetOldest = () => {
    const [oldest] = states.keys();
    if (oldest === undefined || states.size <= 2 * PAGES_MAX * ACTION_PAGE_MAX) return;
    states.delete(oldest);
    open.delete(oldest);
  };
  const show = (run: ActionRun) => {
    const { runId, status, updatedAt, attemptCount } = run;
    const state = `${status} ${updatedAt} ${attemptCount}`;
    if (states.get(runId) === state) return;
    print(run, lineOf(run));
    states.set(runId, state);
    if (FINAL.includes(status)) open.delete(runId);
    else open.add(runId);
    forgetOldest();
  };
  return {
    isKnown: ({ runId }) => states.has(runId),
    open,
    print: (runs) => {
      for (const run of runs.toReversed()) show(run);
    },
  };
}

/** Reads from the newest run back to the known ones, including all runs that may still change. */
async function newsOf(log: Log, { isKnown, open }: Shown): Promise<ActionRun[]> {
  const runs: ActionRun[] = [];
  const missing = new Set(open);
  let cursor: string | undefined;
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const page = await pageOf(log, { limit: ACTION_PAGE_MAX, ...(cursor !== undefined && { cursor }) });
    runs.push(...page.items);
    for (const { runId } of page.items) missing.delete(runId);
    cursor = page.nextCursor;
    if (cursor === undefined || (missing.size === 0 && page.items.some(isKnown))) break;
  }
  // These runs have left the list or are too far down to be seen again.
  for (const runId of missing) open.delete(runId);
  const oldest = runs.findLastIndex(isKnown);
  return oldest === -1 ? runs : runs.slice(0, oldest + 1);
}

const STATUS_WIDTH = Math.max(...FINAL.map((status) => status.length));

function lineOf(run: ActionRun): string {
  const { updatedAt, runId, status, event, repoSeq, attemptCount, maxAttempts, nextAttemptAt } = run;
  const parts = [
    shownTime(updatedAt),
    status.padEnd(STATUS_WIDTH),
    event,
    ...(repoSeq === undefined ? [] : [`commit ${repoSeq}`]),
    `attempt ${attemptCount} of ${maxAttempts}`,
    ...(nextAttemptAt === undefined || status !== 'retry_wait' ? [] : [`next ${shownTime(nextAttemptAt)}`]),
    ...reportOf(run),
    runId,
  ];
  return parts.join('  ');
}

function reportOf({ status, lastErrorCode, lastErrorMessage, progress, message }: ActionRun): string[] {
  if (status === 'succeeded') return [];
  if (lastErrorCode !== undefined) return [oneLine(`${lastErrorCode}: ${lastErrorMessage ?? ''}`)];
  const percent = progress === undefined ? [] : [`${Math.round(progress * 100)} %`];
  return [...percent, ...(message === undefined ? [] : [oneLine(message)])];
}
