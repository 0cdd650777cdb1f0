// Reads records at a sequence: by name or id, at a version or with the whole history.

import { compareText } from '@cairn/model/text-range';
import { type DurableIdParts, listSpellings, type RecordName } from '@cairn/model/wref';
import type { RecordItem } from '@cairn/protocol/record';
import type { Grant } from '../access/grant.rule.ts';
import { compileNarrowing } from '../access/narrowing.rule.ts';
import { damaged } from '../commit/integrity.rule.ts';
import type { BulkStatement, Reader } from '../engine/database.ts';
import { type FollowElsewhere, NAMED_COLUMNS, type NamedRow, toNamed } from './hidden-target.sql.ts';
import {
  COMMIT_JOIN,
  COMMIT_LATERAL,
  ITEM_COLUMNS,
  ITEM_JOIN,
  ITEM_LATERAL,
  type ItemRow,
  renderRecords,
  SHAPE_LATERAL,
  toItems,
  VERSION_AT,
} from './record-item.sql.ts';

const trueAt = (row: string, place: string) =>
  `${row}.from_seq <= ${place} and (${row}.to_seq is null or ${row}.to_seq > ${place})`;

const nameAtSequence = (shape: string, name: string) => `(select record_id, to_seq from name where repo_id = $1
  and shape_id = ${shape} and name = ${name} and from_seq <= $2 order by from_seq desc limit 1)`;
const isOpen = (row: string) => `(${row}.to_seq is null or ${row}.to_seq > $2)`;

// Each step is a separate index lookup on PostgreSQL.
const FIND_NAMED: BulkStatement = {
  each: `select found.record_id from ${nameAtSequence(
    `(select shape.record_id from ${nameAtSequence('0', '$3')} as shape where ${isOpen('shape')})`,
    '$4',
  )} as found where ${isOpen('found')}`,
  set: `select k.ord::int as ord, n.record_id
    from unnest($3::text[], $4::text[]) with ordinality as k (shape, name, ord)
    cross join lateral ${nameAtSequence('0', 'k.shape collate "C"')} as s
    cross join lateral ${nameAtSequence('s.record_id', 'k.name collate "C"')} as n
    where ${isOpen('s')} and ${isOpen('n')}`,
};

const FIND_SHAPES: BulkStatement = {
  each: `select s.record_id from ${nameAtSequence('0', '$3')} s where ${isOpen('s')}`,
  set: `select k.ord::int as ord, s.record_id from unnest($3::text[]) with ordinality as k (name, ord)
    cross join lateral ${nameAtSequence('0', 'k.name collate "C"')} as s where ${isOpen('s')}`,
};

const VERSION_JOIN = `join version v on v.repo_id = $1 and v.record_id = r.record_id and ${VERSION_AT}
  left join record s on s.repo_id = $1 and s.record_id = r.shape_id ${COMMIT_JOIN}`;

const rowStatements = (columns: string): { pinned: BulkStatement; current: BulkStatement } => ({
  pinned: {
    each: `select ${columns} from version v ${ITEM_JOIN}
      where v.repo_id = $1 and v.record_id = $3 and v.version = $4 and v.from_seq <= $2`,
    set: `select k.ord::int as ord, ${columns}
      from unnest($3::bigint[], $4::bigint[]) with ordinality as k (record_id, version, ord)
      cross join lateral (select * from version v where v.repo_id = $1 and v.record_id = k.record_id
        and v.version = k.version and v.from_seq <= $2 limit 1) as v ${ITEM_LATERAL}`,
  },
  current: {
    each: `select ${columns} from record r ${VERSION_JOIN} where r.repo_id = $1 and r.record_id = $3`,
    many: `select k.key as ord, ${columns} from json_each($3) as k
      cross join record r on r.repo_id = $1 and r.record_id = k.value ${VERSION_JOIN}`,
    set: `select k.ord::int as ord, ${columns} from unnest($3::bigint[]) with ordinality as k (record_id, ord)
      cross join lateral (select * from record where repo_id = $1 and record_id = k.record_id limit 1) as r
      cross join lateral (select * from version v where v.repo_id = $1 and v.record_id = r.record_id
        and ${VERSION_AT} limit 1) as v
      ${SHAPE_LATERAL} ${COMMIT_LATERAL}`,
  },
});

