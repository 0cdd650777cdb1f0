-- Commits by their number without reading them: what is clustered SQLite compares whole, and the entries of a large commit
-- are long. In a table of its own kind they are left aside until they are asked for, and come last.
alter table "commit" rename to commit_clustered;
create table "commit" (
  repo_id {int} not null,
  repo_seq {int} not null,
  commit_id {bytes} not null,
  created_at {int} not null,
  created_by {text} not null,
  committer {text},
  committer_identity {text},
  message {text} not null,
  operation_count {int} not null,
  entries {text} not null,
  constraint commit_key primary key (repo_id, repo_seq)
) {table};
insert into "commit" (repo_id, repo_seq, commit_id, created_at, created_by, committer, committer_identity, message,
  operation_count, entries)
select repo_id, repo_seq, commit_id, created_at, created_by, committer, committer_identity, message, operation_count,
  entries
from commit_clustered;
drop table commit_clustered;
