// Operations on runs of subscriptions: lists, retries and reports from receivers.
import { CairnError, fail } from '@cairn/protocol/errors';
import type { ProcedureArguments, ProcedureOutput } from '@cairn/protocol/procedures';
import { accountOf, authorize, refusePaused, requireCredential } from '../access/access.ts';
import type { Context } from '../access/context.ts';
import { openList } from '../access/cursor.ts';
import { authorizeHome } from '../access/home.ts';
import { authorizeOrganization } from '../access/organization-access.ts';
import { findOrganizationName } from '../repository/organization.sql.ts';
import { findRepositories } from '../repository/repository.sql.ts';
import { retryTime } from './delivery/delivery-verdict.ts';
import { listNotifications as findNotifications } from './notification.sql.ts';
import { homeOfRun } from './run-id.rule.ts';
import { type FoundRun, listAttempts as findAttempts, findRun, listRuns as findRuns } from './run-read.sql.ts';
import { runNotFound } from './run-report.write.ts';

const attemptsMaxOf = ({ webhookRetrySeconds }: Context) => 1 + webhookRetrySeconds.length;

export async function listRuns(
  context: Context,
  input: ProcedureArguments<'action.runs'>,
): Promise<ProcedureOutput<'action.runs'>> {
  const { runId, subscription, status, sinceRepoSeq, since, limit, cursor } = input;
  const { homeId } = await authorizeHome(context, input);
  const chosen = { homeId, runId, subscription, status, sinceRepoSeq, since };
  const list = openList<[number, string, number]>(context, 'action.runs', chosen, { cursor, limit });
  const page = { ...chosen, before: list.after, limit: limit + 1, attemptsMax: attemptsMaxOf(context) };
  const found = await findRuns(context.store.database, page);
  const { items, ...next } = list.toPage(found, ({ run, position }) => [run.createdAt, run.runId, position]);
  return { items: items.map(({ run }) => run), ...next };
}

export async function listAttempts(
  context: Context,
  { runId, ...address }: ProcedureArguments<'action.attempts'>,
): Promise<ProcedureOutput<'action.attempts'>> {
  const { homeId } = await authorizeHome(context, address);
  const { key } = await getOwnRun(context, { homeId, runId });
  return { items: await findAttempts(context.store.database, key) };
}

export async function listNotifications(
  context: Context,
  input: ProcedureArguments<'action.notifications'>,
): Promise<ProcedureOutput<'action.notifications'>> {
  const { since, limit, cursor } = input;
  const { homeId } = await authorizeHome(context, input);
  const list = openList<[number, string]>(context, 'action.notifications', { homeId, since }, { cursor, limit });
  const page = { since: since ?? 0, before: list.after, limit: limit + 1 };
  const found = await findNotifications(context.store.database, homeId, page);
  return list.toPage(found, (last) => [last.createdAt, last.notificationId]);
}

export async function retryRun(
  context: Context,
  { runId, ...address }: ProcedureArguments<'action.retry'>,
): Promise<ProcedureOutput<'action.retry'>> {
  const { homeId } = await authorizeHome(context, address);
  const { key } = await getOwnRun(context, { homeId, runId });
  await context.store.write.retryRun({
    ...key,
    attemptsMax: attemptsMaxOf(context),
    now: await context.store.database.now(),
  });
  return (await getOwnRun(context, { homeId, runId })).run;
}

export async function giveUpRun(
  context: Context,
  { runId, ...address }: ProcedureArguments<'action.giveUp'>,
): Promise<ProcedureOutput<'action.giveUp'>> {
  const { homeId } = await authorizeHome(context, address);
  const { key } = await getOwnRun(context, { homeId, runId });
  await context.store.write.giveUpRun({ ...key, now: await context.store.database.now() });
  return (await getOwnRun(context, { homeId, runId })).run;
}

async function getOwnRun(context: Context, place: { homeId: number; runId: string }): Promise<FoundRun> {
  const found = await getRun(context, place);
  if (found !== undefined) return found;
  throw fail('NOT_FOUND', { message: 'There is no run with this id. List the runs to see their ids.' });
}

async function getRun(context: Context, place: { homeId: number; runId: string }): Promise<FoundRun | undefined> {
  return await findRun(context.store.database, { ...place, attemptsMax: attemptsMaxOf(context) });
}

export async function reportRun(
  context: Context,
  { runId, ...report }: ProcedureArguments<'action.callback'>,
): Promise<ProcedureOutput<'action.callback'>> {
  const { key, attemptCount, maxAttempts } = await authorizeReport(context, runId);
  const now = await context.store.database.now();
  const schedule = { now, retrySeconds: context.webhookRetrySeconds, chance: Math.random() };
  const retryAt = retryTime({ attempt: attemptCount, maxAttempts }, schedule);
  const input = { ...key, report, now, retryAt, attemptsMax: attemptsMaxOf(context) };
  return { runId, status: await context.store.write.reportRun(input) };
}

/** Unknown, hidden and other components' runs get the same 404 before the scope is checked. */
export async function authorizeReport(context: Context, runId: string): Promise<FoundRun> {
  const { principal } = context;
  requireCredential(principal, 'repo:action-callback');
  refusePaused(principal);
  const homeId = homeOfRun(runId);
  const own = principal.kind === 'component' ? principal : undefined;
  if (homeId === undefined || (own !== undefined && own.repoId !== homeId)) throw runNotFound();
  const found = await getRun(context, { homeId, runId });
  if (found === undefined || (own !== undefined && own.component !== found.component)) throw runNotFound();
  try {
    await authorizeScope(context, homeId);
  } catch (error) {
    if (error instanceof CairnError && error.code === 'NOT_FOUND') throw runNotFound();
    throw error;
  }
  return found;
}

async function authorizeScope(context: Context, homeId: number): Promise<void> {
  const { database } = context.store;
  if (homeId < 0) {
    const orgName = await findOrganizationName(database, -homeId);
    if (orgName === undefined) throw runNotFound();
    await authorizeOrganization(context, orgName, 'org:action-callback');
    return;
  }
  const choice = { addresses: [], repoIds: [homeId] };
  const [repository] = await findRepositories(database, choice, accountOf(context.principal));
  if (repository === undefined) throw runNotFound();
  const { orgName, name: repoName } = repository.repository;
  await authorize(context, { orgName, repoName }, 'repo:action-callback');
}
