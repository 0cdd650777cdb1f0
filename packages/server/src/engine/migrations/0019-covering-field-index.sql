-- What is looked for by value now is found in the index alone. SQLite reads the row as well, and takes ten times as long, unless
-- the index has the column that its own condition names.
drop index field_index_open;
create index field_index_open on field_index (repo_id, shape_id, field_id, value, record_id, to_seq) where to_seq is null;
