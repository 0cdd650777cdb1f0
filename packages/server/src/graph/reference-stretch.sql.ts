// Stretches of the reference index, read a few rows at a time: who in one repository refers to a record in one role, in
// the order of their records. Rows of references that were given up are among them, so that any number may be of no use.

import type { BulkStatement, Reader } from '../engine/database.ts';
import type { DurableIdParts } from '../model/durable-id.ts';

interface Place {
  readonly recordId: number;
  readonly path: string;
  readonly fromSeq: number;
}

export interface Stretch {
  readonly target: DurableIdParts;
  readonly role: string;
  /** The repository of those who refer. */
  readonly repoId: number;
  /** The row before. */
  readonly after: Place;
}

export const BEGINNING: Place = { recordId: 0, path: '', fromSeq: 0 };

export interface ReferenceRow {
  readonly record_id: number;
  readonly path: string;
  readonly from_seq: number;
  readonly to_seq: number | null;
  readonly target_version: number;
}

const COLUMNS = 'record_id, path, from_seq, to_seq, target_version';

const referenceSet = (target: string) => `select k.ord::int as ord, ref.*
  from unnest($2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[], $7::text[], $8::bigint[])
    with ordinality as k (target_repo_id, target_id, role, repo_id, record_id, path, from_seq, ord)
  cross join lateral (select ${COLUMNS} from ref where target_repo_id = ${target} and target_id = k.target_id
    and role = k.role collate "C" and repo_id = k.repo_id
    and (record_id, path, from_seq) > (k.record_id, k.path collate "C", k.from_seq)
    order by record_id, path, from_seq limit $1::bigint) as ref
  order by k.ord, record_id, path, from_seq`;

const FIND_REFERENCES: BulkStatement = {
  each: `select ${COLUMNS} from ref where target_repo_id = $2 and target_id = $3 and role = $4 and repo_id = $5
      and (record_id, path, from_seq) > ($6, $7, $8) order by record_id, path, from_seq limit $1`,
  set: referenceSet('k.target_repo_id'),
  shard: { column: 0, set: referenceSet('$9') },
};

export interface StretchPart {
  readonly stretch: Stretch;
  readonly rows: readonly ReferenceRow[];
  /** What comes after these rows; `undefined` when there is nothing. */
  readonly rest: Stretch | undefined;
}

/** The next rows of each, at most so many. */
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
