// Compares two sequences: which records changed, and what changed in one of them.

import { compileGlob, problemWithGlob } from '@cairn/model/glob';
import { findDifferences } from '@cairn/model/json-pointer';
import { invalidField } from '@cairn/model/operation';
import { parseDurableId } from '@cairn/model/wref';
import type { ProcedureArguments, ProcedureOutput } from '@cairn/protocol/procedures';
import type { Difference, RecordDiff } from '@cairn/protocol/read';
import type { RecordItem } from '@cairn/protocol/record';
import { authorize, followOf } from '../access/access.ts';
import { shownAuthor } from '../access/audit.ts';
import type { Context } from '../access/context.ts';
import { openList } from '../access/cursor.ts';
import type { Grant } from '../access/grant.rule.ts';
import { LongRead } from '../engine/read-bounds.ts';
import { listChanges } from './change-read.sql.ts';
import { findRecords, type RecordWref } from './record.sql.ts';
import { keptSequence, refuseAllVersions, refuseBefore, sequenceOf } from './thing.ts';
import { missingRecord, wrefWithin } from './wref.ts';

export async function getChanges(
  context: Context,
  input: ProcedureArguments<'thing.changes'>,
): Promise<ProcedureOutput<'thing.changes'>> {
  const { orgName, repoName, cursor, limit, ...parameters } = input;
  const { store } = context;
  const grant = await authorize(context, { orgName, repoName }, 'repo:read');
  const { sinceRepoSeq, shape, kind, match } = parameters;
  const list = openList<[number, number, number]>(
    context,
    'thing.changes',
    { repoId: grant.repoId, ...parameters },
    { cursor, limit },
  );
  const place = list.after;
  const [repoSeq = 0, recordId = 0, kept] = place ?? [];
  const atRepoSeq = keptSequence(grant, kept) ?? laterSequence(grant, parameters);
  const found = await listChanges(store.database, grant, {
    sinceRepoSeq,
    atRepoSeq,
    shape,
    kind,
    matches: compileMatch(match),
    after: place && { repoSeq, recordId },
    limit: limit + 1,
    longRead: new LongRead('Start from a later sequence, or end at an earlier one.'),
  });
  const page = list.toPage(found, (last) => [last.repoSeq, recordIdOf(last), atRepoSeq]);
  return { sinceRepoSeq, repoSeq: atRepoSeq, ...page };
}

const recordIdOf = ({ durableId }: { durableId: string }) => parseDurableId(durableId)?.recordId ?? 0;

function laterSequence(
  grant: Grant,
  { sinceRepoSeq, atRepoSeq: asked }: { sinceRepoSeq: number; atRepoSeq?: number | undefined },
): number {
  const atRepoSeq = sequenceOf(grant, asked);
  refuseBefore(grant, sinceRepoSeq, 'sinceRepoSeq');
  if (sinceRepoSeq <= atRepoSeq) return atRepoSeq;
  throw invalidField(
    'sinceRepoSeq',
    `sinceRepoSeq is ${sinceRepoSeq}, which is after ${atRepoSeq}, the sequence to compare with. Use an earlier one.`,
  );
}

function compileMatch(glob: string | undefined): ((name: string) => boolean) | undefined {
  if (glob === undefined) return undefined;
  const problem = problemWithGlob(glob);
  if (problem === undefined) return compileGlob(glob);
  throw invalidField('match', `match: ${problem}.`);
}

export async function getDiff(context: Context, input: ProcedureArguments<'thing.diff'>): Promise<RecordDiff> {
  const { wref, sinceRepoSeq, ...address } = input;
  const grant = await authorize(context, address, 'repo:read');
  const atRepoSeq = laterSequence(grant, input);
  const asked = unpinnedWithin(grant, wref);
  const after = await readAt(context, grant, { wref: asked, atRepoSeq });
  if (after === undefined) {
    throw await missingRecord(context, grant, { wref, located: { grant, wref: asked }, atRepoSeq: input.atRepoSeq });
  }
  const identity = { recordId: recordIdOf(after), version: undefined };
  const before = await readAt(context, grant, { wref: identity, atRepoSeq: sinceRepoSeq });
  return { sinceRepoSeq, repoSeq: atRepoSeq, before: before ?? null, after, differences: compare(before, after) };
}

function unpinnedWithin(grant: Grant, text: string): RecordWref {
  refuseAllVersions(text);
  const wref = wrefWithin(grant, text);
  if (wref === undefined) {
    throw invalidField('wref', 'Sequences count the commits of one repository. Ask the repository of the wref.');
  }
  if (wref.version === undefined) return wref;
  throw invalidField('wref', `${text} names a version, but a diff compares sequences. Leave out the version.`);
}

async function readAt(
  context: Context,
  grant: Grant,
  { wref, atRepoSeq }: { wref: RecordWref; atRepoSeq: number },
): Promise<RecordItem | undefined> {
  const request = { wrefs: [wref], atRepoSeq, follow: followOf(context) };
  const [found] = await findRecords(context.store.database, grant, request);
  return found && shownAuthor(grant, found);
}

/** References are equal if they mean the same version of the same record, whatever its name. */
function compare(before: RecordItem | undefined, after: RecordItem): Difference[] {
  const identities = new Map(before?.refs);
  const kept = new Set(
    (after.refs ?? []).flatMap(([path, identity]) => (identities.get(path) === identity ? path : [])),
  );
  return findDifferences(before?.data ?? {}, after.data).filter(({ path }) => !kept.has(path));
}
