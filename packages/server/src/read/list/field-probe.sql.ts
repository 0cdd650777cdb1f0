// Looks into the index of a field: whether few enough records have a value in some ranges for them to be sorted afterwards.

import type { Grant } from '../../access/grant.rule.ts';
import type { BulkStatement, Reader } from '../../engine/database.ts';
import { PROBE_MAX } from './collected.sql.ts';
import type { KeyRange } from './field-range.sql.ts';

/** A condition that an index can be asked about. */
export interface IndexedCondition {
  readonly shapeId: number;
  readonly fieldId: number;
  readonly ranges: readonly KeyRange[];
}

interface FieldProbe extends IndexedCondition {
  /** Whether the values of now suffice. */
  readonly now: boolean;
}

const inRange = (now: boolean, range: { from: string; to: string }, by = '') => `select record_id from field_index ${by}
  where repo_id = $1 and shape_id = $2 and field_id = $3 and value >= ${range.from} and value < ${range.to}
  ${now ? 'and to_seq is null' : ''}`;

const onSqlite = (now: boolean) => inRange(now, { from: '$5', to: '$6' }, now ? 'indexed by field_index_open' : '');

/** One text for all of them, since thousands of rows take longer than finding them; none where the limit is reached. */
const probeStatement = (now: boolean): BulkStatement => ({
  // To pass over rows takes half as long as to count them, and many are passed over for nothing.
  each: `select case when not exists (${onSqlite(now)} limit 1 offset $4 - 1)
    then (select json_group_array(record_id) from (${onSqlite(now)} limit $4)) end as ids`,
  set: `select k.ord::int as ord, i.ids
    from unnest($5::bytea[], $6::bytea[]) with ordinality as k (lowest, beyond, ord)
    cross join lateral (select case when count(*) < $4 then coalesce(json_agg(record_id)::text, '[]') end as ids
      from (${inRange(now, { from: 'k.lowest', to: 'k.beyond' })} limit $4) as few) as i`,
});

const PROBE_NOW = probeStatement(true);
const PROBE_EVER = probeStatement(false);

/** `undefined` when there are too many. */
export async function probeField(reader: Reader, { repoId }: Grant, probe: FieldProbe): Promise<number[] | undefined> {
  const { shapeId, fieldId, ranges, now } = probe;
  // Each range has its share, so that all of them together are few.
  const share = Math.ceil(PROBE_MAX / Math.max(1, ranges.length)) + 1;
  const rows = await reader.bulk<{ ids: string | null }>(now ? PROBE_NOW : PROBE_EVER, {
    common: [repoId, shapeId, fieldId, share],
    rows: ranges.map(({ from, to }) => [from, to]),
  });
  const found = new Set<number>();
  for (const { ids } of rows) {
    if (ids === null) return undefined;
    for (const id of JSON.parse(ids) as number[]) found.add(id);
  }
  return [...found];
}
