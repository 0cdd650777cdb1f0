-- What a repository holds. Every key begins with repo_id: one repository lives on one shard.
-- A row with from_seq and to_seq was true from the commit from_seq on, until the commit to_seq changed it.

-- The head of each record. Names are relative to the shape, so that renaming a shape does not touch its records; a shape
-- itself has shape_id 0.
create table record (
  repo_id {int} not null,
  record_id {int} not null,
  kind {text} not null,
  shape_id {int} not null,
  name {text} not null,
  version {int} not null,
  active {int} not null,
  created_seq {int} not null,
  updated_seq {int} not null,
  primary key (repo_id, record_id)
) {clustered};

create index record_by_shape on record (repo_id, shape_id, record_id);

create table version (
  repo_id {int} not null,
  record_id {int} not null,
  version {int} not null,
  from_seq {int} not null,
  to_seq {int},
  op_index {int} not null,
  operation {text} not null,
  active {int} not null,
  shape_version {int},
  reason {text},
  data_hash {bytes} not null,
  data {text} not null,
  primary key (repo_id, record_id, version)
) {clustered};

create table name (
  repo_id {int} not null,
  shape_id {int} not null,
  name {text} not null,
  from_seq {int} not null,
  to_seq {int},
  record_id {int} not null,
  primary key (repo_id, shape_id, name, from_seq)
) {clustered};

-- entries: the versions that the commit made, as [opIndex, recordId, version], in order.
create table "commit" (
  repo_id {int} not null,
  repo_seq {int} not null,
  commit_id {bytes} not null,
  created_at {int} not null,
  created_by {text} not null,
  committer {text},
  message {text} not null,
  operation_count {int} not null,
  entries {text} not null,
  primary key (repo_id, repo_seq)
) {clustered};

-- What a submission id stands for. Applied operations are read from the commit's own rows; outcome holds the rest.
create table receipt (
  repo_id {int} not null,
  owner {text} not null,
  submission_id {text} not null,
  content_hash {bytes} not null,
  repo_seq {int} not null,
  applied {int} not null,
  outcome {text} not null,
  created_at {int} not null,
  primary key (repo_id, owner, submission_id)
) {clustered};

-- The fields of a shape that are or were indexed. built_to is the last record whose versions from before from_seq are in
-- field_index; null when all are.
create table shape_field (
  repo_id {int} not null,
  shape_id {int} not null,
  field_id {int} not null,
  path {text} not null,
  from_seq {int} not null,
  to_seq {int},
  built_to {int},
  primary key (repo_id, shape_id, field_id)
) {clustered};

create index shape_field_open on shape_field (repo_id, shape_id, field_id) where to_seq is null;

-- value sorts as the field's values do: see model/index-key.ts.
create table field_index (
  repo_id {int} not null,
  shape_id {int} not null,
  field_id {int} not null,
  value {bytes} not null,
  record_id {int} not null,
  from_seq {int} not null,
  to_seq {int},
  primary key (repo_id, shape_id, field_id, value, record_id, from_seq)
) {clustered};

-- Names of organizations that were given up, and until when nobody else can have them.
create table held_name (
  name {text} not null primary key,
  organization_id {int} not null references organization (id),
  held_until {int} not null
) {table};
