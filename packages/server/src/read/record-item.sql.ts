// Turns stored rows into records for readers, with all names as of the sequence read.

import { COLLECTION_TYPE_OF, type CollectionType } from '@cairn/model/collection';
import { valueAt, withValues } from '@cairn/model/json';
import { formatDurableId, formatIdentity, parseIdentity, parseReferences, type Reference } from '@cairn/model/wref';
import type { ListedRecord } from '@cairn/protocol/read';
import type { RecordItem } from '@cairn/protocol/record';
import type { Grant } from '../access/grant.rule.ts';
import type { StoredCommit } from '../commit/commit-read.sql.ts';
import {
  hexOf,
  type JoinedHead,
  PURGED_DATA,
  requireIntact,
  requireIntactJoinedHead,
  requireIntactVersion,
  requireReferences,
  type VersionColumns,
} from '../commit/integrity.rule.ts';
import type { Reader } from '../engine/database.ts';
import { giveTurn } from '../engine/read-bounds.ts';
import {
  type FollowElsewhere,
  findHiddenTargets,
  HiddenTargets,
  type NamedRow,
  NOW_COLUMNS,
  type Pointer,
} from './hidden-target.sql.ts';
import { nameAt, TargetNames, versionAt } from './target-name.sql.ts';

export type CommitFacts = Pick<StoredCommit, 'created_at' | 'created_by' | 'committer' | 'committer_identity'>;

export interface ItemRow extends NamedRow, JoinedHead, VersionColumns, CommitFacts {
  readonly kind: RecordItem['kind'];
  readonly crc: number;
  readonly data: string;
  readonly refs: string | null;
  readonly record_created_at: number;
}

export const versionColumns = (dataHash: string) => `v.version, v.active, v.from_seq, v.operation, v.reason, v.op_index,
  v.shape_version, ${dataHash} as data_hash, v.crc, v.data, v.refs,
  r.version as head_version, r.active as head_active, r.updated_seq, r.crc as head_crc,
  c.created_at, c.created_by, c.committer, c.committer_identity, born.created_at as record_created_at`;

/** `$1` is the repository, `$2` the sequence read: later names must not show. */
export const ITEM_COLUMNS = `v.record_id, r.kind, r.about, r.about_wref, r.created_seq,
  ${nameAt('r', '$2')} as name, ${nameAt('s', '$2')} as shape_name, ${NOW_COLUMNS},
  ${versionColumns('v.data_hash')}`;

export const VERSION_AT = `v.version = ${versionAt('r', '$2')}`;

export const COMMIT_JOIN = `join "commit" c on c.repo_id = $1 and c.repo_seq = v.from_seq
  join "commit" born on born.repo_id = $1 and born.repo_seq = r.created_seq`;

const commitAt = (seq: string) => `(select created_at, created_by, committer, committer_identity from "commit"
  where repo_id = $1 and repo_seq = ${seq} limit 1)`;

/** For PostgreSQL, where each is a separate lookup: see commit/statement.sql.ts. */
export const COMMIT_LATERAL = `cross join lateral ${commitAt('v.from_seq')} as c
  cross join lateral ${commitAt('r.created_seq')} as born`;

export const SHAPE_LATERAL = `left join lateral (select repo_id, record_id, name from record
  where repo_id = $1 and record_id = r.shape_id limit 1) as s on true`;

export const ITEM_LATERAL = `cross join lateral (select * from record where repo_id = $1 and record_id = v.record_id limit 1) as r
  ${SHAPE_LATERAL} ${COMMIT_LATERAL}`;

export const ITEM_JOIN = `join record r on r.repo_id = $1 and r.record_id = v.record_id
  left join record s on s.repo_id = $1 and s.record_id = r.shape_id ${COMMIT_JOIN}`;

interface ItemsRequest<Row> {
  readonly rows: readonly Row[];
  readonly atRepoSeq: number;
  readonly follow: FollowElsewhere | undefined;
}

export async function toItems<Row extends ItemRow>(
  reader: Reader,
  grant: Grant,
  request: ItemsRequest<Row>,
): Promise<RecordItem[]> {
  const { records } = await renderRecords(reader, grant, request);
  return records.map(toRecordItem);
}

export async function renderRecords<Row extends ItemRow>(
  reader: Reader,
  grant: Grant,
  { rows, atRepoSeq, follow }: ItemsRequest<Row>,
): Promise<{ records: RenderedRecord[]; lookedElsewhere: boolean }> {
  const names = new TargetNames(grant);
  for (const row of rows) wantNames(names, row);
  await names.load(reader, atRepoSeq);
  const hides = grant.narrowing !== undefined || follow !== undefined;
  const targets = hides ? rows.flatMap(targetsOf) : [];
  const hidden = await findHiddenTargets(reader, grant, { targets, atRepoSeq, follow });
  const records: RenderedRecord[] = [];
  for (const row of rows) {
    records.push(render(grant, row, { names, hidden, hides }));
    if ((row.refs?.length ?? 0) > REFS_LONG_CHARACTERS) await giveTurn();
  }
  return { records, lookedElsewhere: hidden.lookedElsewhere };
}

