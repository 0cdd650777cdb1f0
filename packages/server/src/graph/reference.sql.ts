// References to and from a record, each repository read at a fixed sequence. References of retracted or hidden records
// are left out.

import { valueAt } from '@cairn/model/json';
import { ABOUT, type DurableIdParts, parseIdentity, parseReferences, type Reference } from '@cairn/model/wref';
import type { Grant } from '../access/grant.rule.ts';
import { roleOf } from '../commit/commit.write.ts';
import type { BulkStatement, Reader } from '../engine/database.ts';
import { type LongRead, STEP_ROWS } from '../engine/read-bounds.ts';
import {
  type FollowElsewhere,
  findActive,
  findHiddenTargets,
  type Pointer,
  type SightRequest,
  type SightRow,
  type Source,
} from '../read/hidden-target.sql.ts';
import type { ItemRow } from '../read/record-item.sql.ts';
import { TargetNames } from '../read/target-name.sql.ts';

const STRETCHES_MAX = 200;

export interface IncomingPlace {
  readonly repoId: number;
  readonly role: string;
  readonly recordId: number;
  readonly path: string;
}

export interface Incoming extends IncomingPlace {
  readonly source: Source;
  readonly sight: SightRow;
  readonly targetVersion: number;
}

interface IncomingPage {
  readonly target: DurableIdParts;
  readonly targetVersion: number | undefined;
  readonly roles: readonly string[];
  readonly sources: readonly Source[];
  readonly after: IncomingPlace | undefined;
  readonly limit: number;
  readonly longRead: LongRead;
}

// Few ranges have many rows and most have none, so the step size adapts.
export async function listIncoming(reader: Reader, page: IncomingPage): Promise<Incoming[]> {
  const found: Incoming[] = [];
  const stepRows = Math.max(STEP_ROWS, page.roles.length * page.limit);
  let open = stretchesOf(page);
  for (let width = page.roles.length; open.length > 0 && found.length < page.limit; ) {
    const next = open.slice(0, width);
    const rowsEach = Math.min(page.limit, Math.floor(stepRows / next.length));
    const parts = upToCut(await readStretches(reader, next, rowsEach), page.limit - found.length);
    found.push(...(await seeReferences(reader, page, parts)));
    const rest = parts.at(-1)?.rest;
    open = [...(rest === undefined ? [] : [rest]), ...open.slice(parts.length)];
    width = rest === undefined ? Math.min(width * 4, STRETCHES_MAX) : Math.max(1, width >> 2);
    await page.longRead.turn();
  }
  return found.slice(0, page.limit);
}

function stretchesOf({ target, roles, sources, after }: IncomingPage): Stretch[] {
  const all = sources.flatMap(({ grant: { repoId } }) =>
    roles.map((role): Stretch => ({ target, role, repoId, after: BEGINNING })),
  );
  if (after === undefined) return all;
  const at = all.findIndex(({ repoId, role }) => repoId === after.repoId && role === after.role);
  const [first, ...others] = all.slice(at);
  // The caller lost access to the cursor's repository, so the list continues with the next one.
  if (at === -1 || first === undefined) return all;
  const { recordId, path } = after;
  return [{ ...first, after: { recordId, path, fromSeq: Number.MAX_SAFE_INTEGER } }, ...others];
}

function upToCut(parts: readonly StretchPart[], wanted: number): readonly StretchPart[] {
  let rows = 0;
  const cut = parts.findIndex((part) => {
    rows += part.rows.length;
    return part.rest !== undefined || rows >= wanted;
  });
  return cut === -1 ? parts : parts.slice(0, cut + 1);
}

async function seeReferences(reader: Reader, page: IncomingPage, parts: readonly StretchPart[]): Promise<Incoming[]> {
  const rows = parts.flatMap((part) => trueRowsOf(page, part));
  const requests = new Map<string, SightRequest>();
  for (const { source, row } of rows) requests.set(sourceRowKey(source, row), { source, recordId: row.record_id });
  const sights = await findActive(reader, [...requests.values()]);
  const byKey = new Map([...requests.keys()].map((key, index) => [key, sights[index]]));
  return rows.flatMap(({ stretch: { repoId, role }, source, row }): Incoming[] => {
    const sight = byKey.get(sourceRowKey(source, row));
    if (sight === undefined) return [];
    const { record_id: recordId, path, target_version: targetVersion } = row;
    return [{ source, sight, repoId, role, recordId, path, targetVersion }];
  });
}

