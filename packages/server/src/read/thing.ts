// Reads records by address: one, many, or one with its history and names.

import { invalidField } from '@cairn/model/operation';
import { parseDurableId } from '@cairn/model/wref';
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { Page } from '@cairn/protocol/page';
import type { ProcedureArguments, ProcedureOutput } from '@cairn/protocol/procedures';
import type { RecordItem } from '@cairn/protocol/record';
import { authorize, followOf } from '../access/access.ts';
import { shownAuthor } from '../access/audit.ts';
import type { Context } from '../access/context.ts';
import { openList } from '../access/cursor.ts';
import type { Grant } from '../access/grant.rule.ts';
import { ORGANIZATION_LISTED_BY, REPOSITORY_LISTED_BY, reachOf } from '../access/organization-access.ts';
import { forWriter, unnarrowed, writeOne } from '../commit/commit.ts';
import { listOrganizations } from '../repository/organization.sql.ts';
import { listRepositories } from '../repository/repository.sql.ts';
import { listNames } from './name-read.sql.ts';
import { type PointRead, readPoint } from './point-read.ts';
import { findRecords, listVersions, measureRecords } from './record.sql.ts';
import { toRecordItem } from './record-item.sql.ts';
import { type LocatedWref, locateWrefs, missingRecord, recordNotFound, seenFrom } from './wref.ts';

type Thing = ProcedureArguments<'thing.get'>;

export function getThing(context: Context, input: Thing): RecordItem | Promise<RecordItem> {
  const { wref, atRepoSeq, includeRetracted: _, ...address } = input;
  const point = atRepoSeq === undefined ? readPoint(context, address, wref) : undefined;
  const itemOf = (found: PointRead | undefined) =>
    found === undefined ? readThing(context, input) : toRecordItem(found.record);
  return point instanceof Promise ? point.then(itemOf) : itemOf(point);
}

async function readThing(given: Context, input: Thing): Promise<RecordItem> {
  const context = (await given.prove?.()) ?? given;
  const { wref, atRepoSeq, includeRetracted = false, ...address } = input;
  const grant = await authorize(context, address, 'repo:read');
  return await readRecord(context, grant, { wref, atRepoSeq, includeRetracted });
}

interface RecordRequest {
  readonly wref: string;
  readonly atRepoSeq?: number | undefined;
  readonly includeRetracted: boolean;
  readonly what?: 'record' | 'shape';
}

export async function readRecord(context: Context, grant: Grant, request: RecordRequest): Promise<RecordItem> {
  const { wref, includeRetracted, what } = request;
  refuseAllVersions(wref);
  const [located] = await locateWrefs(context, grant, { texts: [wref], atRepoSeq: request.atRepoSeq });
  const [found] = await findLocated(context, grant, { located: [located], atRepoSeq: request.atRepoSeq });
  if (found !== undefined && isShown(found, { includeRetracted, pinned: located?.wref.version !== undefined })) {
    return found;
  }
  const retracted = 'It is retracted. Use includeRetracted to see it.';
  const hint = found === undefined ? missingVersion(located) : retracted;
  throw await missingRecord(context, grant, { wref, what, hint, located, atRepoSeq: request.atRepoSeq });
}

/** Explains missing versions in a copy, which starts at the imported sequence. */
function missingVersion(located: LocatedWref | undefined): string | undefined {
  const importedRepoSeq = located?.grant.repository.importedRepoSeq;
  if (importedRepoSeq === undefined || located?.wref.version === undefined) return undefined;
  return `The repository is a copy with records from sequence ${importedRepoSeq} on. Only the original has earlier versions.`;
}

export function refuseAllVersions(wref: string): void {
  if (!wref.endsWith('@ALL')) return;
  throw invalidField(
    'wref',
    `${wref} means all versions of a record. Leave out @ALL for the current version, or ask for the history.`,
  );
}

/** Retraction does not hide versions that are requested by number. */
function isShown(
  { active }: RecordItem,
  { includeRetracted, pinned }: { includeRetracted: boolean; pinned: boolean },
): boolean {
  return active || includeRetracted || pinned;
}

export function sequenceOf(grant: Grant, atRepoSeq: number | undefined): number {
  const { repoSeq } = grant.repository;
  if (atRepoSeq === undefined) return repoSeq;
  refuseBefore(grant, atRepoSeq, 'atRepoSeq');
  if (atRepoSeq <= repoSeq) return atRepoSeq;
  throw invalidField(
    'atRepoSeq',
    `atRepoSeq: The repository is at sequence ${repoSeq}, so ${atRepoSeq} does not exist yet.`,
  );
}

/** Checked again, because an increment may have moved the copy on since. */
export function keptSequence(grant: Grant, kept: number | undefined): number | undefined {
  if (kept !== undefined) refuseBefore(grant, kept, 'cursor');
  return kept;
}

