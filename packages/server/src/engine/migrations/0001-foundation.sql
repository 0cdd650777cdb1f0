-- Who runs the server, who may call it, and what namespaces there are. Words in braces are the dialect's.

create table server_fact (
  name {text} not null primary key,
  value {text} not null
) {table};

create table account (
  id {identity},
  email {text} not null unique,
  handle {text} not null unique,
  password_hash {text} not null,
  operator {int} not null,
  created_at {int} not null,
  deactivated_at {int}
) {table};

create table token (
  id {identity},
  account_id {int} not null references account (id),
  name {text} not null,
  description {text} not null,
  hash {bytes} not null unique,
  scopes {text} not null,
  parent_id {int} references token (id),
  created_at {int} not null,
  expires_at {int} not null,
  last_used_at {int},
  revoked_at {int},
  unique (account_id, name)
) {table};

create table organization (
  id {identity},
  name {text} not null unique,
  display_name {text} not null,
  description {text} not null,
  personal_account_id {int} references account (id),
  created_at {int} not null,
  archived_at {int}
) {table};

create table repository (
  id {identity},
  organization_id {int} not null references organization (id),
  name {text} not null,
  display_name {text} not null,
  description {text} not null,
  visibility {text} not null check (visibility in ('public', 'private')),
  created_at {int} not null,
  archived_at {int},
  deleted_at {int},
  unique (organization_id, name)
) {table};

-- Apart from `repository`, which a distributed PostgreSQL copies to every node: this row changes at each commit.
create table repo_sequence (
  repo_id {int} not null primary key,
  repo_seq {int} not null,
  last_record_id {int} not null,
  commit_id {bytes}
) {clustered};