const FIND_ITEMS = rowStatements(ITEM_COLUMNS);

const BYTES = 'octet_length(v.data) + coalesce(octet_length(v.refs), 0)';

interface SizeRow extends NamedRow {
  readonly bytes: number;
}

const FIND_SIZES = rowStatements(`${NAMED_COLUMNS}, ${BYTES} as bytes`);

/** The address of a record within its repository. Version `undefined` means HEAD. */
export type RecordWref = { readonly version: number | undefined } & (
  | { readonly name: RecordName }
  | { readonly recordId: number }
);

interface RecordsRequest {
  readonly wrefs: readonly RecordWref[];
  readonly atRepoSeq: number;
  readonly follow?: FollowElsewhere | undefined;
}

/** In the order of the wrefs; `undefined` where the caller sees none. */
export async function findRecords(
  reader: Reader,
  grant: Grant,
  request: RecordsRequest,
): Promise<(RecordItem | undefined)[]> {
  const { wrefs, atRepoSeq, follow } = request;
  const found: (RecordItem | undefined)[] = wrefs.map(() => undefined);
  const rows = await findRecordRows(reader, grant, request);
  const items = await toItems(reader, grant, { rows, atRepoSeq, follow });
  rows.forEach(({ index }, at) => {
    found[index] = items[at];
  });
  return found;
}

export async function findRecordRows(
  reader: Reader,
  grant: Grant,
  request: Pick<RecordsRequest, 'wrefs' | 'atRepoSeq'>,
): Promise<(ItemRow & { index: number })[]> {
  return await findRows<ItemRow>(FIND_ITEMS, reader, grant, request);
}

export async function measureRecords(
  reader: Reader,
  grant: Grant,
  request: Pick<RecordsRequest, 'wrefs' | 'atRepoSeq'>,
): Promise<number> {
  const rows = await findRows<SizeRow>(FIND_SIZES, reader, grant, request);
  return rows.reduce((sum, { bytes }) => sum + bytes, 0);
}

async function findRows<Row extends NamedRow>(
  { pinned, current }: { pinned: BulkStatement; current: BulkStatement },
  reader: Reader,
  grant: Grant,
  { wrefs, atRepoSeq }: Pick<RecordsRequest, 'wrefs' | 'atRepoSeq'>,
): Promise<(Row & { index: number })[]> {
  const isShown = compileNarrowing(grant.narrowing);
  const ids = await findRecordIds(reader, grant, { wrefs, atRepoSeq });
  const common = [grant.repoId, atRepoSeq];
  const versions = pick(wrefs, ({ version }, index) => (version === undefined ? undefined : row(ids[index], version)));
  const heads = pick(wrefs, ({ version }, index) => (version === undefined ? row(ids[index]) : undefined));
  const rows: (Row & { index: number })[] = [];
  for (const [statement, picked] of [
    [pinned, versions],
    [current, heads],
  ] as const) {
    const some = await reader.bulk<Row>(statement, { common, rows: picked.map(({ value }) => value) });
    for (const found of some) {
      const index = picked[found.ord]?.index ?? -1;
      requireNamed(wrefs[index], found);
      if (isShown(toNamed(found))) rows.push({ ...found, index });
    }
  }
  return rows;
}

/** Detects a damaged name index, which could lead to another record. */
export function requireNamed(wref: RecordWref | undefined, { record_id, name, shape_name }: NamedRow): void {
  if (wref === undefined || !('name' in wref)) return;
  const { shapeName, local } = wref.name;
  const isMeant = shape_name === null ? name === shapeName && local === '' : shape_name === shapeName;
  if (isMeant && (shape_name === null || listSpellings(local).includes(name))) return;
  throw damaged(`Record ${record_id} is damaged: it differs from the record of its name.`);
}

interface ListedRequest {
  readonly recordIds: readonly number[];
  readonly atRepoSeq: number;
  readonly follow?: FollowElsewhere | undefined;
}