/** A copy knows nothing from before its import. */
export function refuseBefore({ repository }: Grant, seq: number, path: string): void {
  const { importedRepoSeq = 0 } = repository;
  if (seq >= importedRepoSeq) return;
  const advice =
    path === 'cursor'
      ? 'An increment was imported since the first page. Start the list again.'
      : `Use ${importedRepoSeq} or later, or ask the original.`;
  throw invalidField(
    path,
    `${path}: This repository is a copy that was imported at sequence ${importedRepoSeq}, so it cannot be read at ${seq}. ${advice}`,
  );
}

export async function getThings(
  context: Context,
  input: ProcedureArguments<'thing.getMany'>,
): Promise<ProcedureOutput<'thing.getMany'>> {
  const { wrefs, atRepoSeq: asked, includeRetracted = false, ...address } = input;
  const grant = await authorize(context, address, 'repo:read');
  if (wrefs.length > context.limits.readWrefs) {
    throw fail('PAYLOAD_TOO_LARGE', { message: `Ask for at most ${context.limits.readWrefs} wrefs at once.` });
  }
  wrefs.forEach(refuseAllVersions);
  const located = await locateWrefs(context, grant, { texts: wrefs, atRepoSeq: asked });
  const found = await findLocated(context, grant, { located, atRepoSeq: asked });
  const items = found.map((item, index) => {
    const pinned = located[index]?.wref.version !== undefined;
    return item !== undefined && isShown(item, { includeRetracted, pinned }) ? item : null;
  });
  return { repoSeq: sequenceOf(grant, asked), items };
}

interface LocatedRequest {
  readonly located: readonly (LocatedWref | undefined)[];
  readonly atRepoSeq: number | undefined;
}

async function findLocated(context: Context, grant: Grant, { located, atRepoSeq }: LocatedRequest) {
  const { database } = context.store;
  const found: (RecordItem | undefined)[] = located.map(() => undefined);
  const follow = followOf(context);
  const requests = byRepository(located).map((places) => {
    const [{ grant: there }] = places;
    const wrefs = places.map(({ wref }) => wref);
    return { there, places, wrefs, atRepoSeq: sequenceOf(there, atRepoSeq), follow };
  });
  let bytes = 0;
  for (const { there, ...request } of requests) bytes += await measureRecords(database, there, request);
  if (bytes > context.limits.answerBytes) throw answerTooLarge(context);
  for (const { there, places, ...request } of requests) {
    const items = await findRecords(database, there, request);
    items.forEach((item, at) => {
      const place = places[at];
      if (item === undefined || place === undefined) return;
      found[place.index] = seenFrom(grant, place, shownAuthor(place.grant, item));
    });
  }
  return found;
}

type Placed = LocatedWref & { readonly index: number };

function byRepository(located: readonly (LocatedWref | undefined)[]): [Placed, ...Placed[]][] {
  const placed = located.flatMap((wref, index) => (wref === undefined ? [] : [{ ...wref, index }]));
  return [...Map.groupBy(placed, ({ grant }) => grant.repoId).values()] as [Placed, ...Placed[]][];
}

function answerTooLarge({ limits }: Context): CairnError {
  return fail('PAYLOAD_TOO_LARGE', {
    message: `These records have more than ${limits.answerBytes} bytes together. Ask for fewer at once.`,
    details: { maxBytes: limits.answerBytes },
  });
}

function sizeOf({ data, refs }: RecordItem): number {
  return JSON.stringify(data).length + (refs === undefined ? 0 : JSON.stringify(refs).length);
}

export function itemsWithin(items: readonly RecordItem[], maxBytes: number): number {
  let bytes = 0;
  const fitting = items.findIndex((item) => {
    bytes += sizeOf(item);
    return bytes > maxBytes;
  });
  return fitting === -1 ? items.length : Math.max(1, fitting);
}

export async function getHistory(
  context: Context,
  input: ProcedureArguments<'thing.history'>,
): Promise<Page<RecordItem>> {
  const { wref, atRepoSeq, cursor, limit, ...address } = input;
  const grant = await authorize(context, address, 'repo:read');
  return await readHistory(context, grant, { procedure: 'thing.history', wref, atRepoSeq, cursor, limit });
}

interface HistoryRequest {
  readonly procedure: 'thing.history' | 'shape.history';
  readonly wref: string;
  readonly atRepoSeq: number | undefined;
  readonly cursor: string | undefined;
  readonly limit: number;
}

