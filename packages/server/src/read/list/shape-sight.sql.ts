// The shapes of a repository as a caller sees them: which are shown, and of which of them records can be.

import type { Grant } from '../../access/grant.rule.ts';
import { type Called, compileNarrowing, type NarrowingEntry } from '../../access/narrowing.rule.ts';
import type { BulkStatement, Reader } from '../../engine/database.ts';
import { couldNameRecordOf } from '../../model/glob.ts';
import { nameAt } from '../target-name.sql.ts';

export interface ShapeSight {
  readonly shapeId: number;
  /** At the sequence read. */
  readonly name: string;
  readonly nameNow: string;
  /** Whether the shape itself is shown. */
  readonly shown: boolean;
  /** Whether all of its records are shown, none is, or that depends on their names. */
  readonly records: 'all' | 'some' | 'none';
}

interface ShapeRow {
  readonly record_id: number;
  readonly name: string;
  readonly name_now: string;
}

const shapes = (active: string, by = '') => `select r.record_id, r.name as name_now, ${nameAt('r', '$2')} as name
  from record r ${by} where r.repo_id = $1 and r.shape_id = 0 and r.active = ${active} and r.created_seq <= $2`;

const FIND_SHAPES: BulkStatement = {
  // Left to itself, SQLite may prefer to read all records of the repository.
  each: shapes('$3', 'indexed by record_by_shape'),
  set: `select k.ord::int as ord, r.* from unnest($3::bigint[]) with ordinality as k (active, ord)
    cross join lateral (${shapes('k.active')}) as r`,
};

export async function findShapeSights(reader: Reader, grant: Grant, atRepoSeq: number): Promise<ShapeSight[]> {
  const rows = await reader.bulk<ShapeRow>(FIND_SHAPES, { common: [grant.repoId, atRepoSeq], rows: [[1], [0]] });
  const isShown = compileNarrowing(grant.narrowing);
  return rows.map(({ record_id: shapeId, name, name_now: nameNow }) => {
    const called = [name, nameNow].map((each): Called => ({ name: each, shapeName: each }));
    return {
      shapeId,
      name,
      nameNow,
      shown: isShown({ kind: 'shape', shapeId, called }),
      records: recordsShown(grant, { shapeId, names: [name, nameNow] }),
    };
  });
}

/** Each level must let a record through, by each of its names. */
function recordsShown(
  { narrowing }: Grant,
  { shapeId, names }: { shapeId: number; names: readonly string[] },
): ShapeSight['records'] {
  const answers = (narrowing ?? []).flatMap((entries) =>
    names.map((shapeName) => letThrough(entries, { shapeId, shapeName })),
  );
  if (answers.includes('none')) return 'none';
  return answers.includes('some') ? 'some' : 'all';
}

function letThrough(
  entries: readonly NarrowingEntry[],
  shape: { shapeId: number; shapeName: string },
): ShapeSight['records'] {
  const admitting = entries.filter((entry) => admits(entry, shape));
  if (admitting.some(({ refs }) => refs === undefined)) return 'all';
  const could = admitting.some(({ refs }) => refs?.some((glob) => couldNameRecordOf(glob, shape.shapeName)));
  return could ? 'some' : 'none';
}

export function admits(
  { shapes }: NarrowingEntry,
  { shapeId, shapeName }: { shapeId: number; shapeName: string },
): boolean {
  if (shapes === undefined) return true;
  return shapes.some((choice) => ('shapeId' in choice ? choice.shapeId === shapeId : choice.shapeName === shapeName));
}
