-- Imports: a repository that is a copy of another, restored from an export and brought further by increments.

-- imported_seq: the sequence that was imported last; what was before it is not here. 0 for what is no copy.
alter table repo_sequence add column imported_seq {int} not null default 0;

-- The import that is being restored: until it is whole, nothing of the repository is to be seen.
alter table repo_sequence add column importing {text};

-- state: receiving, checking, clearing or complete. source, server, since_seq, at_seq, source_commit: what the header of
-- the export says. source_repo_id: the repository in its durable IDs, null until a row came. record_id, version and
-- created_seq are those of the last row, row_hash stands for all rows so far. step, place: where checking goes on. The
-- row of a complete import is the commit that chains from the export to what is written here afterwards.
create table import (
  repo_id {int} not null,
  import_id {text} not null,
  state {text} not null,
  source {text} not null,
  server {text} not null,
  since_seq {int} not null,
  at_seq {int} not null,
  source_commit {bytes},
  source_repo_id {int},
  row_count {int} not null,
  row_hash {bytes} not null,
  record_id {int} not null,
  version {int} not null,
  created_seq {int} not null,
  step {text} not null,
  place {text},
  checked {int} not null,
  created_by {text} not null,
  created_at {int} not null,
  message {text} not null,
  completed_at {int},
  commit_id {bytes},
  primary key (repo_id, import_id)
) {clustered};

create unique index import_open on import (repo_id) where state <> 'complete';

create index import_by_sequence on import (repo_id, at_seq);

-- What the commits of an import made, until all of it is here and their entries can be written. renamed: 1 where it is the
-- name that changed.
create table import_entry (
  repo_id {int} not null,
  repo_seq {int} not null,
  record_id {int} not null,
  version {int} not null,
  renamed {int} not null,
  primary key (repo_id, repo_seq, record_id, version, renamed)
) {clustered};

-- The rows of an increment, read and checked, until all of them are applied at once.
create table import_line (
  repo_id {int} not null,
  line {int} not null,
  content {text} not null,
  primary key (repo_id, line)
) {clustered};
