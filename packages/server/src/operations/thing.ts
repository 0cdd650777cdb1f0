// Records by their address: one, many, or one with its history.
import { fail } from '@cairn/protocol/errors';
import type { Page } from '@cairn/protocol/page';
import type { ProcedureArguments, ProcedureOutput } from '@cairn/protocol/procedures';
import type { RecordItem } from '@cairn/protocol/record';
import { parseDurableId } from '../model/durable-id.ts';
import { parseWref, type Wref } from '../model/wref.ts';
import type { Grant } from '../store/grant.ts';
import { findRecords, listVersions } from '../store/record.ts';
import { authorize } from './access.ts';
import { shownAuthor } from './attribution.ts';
import type { Context } from './context.ts';
import { decodeCursor, encodeCursor, toPage } from './cursor.ts';

export async function getThing(context: Context, input: ProcedureArguments<'thing.get'>): Promise<RecordItem> {
  const { wref, atRepoSeq, includeRetracted = false, ...address } = input;
  const grant = await authorize(context, address, 'repo:read');
  return await readRecord(context, grant, { wref, atRepoSeq, includeRetracted });
}

interface RecordRequest {
  readonly wref: string;
  readonly atRepoSeq?: number | undefined;
  readonly includeRetracted: boolean;
}

export async function readRecord(context: Context, grant: Grant, request: RecordRequest): Promise<RecordItem> {
  const { wref, includeRetracted } = request;
  const parsed = parseWref(wref);
  const atRepoSeq = sequenceOf(grant, request.atRepoSeq);
  const [found] = await findRecords(context.store.database, grant, { wrefs: [parsed], atRepoSeq });
  if (found !== undefined && isShown(found, { includeRetracted, pinned: parsed.version !== undefined })) {
    return shownAuthor(context, found);
  }
  throw fail('NOT_FOUND', {
    message: `There is no record ${wref} in ${grant.repository.orgName}/${grant.repository.name}.`,
    ...(found !== undefined && { hint: 'It is retracted. Ask with includeRetracted to see it.' }),
  });
}

/** A version that is asked for by its number is history, which retraction does not touch. */
function isShown(
  { active }: RecordItem,
  { includeRetracted, pinned }: { includeRetracted: boolean; pinned: boolean },
): boolean {
  return active || includeRetracted || pinned;
}

/** The sequence to read at; one that the repository has not reached is a mistake of the caller. */
export function sequenceOf({ repository }: Grant, atRepoSeq: number | undefined): number {
  if (atRepoSeq === undefined || atRepoSeq <= repository.repoSeq) return atRepoSeq ?? repository.repoSeq;
  const message = `The repository stands at sequence ${repository.repoSeq}; there is no ${atRepoSeq} yet.`;
  throw fail('VALIDATION_ERROR', { message, details: [{ path: 'atRepoSeq', message }] });
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
  const atRepoSeq = sequenceOf(grant, asked);
  const parsed = wrefs.map(parseWref);
  const found = await findWithin(context, grant, { wrefs: parsed, atRepoSeq });
  const items = found.map((item, index) => {
    const pinned = parsed[index]?.version !== undefined;
    return item !== undefined && isShown(item, { includeRetracted, pinned }) ? shownAuthor(context, item) : null;
  });
  return { repoSeq: atRepoSeq, items };
}

const WREFS_A_STEP = 50;

/** In steps, so that what is too much in all is refused before all of it is in memory. */
async function findWithin(context: Context, grant: Grant, { wrefs, atRepoSeq }: { wrefs: Wref[]; atRepoSeq: number }) {
  const found: (RecordItem | undefined)[] = [];
  let bytes = 0;
  for (let from = 0; from < wrefs.length; from += WREFS_A_STEP) {
    const step = wrefs.slice(from, from + WREFS_A_STEP);
    for (const item of await findRecords(context.store.database, grant, { wrefs: step, atRepoSeq })) {
      bytes += item === undefined ? 0 : sizeOf(item);
      found.push(item);
    }
    if (bytes > context.limits.answerBytes) {
      throw fail('PAYLOAD_TOO_LARGE', {
        message: `These records have more than ${context.limits.answerBytes} bytes together. Ask for fewer at once.`,
        details: { maxBytes: context.limits.answerBytes },
      });
    }
  }
  return found;
}

function sizeOf({ data }: RecordItem): number {
  return JSON.stringify(data).length;
}

/** How many of the items fit into an answer; at least one. */
function itemsWithin(items: readonly RecordItem[], maxBytes: number): number {
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

/** Newest first. The cursor keeps the sequence of the first page, so that all pages are one history. */
export async function readHistory(context: Context, grant: Grant, request: HistoryRequest): Promise<Page<RecordItem>> {
  const { procedure, wref, cursor, limit } = request;
  const { keys, store } = context;
  const list = { procedure, parameters: { repoId: grant.repoId, wref, atRepoSeq: request.atRepoSeq } };
  const [before, kept] = cursor === undefined ? [] : decodeCursor<[number, number]>(keys.cursor, { ...list, cursor });
  const atRepoSeq = kept ?? sequenceOf(grant, request.atRepoSeq);
  const { durableId } = await readRecord(context, grant, { wref, atRepoSeq, includeRetracted: true });
  const recordId = parseDurableId(durableId)?.recordId ?? 0;
  const found = await listVersions(store.database, grant, { recordId, atRepoSeq, before, limit: limit + 1 });
  const shown = found.map((version) => shownAuthor(context, version));
  return toPage(shown, {
    limit: Math.min(limit, itemsWithin(shown, context.limits.answerBytes)),
    cursorAfter: ({ version }) => encodeCursor(keys.cursor, { ...list, position: [version, atRepoSeq] }),
  });
}
