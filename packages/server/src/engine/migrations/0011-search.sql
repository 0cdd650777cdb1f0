-- The full-text index, which follows commits. On SQLite it is in a file of its own (see store/sqlite-search.ts).

-- words: the words of a record, each with its repository before it, so that those of different repositories never mix.
{postgres} create table search_document (
  repo_id {int} not null,
  record_id {int} not null,
  words tsvector not null,
  primary key (repo_id, record_id)
);

{postgres} create index search_document_words on search_document using gin (words);

-- How far the index has followed a repository: through the commit indexed_seq, whose id is commit_id. through_seq is set while the
-- commits up to it are in hand; shape_id and record_id are the place where the next step goes on.
{postgres} create table search_state (
  repo_id {int} not null primary key,
  indexed_seq {int} not null,
  commit_id {bytes},
  through_seq {int},
  shape_id {int} not null,
  record_id {int} not null
);