export async function readListed(reader: Reader, grant: Grant, { recordIds, atRepoSeq, follow }: ListedRequest) {
  const rows = await reader.bulk<ItemRow>(FIND_ITEMS.current, {
    common: [grant.repoId, atRepoSeq],
    rows: recordIds.map((id) => [id]),
  });
  if (rows.length < recordIds.length) throw damaged('The repository is damaged: a listed record cannot be found.');
  rows.sort((a, b) => a.ord - b.ord);
  return await renderRecords(reader, grant, { rows, atRepoSeq, follow });
}

const row = (id: number | undefined, ...rest: number[]) => (id === undefined ? undefined : [id, ...rest]);

interface Picked<Value> {
  readonly index: number;
  readonly value: Value;
}

function pick<Item, Value>(
  items: readonly Item[],
  choose: (item: Item, index: number) => Value | undefined,
): Picked<Value>[] {
  return items.flatMap((item, index) => {
    const value = choose(item, index);
    return value === undefined ? [] : [{ index, value }];
  });
}

export async function findRecordIds(
  reader: Reader,
  grant: Grant,
  { wrefs, atRepoSeq }: RecordsRequest,
): Promise<(number | undefined)[]> {
  const ids = await findExactly(reader, grant, { wrefs, atRepoSeq });
  const composed = pick(wrefs, (wref, index) => {
    if (ids[index] !== undefined || !('name' in wref)) return undefined;
    const [, local] = listSpellings(wref.name.local);
    return local === undefined ? undefined : { ...wref, name: { ...wref.name, local } };
  });
  if (composed.length === 0) return ids;
  const others = await findExactly(reader, grant, { wrefs: composed.map(({ value }) => value), atRepoSeq });
  for (const [at, { index }] of composed.entries()) ids[index] = others[at];
  return ids;
}

async function findExactly(
  reader: Reader,
  { repoId }: Grant,
  { wrefs, atRepoSeq }: RecordsRequest,
): Promise<(number | undefined)[]> {
  const ids = wrefs.map((wref) => ('recordId' in wref ? wref.recordId : undefined));
  const named = pick(wrefs, (wref) =>
    'name' in wref && wref.name.local !== '' ? [wref.name.shapeName, wref.name.local] : undefined,
  );
  const shapes = pick(wrefs, (wref) => ('name' in wref && wref.name.local === '' ? [wref.name.shapeName] : undefined));
  const common = [repoId, atRepoSeq];
  for (const [statement, picked] of [
    [FIND_NAMED, named],
    [FIND_SHAPES, shapes],
  ] as const) {
    const rows = await reader.bulk<{ record_id: number }>(statement, {
      common,
      rows: picked.map(({ value }) => value),
    });
    for (const { ord, record_id } of rows) ids[picked[ord]?.index ?? -1] = record_id;
  }
  return ids;
}

export async function findKind(
  reader: Reader,
  { repoId, recordId }: DurableIdParts,
): Promise<RecordItem['kind'] | undefined> {
  const [row] = await reader.query<{ kind: RecordItem['kind'] }>(
    'select kind from record where repo_id = $1 and record_id = $2',
    [repoId, recordId],
  );
  return row?.kind;
}

export async function findShapeIds(
  reader: Reader,
  { repoId, names }: { repoId: number; names: readonly string[] },
): Promise<(number | undefined)[]> {
  // Reads at the repository's sequence, because an unfinished import must stay invisible.
  const [sequence] = await reader.query<{ repo_seq: number }>('select repo_seq from repo_sequence where repo_id = $1', [
    repoId,
  ]);
  const found = await reader.bulk<{ record_id: number }>(FIND_SHAPES, {
    common: [repoId, sequence?.repo_seq ?? 0],
    rows: names.map((name) => [name]),
  });
  const ids = new Map(found.map(({ ord, record_id }) => [ord, record_id]));
  return names.map((_, ord) => ids.get(ord));
}

function countWithin(sizes: readonly { bytes: number }[], maxBytes: number): number {
  let bytes = 0;
  const beyond = sizes.findIndex((size) => {
    bytes += size.bytes;
    return bytes > maxBytes;
  });
  return beyond === -1 ? sizes.length : Math.max(2, beyond + 1);
}

