-- Files that exports are built into. state: waiting (its work says how far it is), complete, failed, or removing. Each time
-- that one is taken up it is written under another key, made from claims; tries are those that failed or were cut off.
create table export_build (
  repo_id {int} not null,
  build_id {text} not null,
  format_version {int} not null,
  since_seq {int} not null,
  at_seq {int} not null,
  state {text} not null,
  claims {int} not null,
  tries {int} not null,
  reason {text},
  record_count {int},
  bytes {int},
  sha256 {text},
  blob_key {text},
  created_at {int} not null,
  completed_at {int},
  signed_until {int} not null,
  primary key (repo_id, build_id)
) {clustered};

-- Equal exports share one.
create unique index export_build_shared on export_build (repo_id, since_seq, at_seq, format_version)
  where state in ('waiting', 'complete');

-- What an export token names: one for each owner of a build. expires_at is not known before the build is complete.
create table export_job (
  repo_id {int} not null,
  job_id {text} not null,
  build_id {text} not null,
  owner {text} not null,
  created_at {int} not null,
  expires_at {int},
  primary key (repo_id, job_id),
  unique (repo_id, build_id, owner)
) {clustered};

-- Exports that are kept under a name.
create table checkpoint (
  repo_id {int} not null,
  name {text} not null,
  job_id {text} not null,
  description {text} not null,
  created_at {int} not null,
  created_by {text} not null,
  primary key (repo_id, name)
) {clustered};

create index checkpoint_by_job on checkpoint (repo_id, job_id);

-- Background work of all kinds: what is to be done, and when. Small and in one place, so that any node can claim any of it; what
-- the work is about lives with its repository. Claimed work is due again when its lease ends.
create table work (
  repo_id {int} not null,
  kind {text} not null,
  work_key {text} not null,
  owner {text} not null,
  due_at {int} not null,
  claim {text},
  primary key (repo_id, kind, work_key)
) {clustered};

create index work_due on work (kind, due_at);

create index work_by_owner on work (kind, owner);
