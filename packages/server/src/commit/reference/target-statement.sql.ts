// How a commit finds the records that it refers to: by name or by id, without their data. Each comes twice, for the
// commit's own repository, which the whole statement is about, and for other repositories, one with each row.
import type { BulkStatement } from '../../engine/database.ts';
import { lastName } from '../statement.sql.ts';

export interface TargetRow {
  readonly record_id: number;
  readonly kind: string;
  readonly shape_id: number;
  readonly name: string;
  /** Of its shape; `null` for a shape. */
  readonly shape_name: string | null;
  readonly version: number;
  readonly active: number;
}

const TARGET = 'r.record_id, r.kind, r.shape_id, r.name, s.name as shape_name, r.version, r.active';
const SHAPE = (repo: string) => `left join record s on s.repo_id = ${repo} and s.record_id = r.shape_id`;

/** What an import has not brought to its end is not to be seen from other repositories. */
const isWhole = (repo: string) => `not exists (select 1 from repo_sequence
  where repo_id = ${repo} and importing is not null)`;

const NAMED_EACH = `select ${TARGET} from ${lastName({ repo: '$1', shape: '$2', name: '$3' })} n
  join record r on r.repo_id = $1 and r.record_id = n.record_id ${SHAPE('$1')} where n.to_seq is null`;

// `lateral` and `limit 1`, so that each step is a look-up: see commit/statement.sql.ts.
const NAMED_STEPS = (repo: string) => `
  cross join lateral ${lastName({ repo, shape: 'k.shape_id', name: 'k.name collate "C"' })} as n
  cross join lateral (select * from record where repo_id = ${repo} and record_id = n.record_id limit 1) as r
  ${SHAPE(repo)} where n.to_seq is null`;

/** By shape_id and name; a shape itself is under shape 0. */
export const FIND_NAMED_TARGETS: BulkStatement = {
  each: NAMED_EACH,
  set: `select k.ord::int as ord, ${TARGET}
    from unnest($2::bigint[], $3::text[]) with ordinality as k (shape_id, name, ord) ${NAMED_STEPS('$1')}`,
};

const foreignNamedSet = (repo: string) => `select k.ord::int as ord, ${TARGET}
  from unnest($1::bigint[], $2::bigint[], $3::text[]) with ordinality as k (repo_id, shape_id, name, ord)
  ${NAMED_STEPS(repo)} and ${isWhole(repo)}`;

/** By repo_id, shape_id and name. */
export const FIND_FOREIGN_NAMED_TARGETS: BulkStatement = {
  each: `${NAMED_EACH} and ${isWhole('$1')}`,
  set: foreignNamedSet('k.repo_id'),
  shard: { column: 0, set: foreignNamedSet('$4') },
};

const BY_ID_EACH = `select ${TARGET} from record r ${SHAPE('$1')} where r.repo_id = $1 and r.record_id = $2`;
const BY_ID_STEPS = (repo: string) => `
  cross join lateral (select * from record where repo_id = ${repo} and record_id = k.record_id limit 1) as r
  ${SHAPE(repo)}`;

/** By record_id. */
export const FIND_TARGETS_BY_ID: BulkStatement = {
  each: BY_ID_EACH,
  set: `select k.ord::int as ord, ${TARGET}
    from unnest($2::bigint[]) with ordinality as k (record_id, ord) ${BY_ID_STEPS('$1')}`,
};

const foreignByIdSet = (repo: string) => `select k.ord::int as ord, ${TARGET}
  from unnest($1::bigint[], $2::bigint[]) with ordinality as k (repo_id, record_id, ord) ${BY_ID_STEPS(repo)}
  where ${isWhole(repo)}`;

/** By repo_id and record_id. */
export const FIND_FOREIGN_TARGETS_BY_ID: BulkStatement = {
  each: `${BY_ID_EACH} and ${isWhole('$1')}`,
  set: foreignByIdSet('k.repo_id'),
  shard: { column: 0, set: foreignByIdSet('$3') },
};
