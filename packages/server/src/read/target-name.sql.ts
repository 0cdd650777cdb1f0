// Current names of referenced records. A text keeps the names from when it was written; only this repository's renames
// are followed.

import { formatRecordName, type Identity } from '@cairn/model/wref';
import type { Grant } from '../access/grant.rule.ts';
import type { BulkStatement, Reader } from '../engine/database.ts';
import { inSteps } from '../engine/read-bounds.ts';

/** The name at a sequence: the old name of the next rename, or else the current name. */
export const nameAt = (record: string, place: string, repo = '$1') => `coalesce((select old_name from rename
  where repo_id = ${repo} and record_id = ${record}.record_id and repo_seq > ${place}
  order by repo_seq, op_index limit 1), ${record}.name)`;

const FIND_NAMES: BulkStatement = {
  each: `select ${nameAt('r', '$2')} as name, ${nameAt('s', '$2')} as shape_name from record r
    left join record s on s.repo_id = $1 and s.record_id = r.shape_id where r.repo_id = $1 and r.record_id = $3`,
  set: `select k.ord::int as ord, ${nameAt('r', '$2')} as name, ${nameAt('s', '$2')} as shape_name
    from unnest($3::bigint[]) with ordinality as k (record_id, ord)
    cross join lateral (select * from record where repo_id = $1 and record_id = k.record_id limit 1) as r
    left join lateral (select repo_id, record_id, name from record where repo_id = $1 and record_id = r.shape_id limit 1) as s on true`,
};

export class TargetNames {
  readonly #grant: Pick<Grant, 'repoId' | 'renamedSeq'>;
  readonly #names = new Map<number, string>();

  constructor(grant: Pick<Grant, 'repoId' | 'renamedSeq'>) {
    this.#grant = grant;
  }

  mayDiffer(writtenSeq: number): boolean {
    return this.#grant.renamedSeq >= writtenSeq;
  }

  want({ repoId, recordId }: Identity): void {
    if (repoId === this.#grant.repoId) this.#names.set(recordId, '');
  }

  get areWanted(): boolean {
    return this.#names.size > 0;
  }

  async load(reader: Reader, atRepoSeq: number): Promise<void> {
    await inSteps([...this.#names.keys()], async (ids) => {
      const found = await reader.bulk<{ name: string; shape_name: string | null }>(FIND_NAMES, {
        common: [this.#grant.repoId, atRepoSeq],
        rows: ids.map((id) => [id]),
      });
      for (const { ord, ...row } of found) this.#names.set(ids[ord] ?? 0, fullName(row));
    });
  }

  find(identity: Identity): string | undefined {
    const name = this.findName(identity);
    return name === undefined ? undefined : `${name}@v${identity.version}`;
  }

  findName({ repoId, recordId }: Identity): string | undefined {
    return (repoId === this.#grant.repoId && this.#names.get(recordId)) || undefined;
  }
}

export function fullName({ name, shape_name }: { name: string; shape_name: string | null }): string {
  return shape_name === null ? name : formatRecordName({ shapeName: shape_name, local: name });
}

interface NameExpressions {
  readonly record: string;
  readonly seq: string;
  readonly repo: string;
}

const VERSIONS_FEW = 32;

const goingBack = ({ record, seq, repo }: NameExpressions) => `(select x.version from version x
  where x.repo_id = ${repo} and x.record_id = ${record}.record_id and x.from_seq <= ${seq}
  order by x.version desc limit 1)`;

const middle = '(halves.low + halves.high) / 2';

/** A version that a copy lacks stands for the one before it. */
const hadBegun = ({ record, seq, repo }: NameExpressions) => `coalesce((select x.from_seq from version x
  where x.repo_id = ${repo} and x.record_id = ${record}.record_id and x.version <= ${middle}
  order by x.version desc limit 1) <= ${seq}, true)`;

/** Version `low` had begun by the sequence, version `high` had not. */
const halving = (place: NameExpressions) => `(with recursive halves (low, high) as (
    select cast(0 as bigint), ${place.record}.version + 1
    union all
    select case when ${hadBegun(place)} then ${middle} else halves.low end,
      case when ${hadBegun(place)} then halves.high else ${middle} end
    from halves where halves.high - halves.low > 1
  ) select (select y.version from version y where y.repo_id = ${place.repo} and y.record_id = ${place.record}.record_id
    and y.version <= halves.low order by y.version desc limit 1) from halves where halves.high - halves.low <= 1)`;

/** `repo` is a parameter, so that a distributed PostgreSQL sees a single shard. */
export const versionAt = (
  record: string,
  seq: string,
  repo = '$1',
) => `case when ${record}.updated_seq <= ${seq} then ${record}.version
  when ${record}.version <= ${VERSIONS_FEW} then ${goingBack({ record, seq, repo })} else ${halving({ record, seq, repo })} end`;
