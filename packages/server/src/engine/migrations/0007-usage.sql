-- What reads may change: rate limits, and when a token was last used. On SQLite these tables stay empty: there they are in
-- a file of their own, so that no read waits for the writer.

-- A bucket of permits. `full_us` is when all that was taken will have come back; `seen_us` is the bucket's own time, which
-- never goes backwards, whatever the clocks of several nodes say. Both in microseconds. `granted` is what the last taker
-- got, because a statement can answer only with what it has stored.
create {unlogged} table rate_bucket (
  key {text} not null primary key,
  seen_us {int} not null,
  full_us {int} not null,
  granted {int} not null
) {clustered};

create {unlogged} table token_use (
  token_id {int} not null primary key,
  used_at {int} not null
) {table};
