-- Signing in: browsers, clients of the OAuth server, and identities at other providers.

-- kind: browser or client. A browser is known by a cookie, of which secret_hash is the SHA-256, in hex; the id stands in
-- JWTs. A client's session is the grant that somebody gave it, and has its id.
alter table session add column kind {text} not null default 'browser';
alter table session add column secret_hash {text};
alter table session add column client_id {text};
alter table session add column client_name {text};
alter table session add column address {text};
alter table session add column agent {text};

create unique index session_by_secret on session (secret_hash) where secret_hash is not null;

create index session_by_end on session (expires_at);

-- When a session was last used. On SQLite it is kept in a file of its own, as the use of tokens is.
create {unlogged} table session_use (
  session_id {text} not null primary key,
  used_at {int} not null
) {clustered};

-- What the OAuth server keeps, as it gives it: codes, refresh tokens, grants, registered clients and the like. Ids are
-- secrets: id_hash is their SHA-256, in hex. payload is JSON.
create table oauth_item (
  kind {text} not null,
  id_hash {text} not null,
  payload {text} not null,
  grant_id {text},
  uid {text},
  user_code {text},
  expires_at {int},
  consumed_at {int},
  primary key (kind, id_hash)
) {clustered};

create index oauth_item_by_grant on oauth_item (grant_id) where grant_id is not null;

create index oauth_item_by_uid on oauth_item (uid) where uid is not null;

create unique index oauth_item_by_user_code on oauth_item (user_code) where user_code is not null;

create index oauth_item_by_end on oauth_item (expires_at) where expires_at is not null;

-- Who somebody is at another provider. subject is the provider's own name for them, which it gives to nobody else.
create table external_identity (
  issuer {text} not null,
  subject {text} not null,
  account_id {int} not null references account (id),
  email {text},
  created_at {int} not null,
  primary key (issuer, subject)
) {clustered};

create index external_identity_by_account on external_identity (account_id);
