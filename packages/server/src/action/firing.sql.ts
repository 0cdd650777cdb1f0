// Which subscriptions a commit fires. Their runs are written in the commit's own transaction: no commit without its runs, no
// run without its commit. Those of other repositories go to the outbox, which a job carries on (action/outbox.job.ts).
import { randomBytes } from 'node:crypto';
import { TRACE_DEPTH_MAX } from '@cairn/protocol/subscription-event';
import type { Trace, WriteOrder } from '../commit/drafting.sql.ts';
import type { Made, MadeRename } from '../commit/record-set.sql.ts';
import { isRename } from '../commit/record-write.write.ts';
import type { WriterMemory } from '../commit/writer-memory.rule.ts';
import type { Reader, Transaction } from '../engine/database.ts';
import { isBuiltInShape } from '../shape/built-in-shape.rule.ts';
import { fillOutbox } from './outbox-fill.write.ts';
import { beginRuns, type NewRun } from './run-begin.write.ts';
import { type FilteredOperation, shapeNameIn, toFiltered } from './subscription-filter.rule.ts';

interface Firing {
  readonly order: WriteOrder;
  readonly repoSeq: number;
  readonly made: readonly Made[];
  readonly memory: WriterMemory;
  readonly now: number;
}

interface WatchRow {
  readonly home_id: number;
  readonly subscription_id: string;
  readonly filter: string | null;
  readonly event: string | null;
  readonly allow_trace_reentry: number;
  readonly component: string | null;
}

/** What of a commit is for a subscription. */
interface Match {
  readonly event: string;
  readonly matched: readonly number[];
  readonly data?: Readonly<Record<string, unknown>>;
}

export async function fireSubscriptions(tx: Transaction, firing: Firing): Promise<void> {
  const { order, repoSeq, now } = firing;
  const { grant, trace, component } = order;
  const { repoId } = grant;
  const watches = await tx.query<WatchRow>(
    `select home_id, subscription_id, filter, event, allow_trace_reentry, component from watch
     where repo_id = $1 order by home_id, subscription_id`,
    [repoId],
  );
  const mayFire = (watch: WatchRow) =>
    watch.allow_trace_reentry === 1 || component === undefined || watch.component !== component;
  const joined = joinedTrace(trace);
  const fired = matchesOf(watches.filter(mayFire), firing).map(({ watch, match }) => ({
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

/** Without one that it joins, a commit begins a trace, which is that of all its runs. */
export function joinedTrace(trace: Trace | undefined): Trace {
  if (trace === undefined) return { traceId: randomBytes(16).toString('hex'), depth: 1, via: [] };
  return { ...trace, depth: trace.depth + 1 };
}

const NOTHING: ReadonlySet<string> = new Set();

interface Looping {
  readonly homeId: number;
  readonly trace: Trace | undefined;
  readonly fired: readonly { readonly watch: WatchRow }[];
}

/**
 * Subscriptions of a home that the trace ends: they ran in it before, or it is too deep. Only a trace that passed through a
 * delivery of the home ends any: with that of another, a writer could hide commits from the home's receivers.
 */
async function findLooped(reader: Reader, { homeId, trace, fired }: Looping): Promise<ReadonlySet<string>> {
  if (fired.length === 0 || !trace?.via.includes(homeId)) return NOTHING;
  if (trace.depth >= TRACE_DEPTH_MAX) return new Set(fired.map(({ watch }) => watch.subscription_id));
  const before = await findInTrace(reader, homeId, trace);
  const ended = fired.filter(({ watch }) => watch.allow_trace_reentry !== 1 && before.has(watch.subscription_id));
  return new Set(ended.map(({ watch }) => watch.subscription_id));
}

/** The subscriptions of a home that have run in the trace before. */
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

interface Fired {
  readonly watch: WatchRow;
  readonly match: Match;
}

function matchesOf(watches: readonly WatchRow[], { made, memory }: Firing): Fired[] {
  const sent = made.filter((one) => !isMadeOnTheWay(one));
  const operations = sent.map(operationOf);
  const renames = { thing: sent.filter(isRename).filter(isOfShape), shape: sent.filter(isRename).filter(isShape) };
  return watches.flatMap((watch) => {
    const { filter, event } = watch;
    const match =
      filter === null ? renamesMatch(event, renames) : operationsMatch(sent, operations.map(memory.filter(filter)));
    return match === undefined ? [] : [{ watch, match }];
  });
}

/** A built-in shape is made with its first record: it is no operation that anybody sent. */
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

/** The first is told by its names; all of them are among the operations. */
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
