-- crc is a CRC-32C over the row: see row-checksum.ts, which row-checksum-fill.ts applies to the rows of before. export_rows is
-- the number of rows in a full export of the repository, now and at a commit; NULL for commits of before.
alter table record add column crc {int} not null default 0;
alter table version add column crc {int} not null default 0;
alter table repo_sequence add column export_rows {int} not null default 0;
alter table "commit" add column export_rows {int};
