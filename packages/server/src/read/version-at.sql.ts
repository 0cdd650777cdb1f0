// Which version of a record was current at a sequence: the last one that had begun by then, since those that begin later
// have higher numbers. Most records still are where they were; of those with a long history it is found by halving.

interface Place {
  readonly record: string;
  readonly seq: string;
  readonly repo: string;
}

/** Up to here it is as quick to go back one by one. */
const VERSIONS_FEW = 32;

const goingBack = ({ record, seq, repo }: Place) => `(select x.version from version x
  where x.repo_id = ${repo} and x.record_id = ${record}.record_id and x.from_seq <= ${seq}
  order by x.version desc limit 1)`;

const middle = '(halves.low + halves.high) / 2';

/** A number that a copy does not hold stands for the last version before it; before the first one, for one that had begun. */
const hadBegun = ({ record, seq, repo }: Place) => `coalesce((select x.from_seq from version x
  where x.repo_id = ${repo} and x.record_id = ${record}.record_id and x.version <= ${middle}
  order by x.version desc limit 1) <= ${seq}, true)`;

/** What is numbered up to `low` had begun, what is from `high` on had not. */
const halving = (place: Place) => `(with recursive halves (low, high) as (
    select cast(0 as bigint), ${place.record}.version + 1
    union all
    select case when ${hadBegun(place)} then ${middle} else halves.low end,
      case when ${hadBegun(place)} then halves.high else ${middle} end
    from halves where halves.high - halves.low > 1
  ) select (select y.version from version y where y.repo_id = ${place.repo} and y.record_id = ${place.record}.record_id
    and y.version <= halves.low order by y.version desc limit 1) from halves where halves.high - halves.low <= 1)`;

/** Over a row of `record`. The repository stands as a parameter: a distributed PostgreSQL must see that it is one. */
export const versionAt = (
  record: string,
  seq: string,
  repo = '$1',
) => `case when ${record}.updated_seq <= ${seq} then ${record}.version
  when ${record}.version <= ${VERSIONS_FEW} then ${goingBack({ record, seq, repo })} else ${halving({ record, seq, repo })} end`;
