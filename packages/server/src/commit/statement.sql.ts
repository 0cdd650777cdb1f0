// All statements of a commit, for both engines. `$1` is the repository, except in statements across repositories.
import type { BulkStatement, Value } from '../engine/database.ts';
import { checksumHead, checksumVersion, type HeadColumns, type VersionColumns } from './integrity.rule.ts';

const RECORD_COLUMNS = [
  ...[
    'record_id',
    'kind',
    'shape_id',
    'name',
    'version',
    'active',
    'created_seq',
    'updated_seq',
    'about',
    'about_wref',
  ],
  'crc',
];
const LIGHT_HEAD = `n.to_seq, ${RECORD_COLUMNS.map((column) => `r.${column}`).join(', ')}, v.from_seq, v.shape_version, v.data_hash`;

export interface LightHeadRow extends HeadColumns {
  readonly to_seq: number | null;
  readonly crc: number;
  readonly from_seq: number;
  readonly shape_version: number | null;
  readonly data_hash: Uint8Array;
}

export interface HeadRow extends LightHeadRow {
  readonly data: string;
  readonly refs: string | null;
}

const lastName = (repo: string, shape: string, name: string) => `(select record_id, from_seq, to_seq from name
  where repo_id = ${repo} and shape_id = ${shape} and name = ${name} order by from_seq desc limit 1)`;

/** Without `lateral` and `limit 1`, PostgreSQL may read all names of the repository for each commit. */
const findHeads = (columns: string): BulkStatement => ({
  single: true,
  // A subquery would double the cost, so the caller skips a name that was given up by its `to_seq`.
  each: `select ${columns} from name n
    join record r on r.repo_id = n.repo_id and r.record_id = n.record_id
    join version v on v.repo_id = r.repo_id and v.record_id = r.record_id and v.version = r.version
    where n.repo_id = $1 and n.shape_id = $2 and n.name = $3 order by n.from_seq desc limit 1`,
  set: `select k.ord::int as ord, ${columns}
    from unnest($2::bigint[], $3::text[]) with ordinality as k (shape_id, name, ord)
    cross join lateral ${lastName('$1', 'k.shape_id', 'k.name collate "C"')} as n
    cross join lateral (select ${RECORD_COLUMNS.join(', ')} from record
      where repo_id = $1 and record_id = n.record_id limit 1) as r
    cross join lateral (select from_seq, shape_version, data_hash, data, refs from version
      where repo_id = $1 and record_id = n.record_id and version = r.version limit 1) as v
    where n.to_seq is null`,
});

export const FIND_HEADS = findHeads(`${LIGHT_HEAD}, v.data, v.refs`);
export const FIND_LIGHT_HEADS = findHeads(LIGHT_HEAD);

export interface ShapeFieldRow {
  readonly field_id: number;
  readonly path: string;
}

export const FIND_SHAPE_FIELDS: BulkStatement = {
  each: `select field_id, path from shape_field where repo_id = $1 and shape_id = $2 and to_seq is null`,
  set: `select k.ord::int as ord, f.field_id, f.path
    from unnest($2::bigint[]) with ordinality as k (shape_id, ord)
    cross join lateral (select field_id, path from shape_field
      where repo_id = $1 and shape_id = k.shape_id and to_seq is null) as f`,
};

export const FIND_SHAPE_OWNERS: BulkStatement = {
  single: true,
  each: `select install_id from component_shape where repo_id = $1 and shape_id = $2 and released_at is null`,
  set: `select k.ord::int as ord, o.install_id
    from unnest($2::bigint[]) with ordinality as k (shape_id, ord)
    cross join lateral (select install_id from component_shape
      where repo_id = $1 and shape_id = k.shape_id and released_at is null limit 1) as o`,
};

export const FIND_LAST_FIELDS: BulkStatement = {
  each: `select max(field_id) as last from shape_field where repo_id = $1 and shape_id = $2`,
  set: `select k.ord::int as ord, f.last
    from unnest($2::bigint[]) with ordinality as k (shape_id, ord)
    cross join lateral (select max(field_id) as last from shape_field
      where repo_id = $1 and shape_id = k.shape_id) as f`,
};

type ColumnType = 'bigint' | 'text' | 'bytea';

