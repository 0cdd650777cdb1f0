// The last record that was there at a sequence that has passed. Ids grow with the sequence, so that it is found by halving.
import type { Reader } from '../../engine/database.ts';

const createdSeq = (id: string) => `(select created_seq from record where repo_id = $1 and record_id >= ${id}
  order by record_id limit 1)`;
const middle = '(halves.low + halves.high) / 2';
const isThere = `coalesce(${createdSeq(middle)} <= $2, false)`;

/** `low` was there, `high` was not. An id that nobody has stands for the next one that somebody has. */
const FIND_LAST = `with recursive halves (low, high) as (
    select cast(0 as bigint), last_record_id + 1 from repo_sequence where repo_id = $1
    union all
    select case when ${isThere} then ${middle} else halves.low end, case when ${isThere} then halves.high else ${middle} end
    from halves where halves.high - halves.low > 1
  )
  select low from halves where high - low <= 1`;

export async function findLastRecord(
  reader: Reader,
  { repoId, atRepoSeq }: { repoId: number; atRepoSeq: number },
): Promise<number> {
  const [row] = await reader.query<{ low: number }>(FIND_LAST, [repoId, atRepoSeq]);
  return row?.low ?? 0;
}
