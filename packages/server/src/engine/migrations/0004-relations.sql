-- How records relate to each other, and how their names change. An identity is `<durable ID>@v<version>`; the wref beside
-- it is the text of the moment when it was written.
alter table record add column about {text};
alter table record add column about_wref {text};

-- The references in data, by identity: [["/room","<identity>"], ...].
alter table version add column refs {text};

alter table "commit" add column committer_identity {text};

-- The last commit that renamed something: what was written after it holds the names of today.
alter table repo_sequence add column renamed_seq {int} not null default 0;

-- A record bore old_name until the operation op_index of the commit repo_seq. Names are relative to the shape.
create table rename (
  repo_id {int} not null,
  record_id {int} not null,
  repo_seq {int} not null,
  op_index {int} not null,
  old_name {text} not null,
  new_name {text} not null,
  primary key (repo_id, record_id, repo_seq, op_index)
) {clustered};

-- Who refers to a record, keyed by the target, from any repository. role: `about`, `field`, or a collection's place such
-- as `from` and `members`. path: the place in data, '' for about.
create table ref (
  target_repo_id {int} not null,
  target_id {int} not null,
  role {text} not null,
  repo_id {int} not null,
  record_id {int} not null,
  path {text} not null,
  from_seq {int} not null,
  to_seq {int},
  target_version {int} not null,
  primary key (target_repo_id, target_id, role, repo_id, record_id, path, from_seq)
) {clustered};

-- To find what a repository that is removed for good refers to in others.
create index ref_to_elsewhere on ref (repo_id, target_repo_id, target_id, role, record_id, path, from_seq)
  where repo_id <> target_repo_id;