interface HistoryPage {
  readonly recordId: number;
  readonly atRepoSeq: number;
  readonly before: number | undefined;
  readonly limit: number;
  readonly maxBytes: number;
  readonly follow?: FollowElsewhere | undefined;
}

const versionsBefore = (record: string) => `select * from version where repo_id = $1 and record_id = ${record}
  and from_seq <= $2 and version < $3 order by version desc limit $4`;

const FIND_HISTORY: BulkStatement = {
  each: `select ${ITEM_COLUMNS} from (${versionsBefore('$5')}) as v ${ITEM_JOIN}`,
  set: `select k.ord::int as ord, ${ITEM_COLUMNS} from unnest($5::bigint[]) with ordinality as k (record_id, ord)
    cross join lateral (${versionsBefore('k.record_id')}) as v ${ITEM_LATERAL}`,
};

export async function listVersions(reader: Reader, grant: Grant, page: HistoryPage): Promise<RecordItem[]> {
  const { recordId, atRepoSeq, before = Number.MAX_SAFE_INTEGER } = page;
  const sizes = await reader.query<{ bytes: number }>(
    `select ${BYTES} as bytes from version v where v.repo_id = $1 and v.record_id = $3 and v.from_seq <= $2
     and v.version < $4 order by v.version desc limit $5`,
    [grant.repoId, atRepoSeq, recordId, before, page.limit],
  );
  const limit = countWithin(sizes, page.maxBytes);
  const rows = await reader.bulk<ItemRow>(FIND_HISTORY, {
    common: [grant.repoId, atRepoSeq, before, limit],
    rows: [[recordId]],
  });
  rows.sort((a, b) => b.version - a.version);
  return await toItems(reader, grant, { rows, atRepoSeq, follow: page.follow });
}

interface ShapePage {
  readonly atRepoSeq: number;
  readonly after: string | undefined;
  readonly includeRetracted: boolean;
  readonly limit: number;
  readonly follow?: FollowElsewhere | undefined;
}

export async function listShapes(reader: Reader, grant: Grant, page: ShapePage): Promise<RecordItem[]> {
  const { atRepoSeq, follow, limit } = page;
  const isShown = compileNarrowing(grant.narrowing);
  const shown: ItemRow[] = [];
  // Reads on past hidden shapes, so that pages are full whatever is hidden.
  for (let after = page.after; ; ) {
    const rows = await listShapeRows(reader, grant, { ...page, after });
    shown.push(...rows.filter((row) => isShown(toNamed(row))));
    const last = rows.at(-1);
    if (last === undefined || rows.length < limit || shown.length >= limit) break;
    after = last.name;
  }
  return await toItems(reader, grant, { rows: shown.slice(0, limit), atRepoSeq, follow });
}

const namesOfShapes = `from name n where n.repo_id = $1 and n.shape_id = 0 and n.name > $3 and ${trueAt('n', '$2')}`;

const LIST_SHAPES: BulkStatement = {
  each: `select ${ITEM_COLUMNS} from (select n.record_id, n.name ${namesOfShapes}) as n
    join version v on v.repo_id = $1 and v.record_id = n.record_id and ${trueAt('v', '$2')} and v.active >= $5 ${ITEM_JOIN}
    order by n.name limit $4`,
  set: `select k.ord::int as ord, ${ITEM_COLUMNS} from unnest($5::bigint[]) with ordinality as k (active, ord)
    cross join lateral (select n.record_id, n.name ${namesOfShapes}) as n
    cross join lateral (select * from version v where v.repo_id = $1 and v.record_id = n.record_id
      and ${trueAt('v', '$2')} and v.active >= k.active order by v.version desc limit 1) as v ${ITEM_LATERAL}
    order by n.name limit $4`,
};

async function listShapeRows(
  reader: Reader,
  { repoId }: Grant,
  { atRepoSeq, after, includeRetracted, limit }: ShapePage,
): Promise<ItemRow[]> {
  const rows = await reader.bulk<ItemRow>(LIST_SHAPES, {
    common: [repoId, atRepoSeq, after ?? '', limit],
    rows: [[includeRetracted ? 0 : 1]],
  });
  return rows.sort((a, b) => compareText(a.name, b.name));
}