const sourceRowKey = ({ grant }: Source, { record_id }: ReferenceRow) => `${grant.repoId} ${record_id}`;

function trueRowsOf(
  { sources, targetVersion }: IncomingPage,
  { stretch, rows }: StretchPart,
): { stretch: Stretch; source: Source; row: ReferenceRow }[] {
  const source = sources.find(({ grant }) => grant.repoId === stretch.repoId);
  if (source === undefined) return [];
  return rows
    .filter((row) => isTrueAt(row, source.atRepoSeq))
    .filter(({ target_version }) => targetVersion === undefined || target_version === targetVersion)
    .map((row) => ({ stretch, source, row }));
}

export interface Outgoing {
  readonly role: string;
  readonly target: Reference;
  readonly wref: string;
}

interface OutgoingPage {
  readonly row: ItemRow;
  readonly atRepoSeq: number;
  readonly roles: readonly string[];
  readonly after: string | undefined;
  readonly limit: number;
  readonly follow: FollowElsewhere | undefined;
  readonly longRead: LongRead;
}

type Placed = Omit<Outgoing, 'wref'> & { readonly pointer: Pointer };

export async function listOutgoing(reader: Reader, grant: Grant, page: OutgoingPage): Promise<Outgoing[]> {
  const { atRepoSeq, follow, limit, longRead } = page;
  const all = placedIn(page);
  const shown: Placed[] = [];
  for (let at = 0; at < all.length && shown.length < limit; ) {
    const step = all.slice(at, at + Math.min(limit, STEP_ROWS));
    const targets = step.map(({ pointer }) => pointer);
    const hidden = await findHiddenTargets(reader, grant, { targets, atRepoSeq, follow });
    shown.push(...step.filter(({ pointer }) => !hidden.has(pointer)));
    at += step.length;
    await longRead.turn();
  }
  return await withNames(reader, grant, { placed: shown.slice(0, limit), atRepoSeq });
}

function placedIn({ row, roles, after }: OutgoingPage): Placed[] {
  const { kind, about, about_wref } = row;
  const references = parseReferences(row.refs).sort((a, b) => (a.path < b.path ? -1 : 1));
  const data: unknown = references.length === 0 ? {} : JSON.parse(row.data);
  const aboutIt =
    about === null ? [] : [{ role: ABOUT, target: { path: '', ...parseIdentity(about) }, wref: about_wref }];
  const inData = references.map((target) => {
    return { role: roleOf(kind, target.path), target, wref: valueAt(data, target.path) };
  });
  return [...aboutIt, ...inData]
    .map(({ role, target, wref }) => ({ role, target, pointer: { ...target, wref: String(wref) } }))
    .filter(({ role, target }) => (after === undefined || target.path > after) && roles.includes(role));
}

async function withNames(
  reader: Reader,
  grant: Grant,
  { placed, atRepoSeq }: { placed: readonly Placed[]; atRepoSeq: number },
): Promise<Outgoing[]> {
  const names = new TargetNames(grant);
  for (const { target } of placed) names.want(target);
  await names.load(reader, atRepoSeq);
  return placed.map(({ pointer, ...rest }) => ({ ...rest, wref: names.find(rest.target) ?? pointer.wref }));
}

/**
 * Jumps from repository to repository: `ref.repo_id` follows the role in the key, so the next one is the first row
 * beyond.
 */
const leaps = ({ role, after, limit }: { role: string; after: string; limit: string }) => `(
  with recursive leap (repo_id) as (
    select min(repo_id) from ref where target_repo_id = $1 and target_id = $2 and role = ${role} and repo_id > ${after}
    union all
    select (select min(ref.repo_id) from ref where target_repo_id = $1 and target_id = $2 and role = ${role}
      and ref.repo_id > leap.repo_id) from leap where leap.repo_id is not null
  )
  select repo_id from leap where repo_id is not null limit ${limit})`;

const FIND_REPOSITORIES: BulkStatement = {
  each: `select repo_id from ${leaps({ role: '$5', after: '$3', limit: '$4' })} as leaps`,
  set: `select k.ord::int as ord, leaps.repo_id from unnest($5::text[]) with ordinality as k (role, ord)
    cross join lateral ${leaps({ role: 'k.role collate "C"', after: '$3::bigint', limit: '$4::bigint' })} as leaps`,
};

