// Triggers: finds the subscriptions that a commit matches. Their runs are written in the commit's own transaction, so
// neither exists without the other. Runs for other repositories go to the outbox (action/outbox.job.ts).
import { randomBytes } from 'node:crypto';
import { isBuiltInShape } from '@cairn/model/shape';
import { type CairnError, fail } from '@cairn/protocol/errors';
import { TRACE_DEPTH_MAX } from '@cairn/protocol/vocabulary';
import type { Draft } from '../commit/draft.sql.ts';
import type { Trace } from '../commit/drafting.sql.ts';
import { isRename } from '../commit/integrity.rule.ts';
import type { Made, MadeRename } from '../commit/record-set.sql.ts';
import { insertStatement } from '../commit/statement.sql.ts';
import type { Reader, Transaction } from '../engine/database.ts';
import { beginRuns, formatVia, type NewRun } from './run.write.ts';
import { type FilteredOperation, shapeNameIn, toFiltered, weightOf } from './subscription-filter.rule.ts';

interface WatchRow {
  readonly home_id: number;
  readonly subscription_id: string;
  readonly filter: string | null;
  readonly event: string | null;
  readonly allow_trace_reentry: number;
  readonly component: string | null;
}

interface Match {
  readonly event: string;
  readonly matched: readonly number[];
  readonly data?: Readonly<Record<string, unknown>>;
}

export async function fireSubscriptions(tx: Transaction, draft: Draft, now: number): Promise<void> {
  const { trace, component } = draft.request.order;
  const { repoId, repoSeq } = draft.records.start;
  const watches = await tx.query<WatchRow>(
    `select home_id, subscription_id, filter, event, allow_trace_reentry, component from watch
     where repo_id = $1 order by home_id, subscription_id`,
    [repoId],
  );
  const mayFire = (watch: WatchRow) =>
    watch.allow_trace_reentry === 1 || component === undefined || watch.component !== component;
  const joined = joinedTrace(trace);
  const fired = matchesOf(watches.filter(mayFire), draft).map(({ watch, match }) => ({
    watch,
    run: { subscriptionId: watch.subscription_id, ...joined, ...toRun(match), originRepoId: null, repoSeq },
  }));
  const own = fired.filter(({ watch }) => watch.home_id === repoId);
  const others = fired.filter(({ watch }) => watch.home_id !== repoId);
  const looped = await findLooped(tx, { homeId: repoId, trace, fired: own });
  const isSuppressed = ({ subscriptionId }: NewRun) => looped.has(subscriptionId);
  await beginRuns(tx, { homeId: repoId, runs: own.map(({ run }) => run), isSuppressed, now });
  const sent = others.map(({ watch, run }) => ({ homeId: watch.home_id, ...run }));
  await fillOutbox(tx, { repoId, sent, now });
}

export function joinedTrace(trace: Trace | undefined): Trace {
  if (trace === undefined) return { traceId: randomBytes(16).toString('hex'), depth: 1, via: [] };
  return { ...trace, depth: trace.depth + 1 };
}

const NO_SUBSCRIPTIONS: ReadonlySet<string> = new Set();

interface Looping {
  readonly homeId: number;
  readonly trace: Trace | undefined;
  readonly fired: readonly { readonly watch: WatchRow }[];
}

/** Only a trace through this owner's delivery counts, or a writer could hide commits from the owner's receivers. */
async function findLooped(reader: Reader, { homeId, trace, fired }: Looping): Promise<ReadonlySet<string>> {
  if (fired.length === 0 || !trace?.via.includes(homeId)) return NO_SUBSCRIPTIONS;
  if (trace.depth >= TRACE_DEPTH_MAX) return new Set(fired.map(({ watch }) => watch.subscription_id));
  const before = await findInTrace(reader, homeId, trace);
  const ended = fired.filter(({ watch }) => watch.allow_trace_reentry !== 1 && before.has(watch.subscription_id));
  return new Set(ended.map(({ watch }) => watch.subscription_id));
}

