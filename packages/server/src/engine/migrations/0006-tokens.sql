-- Tokens in full: what each may do, by identity, so that it follows renames and never passes to a new holder of a name.
-- resource: the name at the time. organization_id, repo_id: both null means everything that the owner can reach.
-- shapes: [[shapeId or null, name], ...]; null where the entry is for more than one repository.
create table token_scope (
  token_id {int} not null references token (id),
  entry {int} not null,
  organization_id {int} references organization (id),
  repo_id {int},
  resource {text},
  permissions {text} not null,
  refs {text},
  shapes {text},
  primary key (token_id, entry)
) {clustered};

create index token_scope_by_repository on token_scope (repo_id, token_id, entry) where repo_id is not null;

-- An entry whose resource is not there any more allows nothing, and goes. One with shapes, which nobody kept to, stays and
-- allows nothing: without it, a wider entry would decide.
insert into token_scope (token_id, entry, organization_id, repo_id, resource, permissions, refs)
  select token.id, row_number() over (partition by token.id order by token.id), organization.id, repository.id,
    entry.value ->> 'resource',
    case when entry.value ->> 'shapes' is null then entry.value ->> 'permissions' else '[]' end, entry.value ->> 'refs'
  from token cross join {json_each}(token.scopes{as_json}) as entry
  left join organization on organization.name = entry.value ->> 'resource'
  left join (select repository.id, holder.name || '/' || repository.name as full_name
    from repository join organization holder on holder.id = repository.organization_id) repository
    on repository.full_name = entry.value ->> 'resource'
  where entry.value ->> 'resource' is null or organization.id is not null or repository.id is not null;

alter table token drop column scopes;

-- When a token was last used is kept apart from what is durable.
alter table token drop column last_used_at;

-- The value of before a rotation, and until when it is taken too.
alter table token add column previous_hash {bytes};

alter table token add column previous_until {int};

create unique index token_previous_hash on token (previous_hash) where previous_hash is not null;

create index token_by_parent on token (parent_id) where parent_id is not null;

-- Interactive sessions. A JWT carries the id, and ends with it.
create table session (
  id {text} not null primary key,
  account_id {int} not null references account (id),
  created_at {int} not null,
  expires_at {int} not null,
  ended_at {int}
) {table};

create index session_by_account on session (account_id) where ended_at is null;

-- Tokens of components that are installed in a repository. reads, writes: which records, as lists of { refs?, shapes? };
-- null: none.
create table component_token (
  id {identity},
  kind {text} not null,
  hash {bytes} not null unique,
  repo_id {int} not null,
  component {text} not null,
  reads {text},
  writes {text},
  paused {int} not null default 0,
  created_at {int} not null,
  expires_at {int} not null,
  revoked_at {int}
) {table};

create index component_token_by_repository on component_token (repo_id, id);
