// Lists of records: the first page fixes the sequence, and row-source.ts reads the rest.
import { type DeclaredField, declaredFields } from '@cairn/model/declaration';
import { isRetryable, type ListedRecord, type Order, type RecordPage } from '@cairn/sdk';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { waitMsOf } from '../../app/problem.ts';
import { repositoryKey } from '../../app/queries.ts';
import type { RecordsSearch } from '../../app/search.ts';
import { client, impatientClient } from '../../app/session.ts';
import { atOf, type Sight } from '../../app/sight.ts';
import { byItself } from '../operate/subscription.ts';
import { ALL_BUT_SHAPES } from '../shape/declaration.ts';
import { countRecords } from '../shape/shape.ts';
import { grownColumns, type RecordRow, type ShownColumns, type TableColumn, tableColumns, toRow } from './row.ts';
import { type PageRequest, RowSource } from './row-source.ts';
import { whereOf } from './where.ts';

export interface RecordRows extends ShownColumns {
  readonly source: RowSource<RecordRow>;
  /** Identifies the list across reads and sequences. */
  readonly list: string;
  readonly repoSeq: number;
  readonly searchedThrough: number | undefined;
  head: readonly TableColumn[];
  place: number;
  isBehind: boolean;
}

export interface Listing {
  readonly search: RecordsSearch;
  readonly columns: readonly DeclaredField[] | undefined;
}

export const shapeFields = (sight: Sight, shape: string) =>
  queryOptions({
    queryKey: [...repositoryKey(sight), 'shape-fields', sight.at ?? 'now', shape],
    queryFn: async ({ signal }): Promise<readonly DeclaredField[]> => {
      const { orgName, repoName } = sight;
      await byItself();
      const { data } = await client.shape.get(orgName, repoName, shape, {
        signal,
        includeRetracted: true,
        ...atOf(sight),
      });
      return declaredFields((data as { fields?: unknown }).fields);
    },
    placeholderData: (before, query) => (query?.queryKey.at(-1) === shape ? before : undefined),
  });

const FOLLOW_MS = 1_000;

export const recordRows = (sight: Sight, listing: Listing) => {
  const list = JSON.stringify([sight.orgName, sight.repoName, optionsOf(listing)]);
  return queryOptions({
    queryKey: [...repositoryKey(sight), 'records', sight.at ?? 'now', list],
    queryFn: async ({ signal, client: queries, queryKey }) => {
      const before = queries.getQueryData<RecordRows>(queryKey);
      const opened = await open(sight, { ...listing, list }, signal);
      return before === undefined ? opened : await follow(sight, before, opened);
    },
    placeholderData: keepPreviousData,
    structuralSharing: false,
    // The SDK has retried already, except after rate limits.
    retry: (_count, error) => waitMsOf(error) !== undefined,
    // The search index lags behind commits.
    refetchInterval: ({ state }) =>
      (state.data?.searchedThrough ?? Infinity) < (state.data?.repoSeq ?? 0) ? FOLLOW_MS : false,
  });
};

export function optionsOf({ search, columns }: Listing) {
  const { shape, kind, q, where, order, retracted } = search;
  return {
    ...(shape !== undefined && { shape }),
    ...(kind !== undefined && { kind }),
    ...(shape === undefined && kind === undefined && { match: ALL_BUT_SHAPES }),
    ...(q !== undefined && { q }),
    ...(where !== undefined && { where: whereOf(where) }),
    ...(retracted && { includeRetracted: true }),
    ...(order !== undefined && { order }),
    ...(columns !== undefined && { fields: columns.map(({ path }) => path) }),
  };
}

export const filterOf = ({ order: _, ...filter }: RecordsSearch) => optionsOf({ search: filter, columns: undefined });

const TURNED: Readonly<Partial<Record<Order, Order>>> = {
  created: '-created',
  '-created': 'created',
  updated: '-updated',
  '-updated': 'updated',
};

const turnedOrder = ({ q, order = 'created' }: RecordsSearch): Order | undefined =>
  q === undefined ? TURNED[order] : undefined;

const FIRST_ROWS = 100;

