-- Streaming submissions: how far each stream is, stored with the lines that it counts. owner is who submits, as in receipts. A
-- closed one stays, so that its id is never taken for a new stream.
create table stream (
  repo_id {int} not null,
  owner {text} not null,
  stream_id {text} not null,
  line_offset {int} not null,
  repo_seq {int} not null,
  applied {int} not null,
  noop {int} not null,
  error {int} not null,
  line_at {int} not null,
  closed_at {int},
  primary key (repo_id, owner, stream_id)
) {clustered};

create index stream_open on stream (line_at) where closed_at is null;

-- What the tokens of a stream made: label is N of $N. Without a record the line that was to make it failed.
create table stream_token (
  repo_id {int} not null,
  owner {text} not null,
  stream_id {text} not null,
  label {int} not null,
  line {int} not null,
  record_id {int},
  primary key (repo_id, owner, stream_id, label)
) {clustered};

-- The last lines of a stream that were refused, and why, in JSON: for a client that was cut off before it heard.
create table stream_refusal (
  repo_id {int} not null,
  owner {text} not null,
  stream_id {text} not null,
  line {int} not null,
  reason {text} not null,
  primary key (repo_id, owner, stream_id, line)
) {clustered};

-- Tickets of live streams that were used, until they would have expired. On SQLite this table stays empty: there it is in the
-- file of what reads may change.
create {unlogged} table used_ticket (
  ticket_id {text} not null primary key,
  expires_at {int} not null
) {clustered};