async function findInTrace(reader: Reader, homeId: number, trace: Trace): Promise<ReadonlySet<string>> {
  const rows = await reader.query<{ subscription_id: string }>(
    'select distinct subscription_id from run where repo_id = $1 and trace_id = $2',
    [homeId, trace.traceId],
  );
  return new Set(rows.map(({ subscription_id }) => subscription_id));
}

function toRun({ event, matched, data }: Match): Pick<NewRun, 'event' | 'matched' | 'data'> {
  return { event, matched: JSON.stringify(matched), data: data === undefined ? null : JSON.stringify(data) };
}

function matchesOf(
  watches: readonly WatchRow[],
  { records, request: { memory } }: Draft,
): { watch: WatchRow; match: Match }[] {
  const sent = records.made.filter((one) => !isMadeOnTheWay(one));
  const operations = sent.map(operationOf);
  const renames = { thing: sent.filter(isRename).filter(isOfShape), shape: sent.filter(isRename).filter(isShape) };
  return watches.flatMap((watch) => {
    const { filter, event } = watch;
    const match =
      filter === null ? renamesMatch(event, renames) : operationsMatch(sent, operations.map(memory.filter(filter)));
    return match === undefined ? [] : [{ watch, match }];
  });
}

function isMadeOnTheWay({ head, operation }: Made): boolean {
  return head.shapeId === 0 && operation === 'add' && isBuiltInShape(head.local);
}

const isShape = ({ head }: Made) => head.shapeId === 0;
const isOfShape = ({ head }: Made) => head.shapeId !== 0;

function operationOf(made: Made): FilteredOperation {
  const { operation, head, name } = made;
  const { kind, shapeId } = head;
  return toFiltered({ operation, kind, shapeId, name, nameBefore: isRename(made) ? nameBefore(made) : undefined });
}

function nameBefore({ head, name, oldLocal }: MadeRename): string {
  return head.shapeId === 0 ? oldLocal : `${shapeNameIn(name)}/${oldLocal}`;
}

function operationsMatch(made: readonly Made[], matches: readonly boolean[]): Match | undefined {
  const matching = made.filter((_, at) => matches[at]);
  if (matching.length === 0) return undefined;
  const retracts = matching.every(({ operation }) => operation === 'retract');
  return { event: retracts ? 'cairn.retract' : 'cairn.write', matched: matching.map(({ opIndex }) => opIndex) };
}

function renamesMatch(
  event: string | null,
  { thing, shape }: Readonly<Record<'thing' | 'shape', readonly MadeRename[]>>,
): Match | undefined {
  const renames = event === 'thing.renamed' ? thing : event === 'shape.renamed' ? shape : [];
  const [first] = renames;
  if (first === undefined) return undefined;
  const data = { from: nameBefore(first), to: first.name };
  return { event: `cairn.${event}`, matched: renames.map(({ opIndex }) => opIndex), data };
}

const WATCHES_MAX = 200;
/** The total for all filters: with it, a commit of ten thousand operations takes the writer less than a second. */
const WEIGHT_MAX = 500;

export interface WatchAddress {
  /** The repository whose commits are watched; for an organization's own subscriptions, its id negated. */
  readonly watchedId: number;
  readonly homeId: number;
  readonly subscriptionId: string;
}

/** Changes lock the repository's sequence, as commits do, so a commit sees rows and count as of one moment. */
interface Watch extends WatchAddress {
  readonly filter: string | null;
  readonly event: string | null;
  readonly allowTraceReentry: boolean;
  readonly component: string | null;
}

/** Locks owners until the transaction ends, always in the same order, so that transactions cannot deadlock. */
export async function lockHomes(tx: Transaction, homeIds: readonly number[]): Promise<void> {
  for (const homeId of [...new Set(homeIds)].sort((a, b) => a - b)) {
    const sql =
      homeId > 0 ? 'select repo_id from repo_sequence where repo_id = $1' : 'select id from organization where id = $1';
    await tx.query(`${sql} ${tx.forUpdate}`, [Math.abs(homeId)]);
  }
}

