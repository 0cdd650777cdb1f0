-- Lists of a shape's records in the order of their creation, and of their last change. What is retracted lies apart, so
-- that it is not passed over by who does not ask for it.
drop index record_by_shape;
create index record_by_shape on record (repo_id, shape_id, active, record_id);
create index record_by_update on record (repo_id, shape_id, active, updated_seq, record_id);

-- The values that fields have now: what they had before lies between them otherwise, and there may be any amount of it.
create index field_index_open on field_index (repo_id, shape_id, field_id, value, record_id) where to_seq is null;
