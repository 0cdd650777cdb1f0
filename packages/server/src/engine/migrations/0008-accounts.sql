-- Invitations, and what people do with their passwords.

-- Of accounts that exist it is 1: the operator made them, or set-up did. An invitation's link proves that somebody has
-- the code, not that the mailbox is theirs.
alter table account add column email_verified {int} not null default 1;

-- To an organization or to a repository. Of the code only its SHA-256 is here.
create table invitation (
  code_hash {text} not null primary key,
  organization_id {int} references organization (id),
  repo_id {int},
  email {text} not null,
  role {text} not null,
  invited_by {int} not null references account (id),
  created_at {int} not null,
  expires_at {int} not null,
  unique (organization_id, email),
  unique (repo_id, email),
  check ((organization_id is null) <> (repo_id is null))
) {table};

-- One-time codes that stand for an account, one for each purpose: a new one takes the place of the one before.
create table account_code (
  account_id {int} not null references account (id),
  purpose {text} not null,
  code_hash {text} not null unique,
  expires_at {int} not null,
  primary key (account_id, purpose)
) {clustered};