/** The caller must hold the lock on the watched repository. */
export async function setWatch(tx: Transaction, watch: Watch): Promise<void> {
  const { watchedId, homeId, subscriptionId, filter, event, allowTraceReentry, component } = watch;
  await tx.query(
    `insert into watch (repo_id, home_id, subscription_id, filter, event, allow_trace_reentry, component)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (repo_id, home_id, subscription_id) do update set filter = excluded.filter, event = excluded.event,
       allow_trace_reentry = excluded.allow_trace_reentry, component = excluded.component`,
    [watchedId, homeId, subscriptionId, filter, event, Number(allowTraceReentry), component],
  );
  const count = await countWatches(tx, watchedId);
  if (count > WATCHES_MAX) {
    throw tooMany(`A repository can have at most ${WATCHES_MAX} active subscriptions`, WATCHES_MAX);
  }
  if (filter !== null) await refuseHeavy(tx, watchedId);
}

async function refuseHeavy(tx: Transaction, watchedId: number): Promise<void> {
  const rows = await tx.query<{ filter: string }>(
    'select filter from watch where repo_id = $1 and filter is not null',
    [watchedId],
  );
  const weight = rows.reduce((sum, { filter }) => sum + weightOf(JSON.parse(filter)), 0);
  if (weight <= WEIGHT_MAX) return;
  const what = `The filters of all active subscriptions to a repository can have at most ${WEIGHT_MAX} predicates together; a glob with several wildcards counts as twenty`;
  throw tooMany(what, WEIGHT_MAX);
}

function tooMany(what: string, max: number): CairnError {
  const message = `${what}. Use fewer, or pause or delete other subscriptions first.`;
  return fail('CONFLICT', { message, details: { reason: 'limit', max } });
}

export async function removeWatch(tx: Transaction, { watchedId, homeId, subscriptionId }: WatchAddress): Promise<void> {
  const sql = 'delete from watch where repo_id = $1 and home_id = $2 and subscription_id = $3';
  await tx.query(sql, [watchedId, homeId, subscriptionId]);
  await countWatches(tx, watchedId);
}

async function countWatches(tx: Transaction, watchedId: number): Promise<number> {
  const [row] = await tx.query<{ n: number }>('select count(*) as n from watch where repo_id = $1', [watchedId]);
  const count = row?.n ?? 0;
  if (watchedId > 0) await tx.query('update repo_sequence set watched = $2 where repo_id = $1', [watchedId, count]);
  return count;
}

export async function removeWatchesBy(tx: Transaction, homeId: number): Promise<void> {
  const rows = await tx.query<{ repo_id: number; subscription_id: string }>(
    'select repo_id, subscription_id from watch where home_id = $1 and repo_id <> $1',
    [homeId],
  );
  await lockHomes(
    tx,
    rows.map(({ repo_id }) => repo_id),
  );
  for (const { repo_id: watchedId, subscription_id: subscriptionId } of rows) {
    await removeWatch(tx, { watchedId, homeId, subscriptionId });
  }
}

interface SentRun extends NewRun {
  readonly homeId: number;
}

const INSERT_OUTBOX = insertStatement('outbox', {
  repo_seq: 'bigint',
  home_id: 'bigint',
  subscription_id: 'text',
  event: 'text',
  trace_id: 'text',
  depth: 'bigint',
  via: 'text',
  matched: 'text',
  data: 'text',
  created_at: 'bigint',
});

/** A commit must not wait for transactions of other repositories, so their runs wait in the outbox. */
async function fillOutbox(
  tx: Transaction,
  { repoId, sent, now }: { repoId: number; sent: readonly SentRun[]; now: number },
): Promise<void> {
  if (sent.length === 0) return;
  const rows = sent.map(({ repoSeq, homeId, subscriptionId, event, traceId, depth, via, matched, data }) => [
    ...[repoSeq, homeId, subscriptionId, event, traceId, depth, formatVia(via)],
    ...[matched, data, now],
  ]);
  await tx.bulk(INSERT_OUTBOX, { common: [repoId], rows });
  await tx.query(
    `insert into work (repo_id, kind, work_key, owner, due_at) values ($1, 'outbox', $2, '', $3)
     on conflict (repo_id, kind, work_key) do update set due_at = excluded.due_at
       where work.claim is null and work.due_at > excluded.due_at`,
    [repoId, String(repoId), now],
  );
}
