// Which version of a record was current at a sequence: the last one that had begun by then, since those that begin later
// have higher numbers. Most records still are where they were; of those with a long history it is found by halving.

/** Up to here it is as quick to go back one by one. */
const VERSIONS_FEW = 32;

const goingBack = (record: string, seq: string) => `(select x.version from version x
  where x.repo_id = ${record}.repo_id and x.record_id = ${record}.record_id and x.from_seq <= ${seq}
  order by x.version desc limit 1)`;

/** `low` had begun, `high` had not; 0 when none had. */
const halving = (record: string, seq: string) => `(with recursive halves (low, high) as (
    select cast(0 as bigint), ${record}.version + 1
    union all
    select case when x.from_seq <= ${seq} then x.version else halves.low end,
      case when x.from_seq <= ${seq} then halves.high else x.version end
    from halves join version x on x.repo_id = ${record}.repo_id and x.record_id = ${record}.record_id
      and x.version = (halves.low + halves.high) / 2
    where halves.high - halves.low > 1
  ) select low from halves where high - low <= 1)`;

/** Over a row of `record`. */
export const versionAt = (
  record: string,
  seq: string,
) => `case when ${record}.updated_seq <= ${seq} then ${record}.version
  when ${record}.version <= ${VERSIONS_FEW} then ${goingBack(record, seq)} else ${halving(record, seq)} end`;
