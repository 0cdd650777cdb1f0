// What operations make of a repository, before anything of it is written: the same for a commit, a dry run and a chunk of
// a stream.
import { CairnError, fail } from '@cairn/protocol/errors';
import type { Grant } from '../access/grant.rule.ts';
import { compileNarrowing, type IsShown } from '../access/narrowing.rule.ts';
import type { Reader } from '../engine/database.ts';
import { attempt } from '../model/attempt.ts';
import type { Operation } from '../model/operation.ts';
import { formatIdentity } from '../model/reference.ts';
import type { CommitAuthor } from './chain.sql.ts';
import { ComponentGuard, type OwnInstall } from './component-guard.sql.ts';
import { CommitDraft } from './draft.sql.ts';
import { ERRORS_SHOWN_MAX, type FailedOutcome, Failures, refuseFailed } from './failure.rule.ts';
import { loadCommit } from './load.sql.ts';
import type { Outcome } from './outcome.rule.ts';
import { OPERATION_PLACES, type Places } from './place.rule.ts';
import { type RecordAddress, RecordSet } from './record-set.sql.ts';
import { type ReadableRepository, TargetSet } from './reference/target-set.sql.ts';
import { ShapeSet } from './shape-set.sql.ts';
import { type EarlierTokens, TokenSet } from './token-set.sql.ts';
import type { DataLimits } from './version-content.sql.ts';
import type { WriterMemory } from './writer-memory.rule.ts';

/** What is to be written, by whom, and how. */
export interface WriteOrder {
  readonly grant: Grant;
  readonly createdBy: string;
  /** A wref such as `Agent/bot`, on whose behalf it is written. */
  readonly committer?: string | undefined;
  /** Other repositories that the writer may read. */
  readonly readable: readonly ReadableRepository[];
  readonly message: string;
  /** Whether the writer has `repo:configure`, which some records need. */
  readonly mayConfigure: boolean;
  /** All operations or none; else each stands alone. */
  readonly atomic: boolean;
  readonly skipExisting: boolean;
  readonly limits: DataLimits;
  /** What led to it, where it follows from a delivery. */
  readonly trace?: Trace | undefined;
  /** The component that writes it. */
  readonly component?: string | undefined;
  /** Its install, or the one that it is written for. */
  readonly install?: OwnInstall | undefined;
}

/** A chain of deliveries and commits, and how many deliveries led here. */
export interface Trace {
  readonly traceId: string;
  readonly depth: number;
  /** The homes of the subscriptions whose deliveries led here. The trace suppresses runs of these homes alone. */
  readonly via: readonly number[];
}

export interface Sequence {
  readonly repoSeq: number;
  readonly lastRecordId: number;
  readonly commitId: Uint8Array | null;
  /** How many rows a full export has. */
  readonly exportRows: number;
  /** How many active subscriptions there are to the repository. */
  readonly watched: number;
}

export interface DraftRequest {
  readonly order: WriteOrder;
  /** Those that are refused whatever the state that they meet are errors already. */
  readonly operations: readonly (Operation | CairnError)[];
  /** An operation as it was sent, for who must be told that it failed. */
  readonly sentAt: (opIndex: number) => unknown;
  readonly sequence: Sequence;
  readonly memory: WriterMemory;
  readonly places?: Places;
  readonly earlier?: EarlierTokens;
}

export interface Drafted {
  readonly records: RecordSet;
  readonly shapes: ShapeSet;
  readonly tokens: TokenSet;
  readonly outcomes: readonly (Outcome | FailedOutcome)[];
  readonly committer: CommitAuthor['committer'];
}

/** A collection without a name may mean one that could not be foreseen, when its members were renamed on the way. */
const DRAFTS_MAX = 3;

