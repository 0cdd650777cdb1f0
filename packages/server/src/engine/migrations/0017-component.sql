-- Components: what is published, and what is installed where.

-- The registry. A component that was taken out of it stays, for the repositories that have it. allowed_callbacks and
-- minted_tokens are JSON lists; credential_set_id is of a set of the organization's own.
create table component (
  id {identity},
  organization_id {int} not null references organization (id),
  name {text} not null,
  manifest_id {text} not null,
  description {text},
  visibility {text} not null,
  setup_url {text},
  uninstall_url {text},
  allowed_callbacks {text} not null,
  credential_set_id {text},
  minted_tokens {text},
  latest_version {text} not null,
  created_by {text} not null,
  created_at {int} not null,
  updated_at {int} not null,
  unregistered_at {int}
) {table};

create unique index component_by_name on component (organization_id, name);

-- Never changed. manifest is the JSON as it was sent, manifest_hash the SHA-256 of its canonical form, in hex.
create table component_version (
  component_id {int} not null references component (id),
  version {text} not null,
  manifest_hash {text} not null,
  published_by {text} not null,
  published_at {int} not null,
  manifest {text} not null,
  primary key (component_id, version)
) {clustered};

create index component_version_by_time on component_version (component_id, published_at);

-- What is installed in a repository: this, not a record, is the authority. granted is JSON: the scopes, reads and writes
-- that were approved. setup_* say how the last call of the setup endpoint went, and for which manifest.
create table component_install (
  repo_id {int} not null,
  install_id {text} not null,
  component_id {int} not null,
  state {text} not null,
  version {text} not null,
  manifest_hash {text} not null,
  granted {text} not null,
  message {text},
  setup_status {text},
  setup_http_status {int},
  setup_message {text},
  setup_manifest_hash {text},
  installed_by {text} not null,
  installed_at {int} not null,
  updated_at {int} not null,
  primary key (repo_id, install_id)
) {clustered};

create unique index component_install_by_component on component_install (repo_id, component_id);
create index component_install_of_component on component_install (component_id, repo_id);

-- Which shapes belong to an install: they change through it alone, until it is torn down or a version gives them up
-- (released_at). version is the one that the install wrote last.
create table component_shape (
  repo_id {int} not null,
  shape_id {int} not null,
  install_id {text} not null,
  version {int} not null,
  released_at {int},
  primary key (repo_id, shape_id)
) {clustered};

-- The install that a token is for; confirmed_at is when the setup endpoint that was given it said that it had completed.
alter table component_token add column install_id {text};

alter table component_token add column confirmed_at {int};

-- The component that a set came with.
alter table credential_set add column component {text};

-- An organization's name is part of these.
create index subscription_by_component on subscription (component) where component is not null;
create index credential_set_by_component on credential_set (component) where component is not null;
create index watch_by_component on watch (component) where component is not null;
create index component_token_by_component on component_token (component);
