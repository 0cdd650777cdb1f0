import { hash } from 'node:crypto';
import { canonicalJson } from '@cairn/model/json';
import { invalidField } from '@cairn/model/operation';
import { parsePlaceholderReference } from '@cairn/model/placeholder';
import { attempt } from '@cairn/model/problem';
import { parseWref, repositoriesIn } from '@cairn/model/wref';
import type { CommitRecord, CommitResult, OperationResult } from '@cairn/protocol/commit';
import { CairnError, fail } from '@cairn/protocol/errors';
import type { Page } from '@cairn/protocol/page';
import type { ProcedureArguments, ProcedureOutput } from '@cairn/protocol/procedures';
import type { RecordItem } from '@cairn/protocol/record';
import {
  authorize,
  authorizeCommit,
  authorizeDryRun,
  authorOf,
  followOf,
  hasScope,
  mayReadAll,
  ownerOf,
} from '../access/access.ts';
import { shownAuthor } from '../access/audit.ts';
import type { Context } from '../access/context.ts';
import { openList } from '../access/cursor.ts';
import type { Grant } from '../access/grant.rule.ts';
import { causeOf } from '../action/trace.ts';
import { isAccessChanged } from '../engine/access-epoch.ts';
import { refuseBefore, sequenceOf } from '../read/thing.ts';
import { findReadable } from '../read/wref.ts';
import type { CommitInput } from './commit.write.ts';
import { listCommits, readCommit } from './commit-read.sql.ts';
import { readReceipt } from './receipt.sql.ts';
import { FIND_HEADS, type HeadRow } from './statement.sql.ts';
import type { DataLimits } from './version-content.sql.ts';

// The same limit that the HTTP layer sets for requests.
const CONTENT_DEPTH_MAX = 200;

type CommitRequest = ProcedureArguments<'commit.submit'>;

export async function submitCommit(context: Context, request: CommitRequest): Promise<CommitResult> {
  const { view, likelyView, prove } = context;
  if (view === undefined && likelyView !== undefined && prove !== undefined) {
    const result = await submitLikely({ ...context, view: likelyView }, request, likelyView.epoch);
    return result ?? (await submitCommit(await prove(), request));
  }
  const grant = await authorizeCommit(context, request);
  return forCaller(context, grant, await context.store.write.commit(await commitInput(context, grant, request)));
}

/** `undefined` if the caller must be looked up first. The writer checks the access epoch of the remembered rights. */
async function submitLikely(
  context: Context,
  request: CommitRequest,
  accessEpoch: number,
): Promise<CommitResult | undefined> {
  let isSent = false;
  try {
    const grant = await authorizeCommit(context, request);
    const input = await commitInput(context, grant, request);
    isSent = true;
    return forCaller(context, grant, await context.store.write.commit({ ...input, accessEpoch }));
  } catch (error) {
    if (error instanceof CairnError && (!isSent || isAccessChanged(error))) return undefined;
    throw error;
  }
}

export async function validateCommit(context: Context, request: CommitRequest): Promise<CommitResult> {
  const grant = await authorizeDryRun(context, request);
  const { submission: _, ...input } = await commitInput(context, grant, request);
  const result = forCaller(context, grant, await context.store.write.dryRunCommit(input));
  return mayReadAll(context, grant) ? result : { ...result, operations: result.operations.map(withoutEquality) };
}

/** A dry run leaves no trace, so callers could guess data with it: a revise without effect confirms the guess. */
function withoutEquality(result: OperationResult): OperationResult {
  if (result.operation !== 'revise' || result.status !== 'noop') return result;
  return { ...result, status: 'applied', version: (result.version ?? 0) + 1 };
}

/** A data hash confirms a guess of the data, so only callers who may read the record and its targets get it. */
function forCaller(context: Context, grant: Grant, result: CommitResult): CommitResult {
  if (mayReadAll(context, grant) && followOf(context) === undefined) return result;
  return { ...result, operations: result.operations.map(({ dataHash: _, ...operation }) => operation) };
}

async function commitInput(context: Context, grant: Grant, request: CommitRequest): Promise<CommitInput> {
  const { principal, limits } = context;
  const { operations, message = '', atomic = true, skipExisting = false, committer, submissionId } = request;
  if (operations.length > limits.commitOperations) {
    throw fail('PAYLOAD_TOO_LARGE', {
      message: `A commit can have at most ${limits.commitOperations} operations. This one has ${operations.length}. Send several commits.`,
      details: { maxOperations: limits.commitOperations },
    });
  }
  if (committer !== undefined) checkCommitter(committer);
  const referred = repositoriesIn([operations, committer]);
  const readable = referred.length === 0 ? [] : await findReadable(context, grant, referred);
  const { dataBytes, dataDepth, commitReferences } = limits;
  const dataLimits = { dataBytes, dataDepth, commitReferences };
  return {
    grant,
    createdBy: authorOf(principal),
    committer,
    readable,
    message,
    operations: await checkedAhead(context, grant, { operations, skipExisting, limits: dataLimits }),
    mayConfigure: hasScope(context, grant, 'repo:configure'),
    atomic,
    skipExisting,
    limits: dataLimits,
    ...((context.trace !== undefined || principal.kind === 'component') && causeOf(context)),
    ...(submissionId !== undefined && {
      submission: { id: submissionId, owner: ownerOf(principal), contentHash: contentHashOf(request) },
    }),
  };
}

