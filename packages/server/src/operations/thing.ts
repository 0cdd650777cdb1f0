// Records by their address: one, many, or one with its history.
import { fail } from '@cairn/protocol/errors';
import type { Page } from '@cairn/protocol/page';
import type { ProcedureArguments, ProcedureOutput } from '@cairn/protocol/procedures';
import type { RecordItem } from '@cairn/protocol/record';
import { parseDurableId } from '../model/durable-id.ts';
import { parseWref } from '../model/wref.ts';
import type { Grant } from '../store/grant.ts';
import { findRecords, listVersions } from '../store/record.ts';
import { authorize } from './access.ts';
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
  // A version that is asked for by its number is history, which retraction does not touch.
  if (found !== undefined && (found.active || includeRetracted || parsed.version !== undefined)) return found;
  throw fail('NOT_FOUND', {
    message: `There is no record ${wref} in ${grant.repository.orgName}/${grant.repository.name}.`,
    ...(found !== undefined && { hint: 'It is retracted. Ask with includeRetracted to see it.' }),
  });
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
  const found = await findRecords(context.store.database, grant, { wrefs: parsed, atRepoSeq });
  const items = found.map((item, index) => {
    const shown = item !== undefined && (item.active || includeRetracted || parsed[index]?.version !== undefined);
    return shown ? item : null;
  });
  return { repoSeq: atRepoSeq, items };
}

export async function getHistory(
  context: Context,
  input: ProcedureArguments<'thing.history'>,
): Promise<Page<RecordItem>> {
  const { wref, atRepoSeq, cursor, limit = 50, ...address } = input;
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
  return toPage(found, {
    limit,
    cursorAfter: ({ version }) => encodeCursor(keys.cursor, { ...list, position: [version, atRepoSeq] }),
  });
}
