-- What a repository has turned on, and indexes for what is public and what waits for its removal.
alter table repository add column stream_submissions {int} not null default 0;

create index repository_public on repository (organization_id) where visibility = 'public' and deleted_at is null;

create index repository_deleted on repository (deleted_at) where deleted_at is not null;
