-- Who did what that decides over access. An account's own events are in its personal organization. Rows never change.
create table audit (
  id {identity},
  organization_id {int} not null references organization (id),
  at {int} not null,
  action {text} not null,
  actor {text} not null,
  target {text} not null,
  details {text} not null,
  address {text},
  request_id {text}
) {table};

create index audit_by_organization on audit (organization_id, id);

create index audit_by_action on audit (organization_id, action, id);

create unique index organization_personal on organization (personal_account_id) where personal_account_id is not null;