export function insertStatement(
  table: string,
  columns: Readonly<Record<string, ColumnType>>,
  { rowsAtOnce }: { rowsAtOnce: number } = { rowsAtOnce: 10 },
): BulkStatement {
  const names = Object.keys(columns);
  const places = names.map((_, index) => `$${index + 2}`);
  const arrays = Object.values(columns).map((type, index) => `$${index + 2}::${type}[]`);
  return {
    each: `insert into ${table} (repo_id, ${names.join(', ')}) values ($1, ${places.join(', ')})`,
    set: `insert into ${table} (repo_id, ${names.join(', ')}) select $1::bigint, * from unnest(${arrays.join(', ')})`,
    insert: { table, columns: names, rowsAtOnce },
  };
}

export const INSERT_RECORDS = insertStatement('record', {
  record_id: 'bigint',
  kind: 'text',
  shape_id: 'bigint',
  name: 'text',
  version: 'bigint',
  active: 'bigint',
  created_seq: 'bigint',
  updated_seq: 'bigint',
  about: 'text',
  about_wref: 'text',
  crc: 'bigint',
});

export function insertedRecord(repoId: number, row: HeadColumns): Value[] {
  const { record_id, kind, shape_id, name, version, active, created_seq, updated_seq, about, about_wref } = row;
  const state = [version, active, created_seq, updated_seq, about, about_wref];
  return [record_id, kind, shape_id, name, ...state, checksumHead(repoId, row)];
}

// Rows of `version` are large, and more of them at once would be slower.
export const INSERT_VERSIONS = insertStatement(
  'version',
  {
    record_id: 'bigint',
    version: 'bigint',
    from_seq: 'bigint',
    to_seq: 'bigint',
    op_index: 'bigint',
    operation: 'text',
    active: 'bigint',
    shape_version: 'bigint',
    reason: 'text',
    data_hash: 'bytea',
    crc: 'bigint',
    data: 'text',
    refs: 'text',
  },
  { rowsAtOnce: 4 },
);

export interface NewVersion extends VersionColumns {
  readonly to_seq: number | null;
  readonly data_hash: Uint8Array;
  readonly data: string;
  readonly refs: string | null;
}

export function insertedVersion(repoId: number, row: NewVersion): Value[] {
  const { record_id, version, from_seq, to_seq, op_index, operation, active, shape_version, reason, data_hash } = row;
  const state = [operation, active, shape_version, reason, data_hash, checksumVersion(repoId, row)];
  return [record_id, version, from_seq, to_seq, op_index, ...state, row.data, row.refs];
}

export const INSERT_COPIED_VERSIONS: BulkStatement = {
  each: `insert into version (repo_id, record_id, version, from_seq, to_seq, op_index, operation, active, shape_version,
      reason, data_hash, crc, data, refs)
    select repo_id, record_id, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, data, refs from version
    where repo_id = $1 and record_id = $2 and version = $3 - 1`,
  set: `insert into version (repo_id, record_id, version, from_seq, to_seq, op_index, operation, active, shape_version,
      reason, data_hash, crc, data, refs)
    select v.repo_id, v.record_id, x.version, x.from_seq, x.to_seq, x.op_index, x.operation, x.active, x.shape_version,
      x.reason, x.data_hash, x.crc, v.data, v.refs
    from unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::text[], $8::bigint[],
      $9::bigint[], $10::text[], $11::bytea[], $12::bigint[])
      as x (record_id, version, from_seq, to_seq, op_index, operation, active, shape_version, reason, data_hash, crc)
    join version v on v.repo_id = $1 and v.record_id = x.record_id and v.version = x.version - 1`,
};

export const INSERT_NAMES = insertStatement('name', {
  shape_id: 'bigint',
  name: 'text',
  from_seq: 'bigint',
  record_id: 'bigint',
});

export const INSERT_RENAMES = insertStatement('rename', {
  record_id: 'bigint',
  repo_seq: 'bigint',
  op_index: 'bigint',
  old_name: 'text',
  new_name: 'text',
});

export const INSERT_REFS = insertStatement('ref', {
  target_repo_id: 'bigint',
  target_id: 'bigint',
  role: 'text',
  record_id: 'bigint',
  path: 'text',
  from_seq: 'bigint',
  target_version: 'bigint',
});

export const INSERT_SHAPE_FIELDS = insertStatement('shape_field', {
  shape_id: 'bigint',
  field_id: 'bigint',
  path: 'text',
  from_seq: 'bigint',
  built_to: 'bigint',
});

