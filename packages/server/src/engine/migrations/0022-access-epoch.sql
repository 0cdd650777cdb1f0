-- A number that changes with every write to what decides who may do what: see access-epoch.ts. It is drawn at random, so that
-- a standby that lacks the last writes never comes back to one that was seen.
create table access_epoch (
  id {int} not null primary key,
  epoch {int} not null
) {table};
insert into access_epoch (id, epoch) values (1, 0);
