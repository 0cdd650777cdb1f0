// References of a record, both ways: as a list, and as a graph around it.
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { ProcedureArguments, ProcedureOutput } from '@cairn/protocol/procedures';
import type { Graph } from '@cairn/protocol/read';
import { authorize } from '../access/access.ts';
import type { Context } from '../access/context.ts';
import { decodeCursor, encodeCursor, type ListIdentity, toPage } from '../access/cursor.ts';
import type { Grant } from '../access/grant.rule.ts';
import { LongRead } from '../engine/long-read.ts';
import { formatDurableId } from '../model/durable-id.ts';
import { REFERENCE_ROLES } from '../model/reference-role.ts';
import { missingRecord, recordNotFound } from '../read/missing-record.ts';
import { findRecordRows } from '../read/record.sql.ts';
import { fullName } from '../read/target-name.sql.ts';
import { keptSequence, refuseAllVersions, sequenceOf } from '../read/thing.ts';
import { locateWrefs } from '../read/wref.ts';
import { walkGraph } from './graph-read.sql.ts';
import { nameSeenFrom, ReferenceList, type Subject } from './reference-list.ts';
import { decodePlace, encodePlace } from './reference-place.ts';

export async function getRefs(
  context: Context,
  input: ProcedureArguments<'thing.refs'>,
): Promise<ProcedureOutput<'thing.refs'>> {
  const { wref, direction, role, acrossRepos = false, atRepoSeq, cursor, limit, ...address } = input;
  const grant = await authorize(context, address, 'repo:read');
  const roles = rolesOf(role);
  if (acrossRepos && atRepoSeq !== undefined) throw refuseSequence(grant);
  const key = context.keys.cursor;
  const parameters = { repoId: grant.repoId, wref, direction, role, acrossRepos, atRepoSeq };
  const list: ListIdentity = { procedure: 'thing.refs', parameters };
  const after = cursor === undefined ? undefined : decodePlace(decodeCursor(key, { ...list, cursor }));
  const subject = await findSubject(context, grant, { wref, atRepoSeq, kept: after?.atRepoSeq });
  const page = { grant, subject, direction, roles, acrossRepos, after, limit: limit + 1 };
  const references = new ReferenceList(context, page);
  const { items, ...rest } = toPage(await references.read(), {
    limit,
    cursorAfter: (last) => encodeCursor(key, { ...list, position: encodePlace(references.placeAfter(last)) }),
  });
  return { repoSeq: subject.atRepoSeq, items: items.map(({ item }) => item), ...rest };
}

function rolesOf(role: string | undefined): readonly string[] {
  if (role === undefined) return REFERENCE_ROLES;
  if (REFERENCE_ROLES.includes(role)) return [role];
  const message = `There is no role ${JSON.stringify(role)}. Use one of ${REFERENCE_ROLES.join(', ')}.`;
  throw fail('VALIDATION_ERROR', { message, details: [{ path: 'role', message }] });
}

function refuseSequence({ repository: { orgName, name } }: Grant): CairnError {
  const message = `atRepoSeq counts the commits of ${orgName}/${name}. Leave it away to look into other repositories.`;
  return fail('VALIDATION_ERROR', { message, details: [{ path: 'atRepoSeq', message }] });
}

interface SubjectRequest {
  readonly wref: string;
  readonly atRepoSeq: number | undefined;
  /** The sequence of the page before. */
  readonly kept?: number | undefined;
}

async function findSubject(context: Context, grant: Grant, request: SubjectRequest): Promise<Subject> {
  const { wref, kept } = request;
  refuseAllVersions(wref);
  const [located] = await locateWrefs(context, grant, { texts: [wref], atRepoSeq: request.atRepoSeq });
  if (located === undefined) throw recordNotFound(grant, { wref, atRepoSeq: request.atRepoSeq });
  const home = located.grant;
  const atRepoSeq = keptSequence(home, kept) ?? sequenceOf(home, request.atRepoSeq);
  const [row] = await findRecordRows(context.store.database, home, { wrefs: [located.wref], atRepoSeq });
  if (row === undefined) throw await missingRecord(context, grant, { wref, located, atRepoSeq: request.atRepoSeq });
  return { home, atRepoSeq, row, version: located.wref.version };
}

export async function getGraph(context: Context, input: ProcedureArguments<'thing.graph'>): Promise<Graph> {
  const { wref, depth, direction, limit, includeRetracted = false, atRepoSeq: asked, ...address } = input;
  const grant = await authorize(context, address, 'repo:read');
  const { home, atRepoSeq, row, version } = await findSubject(context, grant, { wref, atRepoSeq: asked });
  if (version !== undefined) throw refuseVersion(wref);
  if (row.active === 0 && !includeRetracted) {
    const hint =
      'It is retracted. Ask with atRepoSeq for the graph of before, or with includeRetracted for what still refers to it.';
    throw recordNotFound(grant, { wref, hint, atRepoSeq: asked });
  }
  const longRead = new LongRead('Ask for a smaller depth or limit, or for one direction.');
  const request = { recordId: row.record_id, depth, direction, limit, includeRetracted, longRead };
  const found = await walkGraph(context.store.database, { grant: home, atRepoSeq }, request);
  const idOf = (recordId: number) => formatDurableId({ repoId: home.repoId, recordId });
  return {
    repoSeq: atRepoSeq,
    nodes: found.nodes.map(({ sight, distance }) => ({
      durableId: idOf(sight.record_id),
      wref: nameSeenFrom(grant, home, fullName(sight)),
      kind: sight.kind,
      ...(sight.shape_name !== null && { shapeName: sight.shape_name }),
      active: sight.active === 1,
      distance,
    })),
    edges: found.edges.map(({ from, to, role, path }) => ({ from: idOf(from), to: idOf(to), role, path })),
    truncated: found.truncated,
  };
}

function refuseVersion(wref: string): CairnError {
  const message = `${wref} names a version, and a graph is of records as they are at one sequence. Leave the version away.`;
  return fail('VALIDATION_ERROR', { message, details: [{ path: 'wref', message }] });
}
