// How many rows there are, beside how many records and commits account for: a row that nothing else tells of is found so.
import type { Reader } from '../../engine/database.ts';
import type { ShapeFieldRow } from './row.ts';

/** What was found of each while going through all records and commits. */
export interface Counts {
  names: number;
  references: number;
  values: number;
  versions: number;
  renames: number;
}

interface Totals {
  readonly repoId: number;
  readonly counts: Counts;
  /** Of a full export, as the repository says. */
  readonly exportRows: number;
  /** Fields whose index is to be complete. */
  readonly fields: readonly ShapeFieldRow[];
}

export async function totalDifferences(
  reader: Reader,
  { repoId, counts, exportRows, fields }: Totals,
): Promise<string[]> {
  const count = async (table: string, condition = '', params: readonly number[] = []) => {
    const sql = `select count(*) as n from ${table} where repo_id = $1 ${condition}`;
    const [row] = await reader.query<{ n: number }>(sql, [repoId, ...params]);
    return Number(row?.n ?? 0);
  };
  let values = 0;
  for (const { shape_id, field_id } of fields) {
    values += await count('field_index', 'and shape_id = $2 and field_id = $3', [shape_id, field_id]);
  }
  const references = (await count('ref', 'and target_repo_id = $1')) + (await count('ref', 'and target_repo_id <> $1'));
  const shapeVersions = await count(
    'version',
    'and record_id in (select record_id from record where repo_id = $1 and shape_id = 0)',
  );
  const totals: readonly [string, number, number][] = [
    ['names', await count('name'), counts.names],
    ['references in the index', references, counts.references],
    ['values in the indexes of fields', values, counts.values],
    ['versions', await count('version'), counts.versions],
    ['rows of an export', (await count('record', 'and shape_id <> 0')) + shapeVersions, exportRows],
    ['renames', await count('rename'), counts.renames],
  ];
  return totals.flatMap(([what, there, told]) =>
    there === told ? [] : [`there are ${there} ${what}, and the rest of the repository tells of ${told}`],
  );
}