const NOTHING_HIDDEN = new HiddenTargets();
const WITHOUT_TARGETS = {
  names: new TargetNames({ repoId: 0, renamedSeq: 0 }),
  hidden: NOTHING_HIDDEN,
  hides: false,
};

/** For callers from whom nothing is hidden. `undefined` if names of targets have to be read first. */
export function renderAtOnce(grant: Grant, row: ItemRow): RenderedRecord | undefined {
  if (row.refs === null && row.about === null && row.committer_identity === null) {
    return render(grant, row, WITHOUT_TARGETS);
  }
  const names = new TargetNames(grant);
  wantNames(names, row);
  return names.areWanted ? undefined : render(grant, row, { names, hidden: NOTHING_HIDDEN, hides: false });
}

const REFS_LONG_CHARACTERS = 50_000;

function targetsOf(row: ItemRow): Pointer[] {
  const { refs, data, about, about_wref, committer, committer_identity } = row;
  const inData = refs === null ? [] : pointersIn(JSON.parse(data), parseReferences(refs));
  return [...inData, ...pointerOf(about_wref, about), ...pointerOf(committer, committer_identity)];
}

function pointersIn(data: unknown, references: readonly Reference[]): (Reference & Pointer)[] {
  return references.map((reference) => ({ ...reference, wref: String(valueAt(data, reference.path)) }));
}

function pointerOf(wref: string | null, identity: string | null): Pointer[] {
  return wref === null || identity === null ? [] : [{ ...parseIdentity(identity), wref }];
}

export interface Rendering {
  readonly names: TargetNames;
  readonly hidden: HiddenTargets;
  readonly hides: boolean;
}

/** A retraction keeps the text of an earlier version. */
function mayDiffer(names: TargetNames, { operation, from_seq }: ItemRow): boolean {
  return names.mayDiffer(operation === 'retract' ? 1 : from_seq);
}

function wantNames(names: TargetNames, row: ItemRow): void {
  const { from_seq, created_seq, refs, about, committer_identity } = row;
  if (committer_identity !== null && names.mayDiffer(from_seq)) names.want(parseIdentity(committer_identity));
  if (about !== null && names.mayDiffer(created_seq)) names.want(parseIdentity(about));
  if (!mayDiffer(names, row)) return;
  for (const reference of parseReferences(refs)) names.want(reference);
}

/** Returns the stored value unless a target was renamed or is hidden. */
function renderData(
  row: ItemRow,
  { stored, pointers }: { stored: unknown; pointers: readonly (Reference & Pointer)[] },
  { names, hidden }: Rendering,
): unknown {
  const renamed = mayDiffer(names, row);
  const values = pointers.flatMap((pointer): [string, string | null][] => {
    const { path } = pointer;
    if (hidden.has(pointer)) return [[path, null]];
    if (!renamed) return [];
    // Shapes refer to others by name, without a version.
    const wref = row.kind === 'shape' ? names.findName(pointer) : names.find(pointer);
    return wref === undefined ? [] : [[path, wref]];
  });
  return values.length === 0 ? stored : withValues(stored, new Map(values));
}

export function renderWref(
  { names, hidden }: Rendering,
  { wref, identity: text }: { wref: string; identity: string | null },
): string | null {
  if (text === null) return wref;
  const identity = parseIdentity(text);
  return hidden.has({ ...identity, wref }) ? null : (names.find(identity) ?? wref);
}

interface Content extends Pick<RenderedRecord, 'data' | 'refs'> {
  readonly dataHash?: string;
  readonly purged?: true;
}

/** Contains no hash, because a hash could confirm a guess of the purged data. */
const PURGED: Content = { data: PURGED_DATA, refs: null, purged: true };

/** Redacted data gets no hash either: it could confirm a guess of the hidden parts. */
function contentOf(repoId: number, row: ItemRow, rendering: Rendering): Content {
  const { data, refs } = row;
  const dataHash = hexOf(row.data_hash);
  const version = { recordId: row.record_id, version: row.version };
  requireIntactVersion(repoId, row, dataHash);
  requireIntactJoinedHead(repoId, row);
  if (requireIntact({ ...version, data, dataHash }) === 'purged') return PURGED;
  requireReferences(refs, version);
  const asItIs = refs === null || (!rendering.hides && !mayDiffer(rendering.names, row));
  if (asItIs) return { data, refs, dataHash };
  const stored: unknown = JSON.parse(data);
  const pointers = pointersIn(stored, parseReferences(refs));
  const rendered = JSON.stringify(renderData(row, { stored, pointers }, rendering));
  const shown = pointers.filter((pointer) => !rendering.hidden.has(pointer));
  if (shown.length === pointers.length) return { data: rendered, refs, dataHash };
  return { data: rendered, refs: JSON.stringify(shown.map((pointer) => [pointer.path, formatIdentity(pointer)])) };
}

