-- Who is told of what, and what became of it. In all these tables repo_id is the repository that a row belongs to, or, for
-- what is an organization's own, minus the organization's id: such rows have a place to live like any others.

-- Named secrets. A set is sent to the origin of its first use alone.
create table credential_set (
  repo_id {int} not null,
  credential_set_id {text} not null,
  name {text} not null,
  description {text} not null,
  bound_origin {text},
  bound_fallback_origin {text},
  unbound_at {int},
  revoked_at {int},
  created_by {text} not null,
  created_at {int} not null,
  updated_at {int} not null,
  primary key (repo_id, credential_set_id)
) {clustered};

create unique index credential_set_by_name on credential_set (repo_id, name);

-- value is sealed with a key that is derived from the server's secret.
create table credential_key (
  repo_id {int} not null,
  credential_set_id {text} not null,
  key {text} not null,
  value {bytes} not null,
  set_by {text} not null,
  set_at {int} not null,
  primary key (repo_id, credential_set_id, key)
) {clustered};

-- What happened to a set, and every use of it. details is JSON.
create table credential_event (
  repo_id {int} not null,
  credential_set_id {text} not null,
  event_id {text} not null,
  at {int} not null,
  action {text} not null,
  actor {text} not null,
  details {text} not null,
  primary key (repo_id, credential_set_id, at, event_id)
) {clustered};

-- filter is JSON, in which shapes stand by their ids; without one, event says what it is for. giver is who let it look into
-- source_repo_id, in JSON. last_position counts its runs.
create table subscription (
  repo_id {int} not null,
  subscription_id {text} not null,
  name {text} not null,
  filter {text},
  event {text},
  webhook_url {text} not null,
  fallback_webhook_url {text},
  credential_set_id {text},
  source_repo_id {int},
  giver {text},
  allow_trace_reentry {int} not null,
  active {int} not null,
  paused_reason {text},
  component {text},
  last_position {int} not null,
  created_by {text} not null,
  created_at {int} not null,
  updated_at {int} not null,
  primary key (repo_id, subscription_id)
) {clustered};

create unique index subscription_by_name on subscription (repo_id, name);

-- What a commit holds its operations against: the active subscriptions to a repository, its own and those of others, beside
-- the rows that the commit writes. repo_id is the repository that is watched, home_id whose the subscription is.
create table watch (
  repo_id {int} not null,
  home_id {int} not null,
  subscription_id {text} not null,
  filter {text},
  event {text},
  allow_trace_reentry {int} not null,
  component {text},
  primary key (repo_id, home_id, subscription_id)
) {clustered};

create index watch_by_home on watch (home_id, subscription_id);

-- How many rows of watch there are, so that a commit to a repository that nobody watches looks for none.
alter table repo_sequence add column watched {int} not null default 0;

-- Runs for subscriptions of other repositories, until they are carried there. matched and data are JSON.
create table outbox (
  repo_id {int} not null,
  repo_seq {int} not null,
  home_id {int} not null,
  subscription_id {text} not null,
  event {text} not null,
  trace_id {text} not null,
  depth {int} not null,
  matched {text} not null,
  data {text},
  created_at {int} not null,
  primary key (repo_id, repo_seq, home_id, subscription_id)
) {clustered};

-- position is the place of a run among those of its subscription, in the order of commits. origin_repo_id is whose commit
-- repo_seq is; NULL where that is the repository itself. matched is JSON: the indexes of operations; data is what a
-- delivery of an event says. next_attempt_at is when there is something to do: to send it (pending, retry_wait), to give up
-- waiting for the receiver (processing), or to tell the fallback URL (a final status); while something is sent, since when.
-- fallback is due, sending, or sent.
create table run (
  repo_id {int} not null,
  run_id {text} not null,
  subscription_id {text} not null,
  subscription_name {text} not null,
  position {int} not null,
  status {text} not null,
  event {text} not null,
  trace_id {text} not null,
  depth {int} not null,
  origin_repo_id {int},
  repo_seq {int},
  matched {text} not null,
  data {text},
  attempt_count {int} not null,
  max_attempts {int} not null,
  next_attempt_at {int},
  fallback {text},
  last_error_code {text},
  last_error_message {text},
  progress {text},
  message {text},
  result {text},
  created_at {int} not null,
  updated_at {int} not null,
  primary key (repo_id, run_id)
) {clustered};

create unique index run_by_position on run (repo_id, subscription_id, position);
create index run_by_time on run (repo_id, created_at, run_id);
-- What was never sent starts in the order of commits, however many there are; the rest when its time has come.
create index run_pending on run (repo_id, subscription_id, position) where status = 'pending';
create index run_open on run (repo_id, subscription_id, next_attempt_at, position)
  where next_attempt_at is not null and status <> 'pending';
create index run_by_trace on run (repo_id, trace_id, subscription_id);

-- target is webhook or fallback.
create table attempt (
  repo_id {int} not null,
  run_id {text} not null,
  attempt {int} not null,
  target {text} not null,
  started_at {int} not null,
  finished_at {int},
  outcome {text},
  http_status {int},
  error_code {text},
  error_message {text},
  response_snippet {text},
  primary key (repo_id, run_id, attempt, target)
) {clustered};

create table notification (
  repo_id {int} not null,
  notification_id {text} not null,
  run_id {text},
  subscription_name {text} not null,
  status {text} not null,
  error_code {text} not null,
  error_message {text} not null,
  attempt_count {int} not null,
  repo_seq {int},
  created_at {int} not null,
  primary key (repo_id, created_at, notification_id)
) {clustered};