export async function draftOperations(reader: Reader, request: DraftRequest): Promise<Drafted> {
  const addresses: RecordAddress[] = [];
  for (let drafts = 1; drafts <= DRAFTS_MAX; drafts++) {
    const { unknown, ...drafted } = await draftOnce(reader, request, addresses);
    if (unknown.length === 0) return drafted;
    addresses.push(...unknown);
  }
  throw fail('PAYLOAD_TOO_LARGE', {
    message:
      'Collections without a name depend on each other and on renames of this commit. Rename in a commit before.',
  });
}

async function draftOnce(
  reader: Reader,
  { order, sequence, memory, places = OPERATION_PLACES, earlier, operations, sentAt }: DraftRequest,
  /** To be loaded besides what the operations name. */
  addresses: readonly RecordAddress[],
): Promise<Drafted & { unknown: readonly RecordAddress[] }> {
  const { repoId, repository, writes } = order.grant;
  const repoSeq = sequence.repoSeq + 1;
  const records = new RecordSet({ repoId, repoSeq, lastRecordId: sequence.lastRecordId });
  const shapes = new ShapeSet({ repoId, repoSeq, records, memory });
  const tokens = new TokenSet({ places, earlier });
  const own = { repoId, orgName: repository.orgName, repoName: repository.name };
  const mayReferTo = referableBy(order.grant);
  const targets = new TargetSet({ repository: own, others: order.readable, records, tokens, mayReferTo });
  const { committer, limits, mayConfigure, install } = order;
  const guard = new ComponentGuard({ repoId, install, mayConfigure });
  await loadCommit(reader, { operations, committer, limits, records, shapes, targets, tokens, guard, addresses });
  const draft = new CommitDraft({ records, shapes, targets, tokens, limits, guard, writes });
  const outcomes = applyAll(draft, { atomic: order.atomic, operations, sentAt, tokens });
  draft.bindShapes();
  // What is wrong with the operations comes first: the committer may be one of the records that they fail to make.
  if (order.atomic && draft.unknown.length === 0) refuseFailed(outcomes, { count: operations.length, places });
  // After the operations: it may be one of the records that they make.
  const resolved = committer === undefined ? undefined : resolveCommitter(targets, committer);
  return { records, shapes, tokens, outcomes, committer: resolved, unknown: draft.unknown };
}

/** Who may write everything learns by that what there is. A component may refer to what it may read or write. */
function referableBy({ narrowing, writes }: Grant): IsShown | undefined {
  if (writes === undefined) return undefined;
  const [reads, written] = [compileNarrowing(narrowing), compileNarrowing(writes)];
  return (record) => reads(record) || written(record);
}

interface Application {
  readonly atomic: boolean;
  readonly operations: DraftRequest['operations'];
  readonly sentAt: DraftRequest['sentAt'];
  readonly tokens: TokenSet;
}

/** One after the other. Of what is all or none, no more than what is to be told is tried. */
function applyAll(draft: CommitDraft, { atomic, operations, sentAt, tokens }: Application): Drafted['outcomes'] {
  const failures = new Failures();
  const outcomes: (Outcome | FailedOutcome)[] = [];
  for (const [opIndex, operation] of operations.entries()) {
    const outcome = operation instanceof CairnError ? operation : attempt(() => draft.apply(operation, opIndex));
    if (!(outcome instanceof CairnError)) {
      outcomes.push(outcome);
      continue;
    }
    const raw = sentAt(opIndex);
    tokens.noteFailure(raw, { opIndex, code: outcome.code });
    const described = operation instanceof CairnError ? undefined : draft.describe(operation);
    outcomes.push(failures.add(raw, { opIndex, error: outcome, described }));
    if (atomic && failures.count >= ERRORS_SHOWN_MAX) break;
  }
  return outcomes;
}

function resolveCommitter(targets: TargetSet, text: string): CommitAuthor['committer'] {
  const resolved = attempt(() => targets.resolve(text));
  if (resolved instanceof CairnError) {
    const message = `committer: ${resolved.message}`;
    throw fail(resolved.code, { message, details: [{ path: 'committer', message: resolved.message }] });
  }
  return { identity: formatIdentity(resolved.identity), wref: resolved.wref };
}