async function open(sight: Sight, listing: Listing & { list: string }, signal: AbortSignal): Promise<RecordRows> {
  const { orgName, repoName } = sight;
  const { search, columns, list } = listing;
  const options = optionsOf(listing);
  const forward = { ...options, ...atOf(sight) };
  await byItself();
  const first = await client.thing.query(orgName, repoName, { ...forward, limit: FIRST_ROWS, signal });
  const { repoSeq, searchedThrough } = first;
  const order = turnedOrder(search);
  const backward = { ...options, ...(order !== undefined && { order }), atRepoSeq: repoSeq };
  const toPage = ({ items, nextCursor }: RecordPage) => ({
    rows: items.map((item) => toRow(item, columns)),
    nextCursor,
  });
  const read = async ({ direction, ...page }: PageRequest) =>
    toPage(await readPage(sight, { ...(direction === 'forward' ? forward : backward), ...page }));
  const isAbout = ({ aboutWref }: ListedRecord) => aboutWref !== undefined;
  const hasAbout = search.kind === 'assertion' || (search.shape !== undefined && first.items.some(isAbout));
  const page = toPage(first);
  const shown = { columns, hasAbout, hasWords: search.q !== undefined };
  const source = new RowSource({ read, first: page, canTurn: order !== undefined, waitMsOf });
  if (source.total === undefined) void count(sight, { source, repoSeq, search });
  const head = tableColumns(shown, page.rows);
  return { source, list, repoSeq, searchedThrough, ...shown, head, place: 0, isBehind: false };
}

async function readPage(
  { orgName, repoName }: Sight,
  asked: NonNullable<Parameters<typeof client.thing.query>[2]>,
): Promise<RecordPage> {
  try {
    return await impatientClient.thing.query(orgName, repoName, asked);
  } catch (error) {
    if (waitMsOf(error) !== undefined || !isRetryable(error)) throw error;
    return await client.thing.query(orgName, repoName, asked);
  }
}

/** Without a count the list grows while scrolling. */
async function count(
  sight: Sight,
  { source, repoSeq, search }: { source: RowSource<RecordRow>; repoSeq: number; search: RecordsSearch },
): Promise<void> {
  const at = search.q === undefined ? { atRepoSeq: repoSeq } : {};
  await byItself();
  const counted = await countRecords(sight, { ...filterOf(search), ...at }).catch(() => undefined);
  if (counted !== undefined) source.count(counted);
}

/** Near an end rows are reread at once. In the middle that would take longer than until the next change. */
const NEAR_ROWS = 2_000;

export function isNearAnEnd({ source, place }: RecordRows): boolean {
  const { first, last } = source.wanted ?? { first: place, last: place };
  return first < NEAR_ROWS || (source.total !== undefined && source.canTurn && source.total - last < NEAR_ROWS);
}

async function follow(sight: Sight, before: RecordRows, opened: RecordRows): Promise<RecordRows> {
  if (!isNearAnEnd(before)) return await renew(sight, before, opened.repoSeq);
  const { wanted, total } = before.source;
  opened.place = before.place;
  opened.head = grownColumns(before.head, opened.head);
  const isNearBeginning = (wanted?.first ?? before.place) < NEAR_ROWS;
  if (!isNearBeginning) await untilCounted(opened.source);
  if (opened.source.total === undefined && total !== undefined) opened.source.count(total);
  if (wanted !== undefined) {
    opened.source.want(wanted);
    await opened.source.settled();
  }
  before.source.want(undefined);
  return opened;
}

async function untilCounted(source: RowSource<RecordRow>): Promise<void> {
  if (source.total !== undefined) return;
  const counted = Promise.withResolvers<void>();
  const stop = source.subscribe(() => source.total !== undefined && counted.resolve());
  const timer = setTimeout(counted.resolve, COUNT_MS);
  await counted.promise;
  clearTimeout(timer);
  stop();
}

const COUNT_MS = 3_000;
const MANY_MOST = 500;

async function renew({ orgName, repoName }: Sight, rows: RecordRows, repoSeq: number): Promise<RecordRows> {
  const { source, columns } = rows;
  const { first, last } = source.wanted ?? { first: 0, last: -1 };
  const indexes = Array.from({ length: Math.min(MANY_MOST, last - first + 1) }, (_, n) => first + n);
  const ids = indexes.map((index) => source.rowAt(index)?.id).filter((id) => id !== undefined);
  rows.isBehind = true;
  if (ids.length === 0) return rows;
  const asked = { atRepoSeq: repoSeq, includeRetracted: true };
  const { items } = await client.thing.getMany(orgName, repoName, ids, asked);
  const found = new Map(
    items.flatMap((item) => (item === null ? [] : [[item.durableId, toRow(item, columns)] as const])),
  );
  source.replace((row) => ({ ...row, ...found.get(row.id), snippet: row.snippet }));
  return rows;
}