export const INSERT_FIELD_INDEX = insertStatement('field_index', {
  shape_id: 'bigint',
  field_id: 'bigint',
  value: 'bytea',
  record_id: 'bigint',
  from_seq: 'bigint',
});

export const UPDATE_RECORDS: BulkStatement = {
  each: `update record set name = $3, version = $4, active = $5, updated_seq = $6, crc = $7
    where repo_id = $1 and record_id = $2`,
  set: `update record r set name = x.name, version = x.version, active = x.active, updated_seq = x.updated_seq, crc = x.crc
    from unnest($2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[])
      as x (record_id, name, version, active, updated_seq, crc)
    where r.repo_id = $1 and r.record_id = x.record_id`,
};

export function updatedRecord(repoId: number, row: HeadColumns): Value[] {
  const { record_id, name, version, active, updated_seq } = row;
  return [record_id, name, version, active, updated_seq, checksumHead(repoId, row)];
}

export const CLOSE_VERSIONS: BulkStatement = {
  each: `update version set to_seq = $4 where repo_id = $1 and record_id = $2 and version = $3`,
  set: `update version v set to_seq = x.to_seq
    from unnest($2::bigint[], $3::bigint[], $4::bigint[]) as x (record_id, version, to_seq)
    where v.repo_id = $1 and v.record_id = x.record_id and v.version = x.version`,
};

export const CLOSE_NAMES: BulkStatement = {
  each: `update name set to_seq = $4 where repo_id = $1 and shape_id = $2 and name = $3
    and from_seq = (select from_seq from ${lastName('$1', '$2', '$3')} as last)`,
  set: `update name n set to_seq = x.to_seq
    from unnest($2::bigint[], $3::text[], $4::bigint[]) as x (shape_id, name, to_seq)
    where n.repo_id = $1 and n.shape_id = x.shape_id and n.name = x.name collate "C"
      and n.from_seq = (select from_seq from ${lastName('$1', 'x.shape_id', 'x.name collate "C"')} as last)`,
};

/**
 * A reference that came and went has several rows, and only one is open. In PostgreSQL, a join instead of the `ctid`
 * lookups might compare all open rows with all given ones.
 */
const closeRefs = (target: string, within = '') => `update ref set to_seq = ($7::bigint[])[1]
  where repo_id = $1 ${within} and ctid = any(array(
    select f.tid from unnest($2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::text[])
      as x (target_repo_id, target_id, role, record_id, path)
    cross join lateral (select ctid as tid from ref where target_repo_id = ${target} and target_id = x.target_id
      and role = x.role collate "C" and repo_id = $1 and record_id = x.record_id and path = x.path collate "C"
      and to_seq is null) as f))`;

export const CLOSE_REFS: BulkStatement = {
  sameEnd: true,
  each: `update ref set to_seq = $7 where target_repo_id = $2 and target_id = $3 and role = $4 and repo_id = $1
    and record_id = $5 and path = $6 and to_seq is null`,
  set: closeRefs('x.target_repo_id'),
  shard: { column: 0, set: closeRefs('$8', 'and target_repo_id = $8') },
};

export const CLOSE_SHAPE_FIELDS: BulkStatement = {
  each: `update shape_field set to_seq = $4 where repo_id = $1 and shape_id = $2 and field_id = $3`,
  set: `update shape_field f set to_seq = x.to_seq
    from unnest($2::bigint[], $3::bigint[], $4::bigint[]) as x (shape_id, field_id, to_seq)
    where f.repo_id = $1 and f.shape_id = x.shape_id and f.field_id = x.field_id`,
};

export const CLOSE_FIELD_INDEX: BulkStatement = {
  sameEnd: true,
  each: `update field_index set to_seq = $6
    where repo_id = $1 and shape_id = $2 and field_id = $3 and value = $4 and record_id = $5 and to_seq is null`,
  set: `update field_index set to_seq = ($6::bigint[])[1] where repo_id = $1 and ctid = any(array(
    select f.tid from unnest($2::bigint[], $3::bigint[], $4::bytea[], $5::bigint[]) as x (shape_id, field_id, value, record_id)
    cross join lateral (select ctid as tid from field_index where repo_id = $1 and shape_id = x.shape_id
      and field_id = x.field_id and value = x.value and record_id = x.record_id and to_seq is null) as f))`,
};

