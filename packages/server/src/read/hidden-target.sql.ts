// Finds the hidden targets of pointers. Such a pointer reads as `null`.

import { type DurableIdParts, parseWref } from '@cairn/model/wref';
import type { Grant } from '../access/grant.rule.ts';
import { type Called, compileNarrowing, type IsShown, type NamedRecord } from '../access/narrowing.rule.ts';
import type { BulkStatement, Reader } from '../engine/database.ts';
import { inSteps } from '../engine/read-bounds.ts';
import type { ItemRow } from './record-item.sql.ts';
import { fullName, nameAt, versionAt } from './target-name.sql.ts';

export interface NamedRow {
  readonly record_id: number;
  readonly kind: string;
  readonly shape_id: number;
  readonly name: string;
  readonly shape_name: string | null;
  readonly name_now: string;
  readonly shape_name_now: string | null;
}

export const NOW_COLUMNS = 'r.shape_id, r.name as name_now, s.name as shape_name_now';

export function toNamed({ kind, record_id, shape_id, ...row }: NamedRow): NamedRecord {
  const called = [toCalled(row), toCalled({ name: row.name_now, shape_name: row.shape_name_now })];
  return { kind, shapeId: kind === 'shape' ? record_id : shape_id, called };
}

function toCalled({ name, shape_name }: Pick<NamedRow, 'name' | 'shape_name'>): Called {
  return { name: fullName({ name, shape_name }), shapeName: shape_name ?? name };
}

export const NAMED_COLUMNS = `r.record_id, r.kind, ${NOW_COLUMNS}, ${nameAt('r', '$2')} as name, ${nameAt('s', '$2')} as shape_name`;

const FIND_NAMED_RECORDS: BulkStatement = {
  each: `select ${NAMED_COLUMNS} from record r left join record s on s.repo_id = $1 and s.record_id = r.shape_id
    where r.repo_id = $1 and r.record_id = $3`,
  set: `select k.ord::int as ord, ${NAMED_COLUMNS} from unnest($3::bigint[]) with ordinality as k (record_id, ord)
    cross join lateral (select * from record where repo_id = $1 and record_id = k.record_id limit 1) as r
    left join lateral (select repo_id, record_id, name from record where repo_id = $1 and record_id = r.shape_id limit 1) as s on true`,
};

export async function findNamed(
  reader: Reader,
  { repoId, atRepoSeq, ids }: { repoId: number; atRepoSeq: number; ids: readonly number[] },
): Promise<Map<number, NamedRow>> {
  const rows = ids.map((id) => [id]);
  const found = await reader.bulk<NamedRow>(FIND_NAMED_RECORDS, { common: [repoId, atRepoSeq], rows });
  return new Map(found.map((row) => [row.record_id, row]));
}

export type FollowElsewhere = (repoIds: readonly number[]) => Promise<readonly Grant[]>;

export interface Pointer extends DurableIdParts {
  readonly wref: string;
}

interface PointerRequest {
  readonly targets: readonly Pointer[];
  readonly atRepoSeq: number;
  /** `undefined` for callers without restrictions in any repository. */
  readonly follow: FollowElsewhere | undefined;
}

export class HiddenTargets {
  readonly #hidden = new Set<string>();
  lookedElsewhere = false;

  has(pointer: Pointer): boolean {
    return this.#hidden.size > 0 && this.#hidden.has(pointerKey(pointer));
  }

  hide(pointer: Pointer): void {
    this.#hidden.add(pointerKey(pointer));
  }
}

const pointerKey = ({ repoId, recordId, wref }: Pointer) => `${repoId} ${recordId} ${wref}`;

export async function findHiddenTargets(
  reader: Reader,
  grant: Grant,
  { targets, atRepoSeq, follow }: PointerRequest,
): Promise<HiddenTargets> {
  const hidden = new HiddenTargets();
  if (grant.narrowing === undefined && follow === undefined) return hidden;
  const byRepository = Map.groupBy(targets, ({ repoId }) => repoId);
  const elsewhere = [...byRepository.keys()].filter((repoId) => repoId !== grant.repoId);
  hidden.lookedElsewhere = elsewhere.length > 0;
  const readable = elsewhere.length === 0 || follow === undefined ? [] : await follow(elsewhere);
  const grants = new Map([...readable, grant].map((each) => [each.repoId, each]));
  for (const [repoId, some] of byRepository) {
    const there = grants.get(repoId);
    const seen = { targets: some, atRepoSeq: repoId === grant.repoId ? atRepoSeq : undefined };
    if (there !== undefined) await hideNarrowed(reader, there, seen, hidden);
    // Callers with a partial view must not learn about repositories that they cannot read.
    else if (grant.narrowing !== undefined) for (const target of some) hidden.hide(target);
  }
  return hidden;
}