/** From this size on, the line thread checks the operations, so that other commits wait less for the writer. */
const CHECKED_AHEAD_MIN = 500;
const SHAPES_AHEAD_MAX = 20;

interface Ahead {
  readonly operations: readonly unknown[];
  readonly skipExisting: boolean;
  readonly limits: DataLimits;
}

async function checkedAhead(
  { store }: Context,
  { repoId }: Grant,
  { operations, skipExisting, limits }: Ahead,
): Promise<CommitInput['operations']> {
  if (operations.length < CHECKED_AHEAD_MIN) return operations;
  const names = new Set(operations.flatMap(shapeNameIn));
  const rows = [...names].slice(0, SHAPES_AHEAD_MAX).map((name) => [0, name]);
  const shapes = await store.database.bulk<HeadRow>(FIND_HEADS, { common: [repoId], rows });
  const learned = shapes.map(({ name, data, data_hash }) => ({ shapeName: name, data, dataHash: data_hash }));
  const bytes = Buffer.from(operations.map((operation) => JSON.stringify(operation)).join('\n'));
  return await store.checkLines({ repoId, bytes, skipExisting, committer: undefined, limits, learned });
}

function shapeNameIn(operation: unknown): string[] {
  const { name } = (operation ?? {}) as { name?: unknown };
  const end = typeof name === 'string' ? name.indexOf('/') : -1;
  return end > 0 ? [String(name).slice(0, end)] : [];
}

export function checkCommitter(committer: string): void {
  const parsed = attempt(() => parsePlaceholderReference(committer) ?? parseWref(committer));
  if (!(parsed instanceof CairnError)) return;
  throw invalidField('committer', `committer: expected a wref, such as Agent/bot. ${parsed.message}`);
}

/** Covers the whole request except its id, because the same id must mean the same content. */
function contentHashOf({ message = '', committer, atomic = true, skipExisting = false, operations }: CommitRequest) {
  const text = canonicalJson([message, committer ?? null, atomic, skipExisting, operations], {
    maxDepth: CONTENT_DEPTH_MAX,
  });
  return hash('sha256', text, 'buffer');
}

export async function getCommit(
  context: Context,
  { repoSeq, ...address }: ProcedureArguments<'commit.get'>,
): Promise<ProcedureOutput<'commit.get'>> {
  const grant = await authorize(context, address, 'repo:read');
  refuseBefore(grant, repoSeq, 'repoSeq');
  const found = await readCommit(context.store.database, grant, repoSeq, followOf(context));
  if (found === undefined) throw fail('NOT_FOUND', { message: `The repository has no commit ${repoSeq}.` });
  return shownAuthor(grant, found);
}

export async function logCommits(
  context: Context,
  input: ProcedureArguments<'commit.log'>,
): Promise<Page<CommitRecord>> {
  const { orgName, repoName, atRepoSeq, cursor, limit } = input;
  const grant = await authorize(context, { orgName, repoName }, 'repo:read');
  const first = atRepoSeq === undefined ? undefined : sequenceOf(grant, atRepoSeq) + 1;
  const list = openList<[number]>(context, 'commit.log', { repoId: grant.repoId, atRepoSeq }, { cursor, limit });
  const [before] = list.after ?? [first];
  const found = await listCommits(context.store.database, grant, {
    before,
    limit: limit + 1,
    follow: followOf(context),
  });
  const shown = found.map((commit) => shownAuthor(grant, commit));
  return list.toPage(shown, ({ repoSeq }) => [repoSeq]);
}

/** Only the owner of a receipt finds it, so that nobody else learns that a submission id exists. */
export async function getReceipt(
  context: Context,
  { submissionId, ...address }: ProcedureArguments<'commit.receipt'>,
): Promise<CommitResult> {
  const grant = await authorize(context, address, 'repo:write');
  const submission = { id: submissionId, owner: ownerOf(context.principal) };
  const found = await readReceipt(context.store.database, grant, submission);
  if (found === undefined)
    throw fail('NOT_FOUND', {
      message: `You sent no commit with the id ${submissionId} to this repository. Check the id.`,
    });
  return forCaller(context, grant, found);
}

export interface WriteInput {
  readonly orgName: string;
  readonly repoName: string;
  readonly message?: string | undefined;
}

interface Written {
  readonly grant: Grant;
  readonly atRepoSeq: number;
}

export async function writeOne(context: Context, input: WriteInput, operation: object): Promise<Written> {
  const { orgName, repoName, message = '' } = input;
  const { repoSeq } = await submitCommit(context, { orgName, repoName, operations: [operation], message });
  return { grant: await authorize(context, { orgName, repoName }, 'repo:write'), atRepoSeq: repoSeq };
}

/** For reading what the caller has just written; `forWriter` removes what they may not learn. */
export function unnarrowed(grant: Grant): Grant {
  return { ...grant, narrowing: undefined };
}

const CONTENT = new Set(['dataHash', 'refs', 'aboutWref', 'aboutDurableId', 'reason', 'committerWref']);

export function forWriter(context: Context, grant: Grant, item: RecordItem, operation: object): RecordItem {
  if (mayReadAll(context, grant) || 'data' in operation) return item;
  const rest = Object.entries(item).filter(([member]) => !CONTENT.has(member));
  return { ...(Object.fromEntries(rest) as RecordItem), data: null };
}