export const INSERT_COMMITS = insertStatement('"commit"', {
  repo_seq: 'bigint',
  commit_id: 'bytea',
  created_at: 'bigint',
  created_by: 'text',
  committer: 'text',
  committer_identity: 'text',
  message: 'text',
  operation_count: 'bigint',
  entries: 'text',
  export_rows: 'bigint',
});

export const SEQUENCE = `select repo_seq as "repoSeq", last_record_id as "lastRecordId", commit_id as "commitId",
  export_rows as "exportRows", watched, importing from repo_sequence where repo_id = $1`;
export const LOCKED_SEQUENCE = `${SEQUENCE} for update`;

export const WRITABLE = `select 1 as one from repository r join organization o on o.id = r.organization_id
  where r.id = $1 and r.deleted_at is null and r.archived_at is null and o.archived_at is null`;

export const UPDATE_SEQUENCE = `update repo_sequence set repo_seq = $2, last_record_id = $3, commit_id = $4,
    renamed_seq = coalesce($5, renamed_seq), export_rows = $6
  where repo_id = $1`;

export const FIND_RECEIPT = `select content_hash, repo_seq, applied, outcome from receipt
  where repo_id = $1 and owner = $2 and submission_id = $3`;

export const INSERT_RECEIPT = `insert into receipt
  (repo_id, owner, submission_id, content_hash, repo_seq, applied, outcome, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8)`;

// Each statement has one form for the commit's own repository and one that takes the repository with each row.
const TARGET = 'r.record_id, r.kind, r.shape_id, r.name, s.name as shape_name, r.version, r.active';
const SHAPE = (repo: string) => `left join record s on s.repo_id = ${repo} and s.record_id = r.shape_id`;

const isImported = (repo: string) => `not exists (select 1 from repo_sequence
  where repo_id = ${repo} and importing is not null)`;

const NAMED_EACH = `select ${TARGET} from ${lastName('$1', '$2', '$3')} n
  join record r on r.repo_id = $1 and r.record_id = n.record_id ${SHAPE('$1')} where n.to_seq is null`;

const NAMED_STEPS = (repo: string) => `
  cross join lateral ${lastName(repo, 'k.shape_id', 'k.name collate "C"')} as n
  cross join lateral (select * from record where repo_id = ${repo} and record_id = n.record_id limit 1) as r
  ${SHAPE(repo)} where n.to_seq is null`;

export const FIND_NAMED_TARGETS: BulkStatement = {
  each: NAMED_EACH,
  set: `select k.ord::int as ord, ${TARGET}
    from unnest($2::bigint[], $3::text[]) with ordinality as k (shape_id, name, ord) ${NAMED_STEPS('$1')}`,
};

const foreignNamedSet = (repo: string) => `select k.ord::int as ord, ${TARGET}
  from unnest($1::bigint[], $2::bigint[], $3::text[]) with ordinality as k (repo_id, shape_id, name, ord)
  ${NAMED_STEPS(repo)} and ${isImported(repo)}`;

export const FIND_FOREIGN_NAMED_TARGETS: BulkStatement = {
  each: `${NAMED_EACH} and ${isImported('$1')}`,
  set: foreignNamedSet('k.repo_id'),
  shard: { column: 0, set: foreignNamedSet('$4') },
};

const BY_ID_EACH = `select ${TARGET} from record r ${SHAPE('$1')} where r.repo_id = $1 and r.record_id = $2`;
const BY_ID_STEPS = (repo: string) => `
  cross join lateral (select * from record where repo_id = ${repo} and record_id = k.record_id limit 1) as r
  ${SHAPE(repo)}`;

export const FIND_TARGETS_BY_ID: BulkStatement = {
  each: BY_ID_EACH,
  set: `select k.ord::int as ord, ${TARGET}
    from unnest($2::bigint[]) with ordinality as k (record_id, ord) ${BY_ID_STEPS('$1')}`,
};

const foreignByIdSet = (repo: string) => `select k.ord::int as ord, ${TARGET}
  from unnest($1::bigint[], $2::bigint[]) with ordinality as k (repo_id, record_id, ord) ${BY_ID_STEPS(repo)}
  where ${isImported(repo)}`;

export const FIND_FOREIGN_TARGETS_BY_ID: BulkStatement = {
  each: `${BY_ID_EACH} and ${isImported('$1')}`,
  set: foreignByIdSet('k.repo_id'),
  shard: { column: 0, set: foreignByIdSet('$3') },
};
