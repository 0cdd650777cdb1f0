// Looks into the index of a field: whether few enough records have a value in some ranges for them to be sorted afterwards.
import type { BulkStatement, Reader } from '../database.ts';
import type { Grant } from '../grant.ts';
import { PROBE_MAX } from './collected.ts';
import type { KeyRange } from './field-range.ts';

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
  ${now ? 'and to_seq is null' : ''} limit $4`;

/** One text for all of them, since thousands of rows take longer than finding them; none where the limit is reached. */
const unlessMany = (ids: string, rows: string) =>
  `select case when count(*) < $4 then ${ids} end as ids from (${rows}) as few`;

const probeStatement = (now: boolean): BulkStatement => ({
  each: unlessMany(
    'json_group_array(record_id)',
    inRange(now, { from: '$5', to: '$6' }, now ? 'indexed by field_index_open' : ''),
  ),
  set: `select k.ord::int as ord, i.ids
    from unnest($5::bytea[], $6::bytea[]) with ordinality as k (lowest, beyond, ord)
    cross join lateral (${unlessMany(
      `coalesce(json_agg(record_id)::text, '[]')`,
      inRange(now, { from: 'k.lowest', to: 'k.beyond' }),
    )}) as i`,
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
