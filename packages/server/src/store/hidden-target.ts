// Which records that a text points to are hidden from the caller. A pointer to one of them reads `null`.
import type { DurableIdParts } from '../model/durable-id.ts';
import { compileNarrowing, type IsShown, type NamedRecord } from '../model/narrowing.ts';
import type { BulkStatement, Reader } from './database.ts';
import type { Grant } from './grant.ts';
import { fullName, nameAt } from './target-name.ts';

/** The names that a record goes by: at the sequence read, and now. */
export interface NamedRow {
  readonly record_id: number;
  readonly kind: string;
  readonly shape_id: number;
  readonly name: string;
  readonly shape_name: string | null;
  readonly name_now: string;
  readonly shape_name_now: string | null;
}

/** Over a record `r` and its shape `s`. */
export const NOW_COLUMNS = 'r.shape_id, r.name as name_now, s.name as shape_name_now';

export function toNamed(row: NamedRow): NamedRecord {
  const names = [fullName(row), fullName({ name: row.name_now, shape_name: row.shape_name_now })];
  const { kind, record_id, shape_id } = row;
  if (kind === 'shape') return { kind, shapeId: record_id, shapeNames: names, names };
  return { kind, shapeId: shape_id, shapeNames: [row.shape_name ?? '', row.shape_name_now ?? ''], names };
}

const NAMED_COLUMNS = `r.record_id, r.kind, ${NOW_COLUMNS}, ${nameAt('r', '$2')} as name, ${nameAt('s', '$2')} as shape_name`;

const FIND_NAMED_RECORDS: BulkStatement = {
  each: `select ${NAMED_COLUMNS} from record r left join record s on s.repo_id = $1 and s.record_id = r.shape_id
    where r.repo_id = $1 and r.record_id = $3`,
  set: `select k.ord::int as ord, ${NAMED_COLUMNS} from unnest($3::bigint[]) with ordinality as k (record_id, ord)
    cross join lateral (select * from record where repo_id = $1 and record_id = k.record_id limit 1) as r
    left join record s on s.repo_id = $1 and s.record_id = r.shape_id`,
};

/** The right to read other repositories that are pointed to, as far as there is one. */
export type FollowElsewhere = (repoIds: readonly number[]) => Promise<readonly Grant[]>;

export interface PointerRequest {
  readonly targets: readonly DurableIdParts[];
  readonly atRepoSeq: number;
  /** `undefined` for a caller from whom nothing is hidden anywhere. */
  readonly follow: FollowElsewhere | undefined;
}

export class HiddenTargets {
  readonly #hidden = new Set<string>();

  has({ repoId, recordId }: DurableIdParts): boolean {
    return this.#hidden.size > 0 && this.#hidden.has(`${repoId} ${recordId}`);
  }

  hide({ repoId, recordId }: DurableIdParts): void {
    this.#hidden.add(`${repoId} ${recordId}`);
  }
}

export async function findHiddenTargets(
  reader: Reader,
  grant: Grant,
  { targets, atRepoSeq, follow }: PointerRequest,
): Promise<HiddenTargets> {
  const hidden = new HiddenTargets();
  if (grant.narrowing === undefined && follow === undefined) return hidden;
  const byRepository = Map.groupBy(targets, ({ repoId }) => repoId);
  const elsewhere = [...byRepository.keys()].filter((repoId) => repoId !== grant.repoId);
  const readable = elsewhere.length === 0 || follow === undefined ? [] : await follow(elsewhere);
  const grants = new Map([...readable, grant].map((each) => [each.repoId, each]));
  for (const [repoId, some] of byRepository) {
    const there = grants.get(repoId);
    const seen = { targets: some, atRepoSeq: repoId === grant.repoId ? atRepoSeq : Number.MAX_SAFE_INTEGER };
    if (there !== undefined) await hideNarrowed(reader, there, seen, hidden);
    // Who is to see some records alone does not learn what lies where they see none.
    else if (grant.narrowing !== undefined) for (const target of some) hidden.hide(target);
  }
  return hidden;
}

async function hideNarrowed(
  reader: Reader,
  { repoId, narrowing }: Grant,
  { targets, atRepoSeq }: Omit<PointerRequest, 'follow'>,
  hidden: HiddenTargets,
): Promise<void> {
  if (narrowing === undefined) return;
  const isShown: IsShown = compileNarrowing(narrowing);
  const ids = [...new Set(targets.map(({ recordId }) => recordId))];
  const rows = await reader.bulk<NamedRow>(FIND_NAMED_RECORDS, {
    common: [repoId, atRepoSeq],
    rows: ids.map((id) => [id]),
  });
  const shown = new Set(rows.filter((row) => isShown(toNamed(row))).map(({ record_id }) => record_id));
  for (const recordId of ids) if (!shown.has(recordId)) hidden.hide({ repoId, recordId });
}