function aboutOf(
  { about, about_wref }: ItemRow,
  rendering: Rendering,
): Pick<RecordItem, 'aboutWref' | 'aboutDurableId'> {
  if (about_wref === null) return {};
  const aboutWref = renderWref(rendering, { wref: about_wref, identity: about });
  // An imported reference to another server has only its text.
  return { aboutWref, ...(aboutWref !== null && about !== null && { aboutDurableId: about }) };
}

type Writable<Value> = { -readonly [Name in keyof Value]: Value[Name] };

/** Object spread is several times slower, and pages have many records. */
function render({ repoId, repository }: Grant, row: ItemRow, rendering: Rendering): RenderedRecord {
  const { data, refs, dataHash, purged } = contentOf(repoId, row, rendering);
  const { committer, committer_identity, reason, about_wref } = row;
  const origin: Partial<Writable<RenderedRecord['origin']>> = {};
  if (dataHash !== undefined) origin.dataHash = dataHash;
  if (purged !== undefined) origin.purged = purged;
  if (about_wref !== null) Object.assign(origin, aboutOf(row, rendering));
  if (reason !== null) origin.reason = reason;
  if (committer !== null) {
    origin.committerWref = renderWref(rendering, { wref: committer, identity: committer_identity });
  }
  origin.createdBy = row.created_by;
  if (row.from_seq <= (repository.importedRepoSeq ?? 0)) origin.imported = true;
  origin.recordCreatedAt = row.record_created_at;
  origin.versionCreatedAt = row.created_at;
  return { identity: identityOf(repoId, row), data, refs, origin: origin as RenderedRecord['origin'] };
}

function identityOf(repoId: number, row: ItemRow): RenderedRecord['identity'] {
  const { shape_name, kind, version } = row;
  const name = shape_name === null ? row.name : `${shape_name}/${row.name}`;
  const durableId = formatDurableId({ repoId, recordId: row.record_id });
  const pinnedWref = `${name}@v${version}`;
  const [active, repoSeq] = [row.active === 1, row.from_seq];
  if (shape_name === null) return { durableId, wref: name, pinnedWref, name, kind, version, active, repoSeq };
  if (kind !== 'collection') {
    return { durableId, wref: name, pinnedWref, name, kind, shapeName: shape_name, version, active, repoSeq };
  }
  const collection = COLLECTION_TYPE_OF.get(shape_name) as CollectionType;
  return { durableId, wref: name, pinnedWref, name, kind, shapeName: shape_name, collection, version, active, repoSeq };
}

type IdentityMember =
  | 'durableId'
  | 'wref'
  | 'pinnedWref'
  | 'name'
  | 'kind'
  | 'shapeName'
  | 'collection'
  | 'version'
  | 'active';

export interface RenderedRecord {
  readonly identity: Pick<ListedRecord, IdentityMember | 'repoSeq'>;
  readonly data: string;
  readonly refs: string | null;
  readonly origin: Omit<ListedRecord, IdentityMember | 'repoSeq' | 'data' | 'refs'>;
}

export function toRecordItem({ identity, data, refs, origin }: RenderedRecord): ListedRecord {
  return { ...identity, data: JSON.parse(data), ...(refs !== null && { refs: JSON.parse(refs) }), ...origin };
}

export function toRecordText({ identity, data, refs, origin }: RenderedRecord): string {
  const before = identityText(identity);
  const after = JSON.stringify(origin).slice(1);
  return `${before},"data":${data},${refs === null ? '' : `"refs":${refs},`}${after}`;
}

/** Omits the closing brace. Only names can contain characters that JSON escapes. */
function identityText(identity: RenderedRecord['identity']): string {
  const { durableId, wref, pinnedWref, name, kind, shapeName, collection, version, active, repoSeq } = identity;
  const quoted = JSON.stringify(name);
  const named = `{"durableId":"${durableId}","wref":${wref === name ? quoted : JSON.stringify(wref)},"pinnedWref":${JSON.stringify(pinnedWref)},"name":${quoted},"kind":"${kind}"`;
  const shaped = shapeName === undefined ? '' : `,"shapeName":"${shapeName}"`;
  const collected = collection === undefined ? '' : `,"collection":"${collection}"`;
  return `${named}${shaped}${collected},"version":${version},"active":${active},"repoSeq":${repoSeq}`;
}
