// Which version of a record was current at a sequence: the last one that had begun by then, since those that begin later
// have higher numbers. Most records still are where they were; of those with a long history it is found by halving.

/** Up to here it is as quick to go back one by one. */
const VERSIONS_FEW = 32;

const goingBack = (record: string, seq: string) => `(select x.version from version x
  where x.repo_id = ${record}.repo_id and x.record_id = ${record}.record_id and x.from_seq <= ${seq}
  order by x.version desc limit 1)`;

const middle = '(halves.low + halves.high) / 2';

/** A number that a copy does not hold stands for the last version before it; before the first one, for one that had begun. */
const hadBegun = (record: string, seq: string) => `coalesce((select x.from_seq from version x
  where x.repo_id = ${record}.repo_id and x.record_id = ${record}.record_id and x.version <= ${middle}
  order by x.version desc limit 1) <= ${seq}, true)`;

/** What is numbered up to `low` had begun, what is from `high` on had not. */
const halving = (record: string, seq: string) => `(with recursive halves (low, high) as (
    select cast(0 as bigint), ${record}.version + 1
    union all
    select case when ${hadBegun(record, seq)} then ${middle} else halves.low end,
      case when ${hadBegun(record, seq)} then halves.high else ${middle} end
    from halves where halves.high - halves.low > 1
  ) select (select y.version from version y where y.repo_id = ${record}.repo_id and y.record_id = ${record}.record_id
    and y.version <= halves.low order by y.version desc limit 1) from halves where halves.high - halves.low <= 1)`;

/** Over a row of `record`. */
export const versionAt = (
  record: string,
  seq: string,
) => `case when ${record}.updated_seq <= ${seq} then ${record}.version
  when ${record}.version <= ${VERSIONS_FEW} then ${goingBack(record, seq)} else ${halving(record, seq)} end`;