interface PointersInto {
  readonly targets: readonly Pointer[];
  /** `undefined` for other repositories, which are read at their current state. */
  readonly atRepoSeq: number | undefined;
}

async function hideNarrowed(
  reader: Reader,
  { repoId, narrowing }: Grant,
  { targets, atRepoSeq }: PointersInto,
  hidden: HiddenTargets,
): Promise<void> {
  if (narrowing === undefined) return;
  const isShown = compileNarrowing(narrowing);
  const ids = [...new Set(targets.map(({ recordId }) => recordId))];
  const found = new Map<number, NamedRow>();
  await inSteps(ids, async (some) => {
    const named = { repoId, atRepoSeq: atRepoSeq ?? Number.MAX_SAFE_INTEGER, ids: some };
    for (const [id, row] of await findNamed(reader, named)) found.set(id, row);
  });
  for (const target of targets) {
    const row = found.get(target.recordId);
    const shown = row && isShown(toNamed(atRepoSeq === undefined ? asWritten(row, target) : row));
    if (!shown) hidden.hide(target);
  }
}

/** A pointer to another repository keeps the target's old name, which may be hidden by now. */
function asWritten(row: NamedRow, { wref }: Pointer): NamedRow {
  const parsed = parseWref(wref);
  if (!('name' in parsed)) return row;
  const { shapeName, local } = parsed.name;
  return local === '' ? { ...row, name: shapeName } : { ...row, name: local, shape_name: shapeName };
}

export interface SightRow extends Pick<ItemRow, keyof NamedRow | 'about' | 'version' | 'active'> {
  readonly refs_bytes: number;
}

const sightColumns = (seq: string, repo: string) => `r.record_id, r.kind, r.about, ${NOW_COLUMNS},
  ${nameAt('r', seq, repo)} as name, ${nameAt('s', seq, repo)} as shape_name, v.version, v.active, coalesce(octet_length(v.refs), 0) as refs_bytes`;

const sightSet = (repo: string) => `select k.ord::int as ord, ${sightColumns('k.seq', repo)}
  from unnest($1::bigint[], $2::bigint[], $3::bigint[]) with ordinality as k (repo_id, seq, record_id, ord)
  cross join lateral (select * from record where repo_id = ${repo} and record_id = k.record_id limit 1) as r
  left join lateral (select * from record where repo_id = ${repo} and record_id = r.shape_id limit 1) as s on true
  cross join lateral (select version, active, refs from version
    where repo_id = ${repo} and record_id = k.record_id and version = ${versionAt('r', 'k.seq', repo)} limit 1) as v`;

const FIND_SIGHTS: BulkStatement = {
  each: `select ${sightColumns('$2', '$1')} from record r
    left join record s on s.repo_id = $1 and s.record_id = r.shape_id
    join version v on v.repo_id = $1 and v.record_id = $3 and v.version = ${versionAt('r', '$2')}
    where r.repo_id = $1 and r.record_id = $3`,
  set: sightSet('k.repo_id'),
  shard: { column: 0, set: sightSet('$4') },
};

export interface Source {
  readonly grant: Grant;
  readonly atRepoSeq: number;
}

export interface SightRequest {
  readonly source: Source;
  readonly recordId: number;
}

/** In the order of the requests; `undefined` for records that are missing, retracted or hidden. */
export async function findActive(reader: Reader, requests: readonly SightRequest[]): Promise<(SightRow | undefined)[]> {
  const found = await findSights(reader, requests);
  return found.map((row) => (row?.active === 1 ? row : undefined));
}

export async function findSights(reader: Reader, requests: readonly SightRequest[]): Promise<(SightRow | undefined)[]> {
  const rows = requests.map(({ source, recordId }) => [source.grant.repoId, source.atRepoSeq, recordId]);
  const tests = new Map<number, IsShown>();
  for (const { source } of requests) {
    const { repoId, narrowing } = source.grant;
    if (!tests.has(repoId)) tests.set(repoId, compileNarrowing(narrowing));
  }
  const found: (SightRow | undefined)[] = requests.map(() => undefined);
  for (const { ord, ...row } of await reader.bulk<SightRow>(FIND_SIGHTS, { common: [], rows })) {
    const isShown = tests.get(requests[ord]?.source.grant.repoId ?? 0);
    if (isShown?.(toNamed(row))) found[ord] = row;
  }
  return found;
}