interface ReferringRepositories {
  readonly repoIds: readonly number[];
  /** The list is complete up to this id; `undefined` when it is complete. */
  readonly through: number | undefined;
}

export async function findReferringRepositories(
  reader: Reader,
  { target, roles, after, limit }: { target: DurableIdParts; roles: readonly string[]; after: number; limit: number },
): Promise<ReferringRepositories> {
  const rows = await reader.bulk<{ repo_id: number }>(FIND_REPOSITORIES, {
    common: [target.repoId, target.recordId, after, limit],
    rows: roles.map((role) => [role]),
  });
  const byRole = Map.groupBy(rows, ({ ord }) => ord);
  // A role that reached the limit may have more ids beyond its last one, so the result ends there.
  const ends = [...byRole.values()]
    .filter(({ length }) => length === limit)
    .map((some) => Math.max(...some.map(({ repo_id }) => repo_id)));
  const through = ends.length === 0 ? undefined : Math.min(...ends);
  const repoIds = [...new Set(rows.map(({ repo_id }) => repo_id))].sort((a, b) => a - b);
  return { repoIds: repoIds.filter((repoId) => through === undefined || repoId <= through), through };
}

/** A range of the reference index. It includes removed references, so any number of its rows may be useless. */
export interface Stretch {
  readonly target: DurableIdParts;
  readonly role: string;
  readonly repoId: number;
  readonly after: { recordId: number; path: string; fromSeq: number };
}

export const BEGINNING: { recordId: number; path: string; fromSeq: number } = { recordId: 0, path: '', fromSeq: 0 };

interface ReferenceRow {
  readonly record_id: number;
  readonly path: string;
  readonly from_seq: number;
  readonly to_seq: number | null;
  readonly target_version: number;
}

const REFERENCE_COLUMNS = 'record_id, path, from_seq, to_seq, target_version';

const referenceSet = (target: string) => `select k.ord::int as ord, ref.*
  from unnest($2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[], $7::text[], $8::bigint[])
    with ordinality as k (target_repo_id, target_id, role, repo_id, record_id, path, from_seq, ord)
  cross join lateral (select ${REFERENCE_COLUMNS} from ref where target_repo_id = ${target} and target_id = k.target_id
    and role = k.role collate "C" and repo_id = k.repo_id
    and (record_id, path, from_seq) > (k.record_id, k.path collate "C", k.from_seq)
    order by record_id, path, from_seq limit $1::bigint) as ref
  order by k.ord, record_id, path, from_seq`;

const FIND_REFERENCES: BulkStatement = {
  each: `select ${REFERENCE_COLUMNS} from ref where target_repo_id = $2 and target_id = $3 and role = $4 and repo_id = $5
      and (record_id, path, from_seq) > ($6, $7, $8) order by record_id, path, from_seq limit $1`,
  set: referenceSet('k.target_repo_id'),
  shard: { column: 0, set: referenceSet('$9') },
};

interface StretchPart {
  readonly stretch: Stretch;
  readonly rows: readonly ReferenceRow[];
  readonly rest: Stretch | undefined;
}

export async function readStretches(
  reader: Reader,
  stretches: readonly Stretch[],
  rowsEach: number,
): Promise<StretchPart[]> {
  const found = await reader.bulk<ReferenceRow>(FIND_REFERENCES, {
    common: [rowsEach],
    rows: stretches.map(({ target, role, repoId, after }) => {
      return [target.repoId, target.recordId, role, repoId, after.recordId, after.path, after.fromSeq];
    }),
  });
  const byStretch = Map.groupBy(found, ({ ord }) => ord);
  return stretches.map((stretch, ord) => {
    const rows = byStretch.get(ord) ?? [];
    return { stretch, rows, rest: restOf(stretch, rows, rowsEach) };
  });
}

function restOf(stretch: Stretch, rows: readonly ReferenceRow[], rowsEach: number): Stretch | undefined {
  const last = rows.at(-1);
  if (last === undefined || rows.length < rowsEach) return undefined;
  return { ...stretch, after: { recordId: last.record_id, path: last.path, fromSeq: last.from_seq } };
}

export function isTrueAt({ from_seq, to_seq }: ReferenceRow, seq: number): boolean {
  return from_seq <= seq && (to_seq === null || to_seq > seq);
}