/** The cursor keeps the first page's sequence, so that all pages show one history. */
export async function readHistory(context: Context, grant: Grant, request: HistoryRequest): Promise<Page<RecordItem>> {
  const { procedure, wref, cursor, limit } = request;
  const what = procedure === 'shape.history' ? 'shape' : 'record';
  const { store } = context;
  const list = openList<[number, number]>(
    context,
    procedure,
    { repoId: grant.repoId, wref, atRepoSeq: request.atRepoSeq },
    { cursor, limit },
  );
  const [before, kept] = list.after ?? [];
  const subject = await findSubject(context, grant, { wref, what, atRepoSeq: request.atRepoSeq, kept });
  const { located, recordId, atRepoSeq } = subject;
  const maxBytes = context.limits.answerBytes;
  const page = { recordId, atRepoSeq, before, limit: limit + 1, maxBytes, follow: followOf(context) };
  const found = await listVersions(store.database, located.grant, page);
  const shown = found.map((version) => shownAuthor(located.grant, seenFrom(grant, located, version)));
  return list.toPage(
    shown,
    ({ version }) => [version, atRepoSeq],
    Math.min(limit, itemsWithin(shown, context.limits.answerBytes)),
  );
}

interface SubjectRequest {
  readonly wref: string;
  readonly what: 'record' | 'shape';
  readonly atRepoSeq: number | undefined;
  readonly kept: number | undefined;
}

async function findSubject(
  context: Context,
  grant: Grant,
  request: SubjectRequest,
): Promise<{ located: LocatedWref; recordId: number; atRepoSeq: number }> {
  const { kept, ...asked } = request;
  const [located] = await locateWrefs(context, grant, { texts: [asked.wref], atRepoSeq: asked.atRepoSeq });
  if (located === undefined) throw recordNotFound(grant, asked);
  const atRepoSeq = keptSequence(located.grant, kept) ?? sequenceOf(located.grant, asked.atRepoSeq);
  const [record] = await findRecords(context.store.database, located.grant, { wrefs: [located.wref], atRepoSeq });
  if (record === undefined) throw await missingRecord(context, grant, { ...asked, located });
  return { located, recordId: parseDurableId(record.durableId)?.recordId ?? 0, atRepoSeq };
}

export async function getNames(
  context: Context,
  input: ProcedureArguments<'thing.names'>,
): Promise<ProcedureOutput<'thing.names'>> {
  const { wref, atRepoSeq: asked, cursor, limit, ...address } = input;
  const grant = await authorize(context, address, 'repo:read');
  const { store } = context;
  const parameters = { repoId: grant.repoId, wref, atRepoSeq: asked };
  const list = openList<[number, number]>(context, 'thing.names', parameters, { cursor, limit });
  const [after, kept] = list.after ?? [];
  const subject = await findSubject(context, grant, { wref, what: 'record', atRepoSeq: asked, kept });
  const { located, recordId, atRepoSeq } = subject;
  const found = await listNames(store.database, located.grant, { recordId, atRepoSeq, after, limit: limit + 1 });
  return list.toPage(
    found.map((item) => shownAuthor(located.grant, item)),
    ({ repoSeq }) => [repoSeq, atRepoSeq],
  );
}

export async function renameThing(context: Context, input: ProcedureArguments<'thing.rename'>): Promise<RecordItem> {
  const { name, newName, expectedVersion } = input;
  if (!newName.includes('/')) {
    throw invalidField('newName', 'Write the full new name, Shape/name. Use shape.rename for shapes.');
  }
  const pin = expectedVersion !== undefined && { expectedVersion };
  const operation = { operation: 'rename', name, newName, ...pin };
  const { grant, atRepoSeq } = await writeOne(context, input, operation);
  const item = await readRecord(context, unnarrowed(grant), { wref: newName, atRepoSeq, includeRetracted: true });
  return forWriter(context, grant, item, operation);
}

const NAME_CHARACTERS = /^[\w.-]*$/;

export async function completeOrganization(
  { principal, store }: Context,
  { beginning, limit }: { beginning: string; limit: number },
): Promise<string[]> {
  if (!NAME_CHARACTERS.test(beginning)) return [];
  const reach = reachOf(principal, ORGANIZATION_LISTED_BY);
  const found = await listOrganizations(store.database, { reach, after: '', beginning, limit });
  return found.map(({ name }) => name);
}

export async function completeRepository(
  { principal, store }: Context,
  { orgName, beginning, limit }: { beginning: string; limit: number } & { readonly orgName: string },
): Promise<string[]> {
  if (!NAME_CHARACTERS.test(beginning) || !NAME_CHARACTERS.test(orgName)) return [];
  const found = await listRepositories(store.database, {
    reach: reachOf(principal, REPOSITORY_LISTED_BY),
    ...{ orgName, deletedAfter: undefined, after: { orgName: '', repoName: '' } },
    ...{ beginning, limit },
  });
  return found.map(({ name }) => name);
}
