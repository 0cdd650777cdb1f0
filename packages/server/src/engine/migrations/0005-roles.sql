-- Who may do what where: roles in organizations, and roles for single repositories, which take their place there.
create table member (
  organization_id {int} not null references organization (id),
  account_id {int} not null references account (id),
  role {text} not null,
  created_at {int} not null,
  primary key (organization_id, account_id)
) {clustered};

create index member_by_account on member (account_id, organization_id);

create table repository_role (
  repo_id {int} not null,
  account_id {int} not null references account (id),
  role {text} not null,
  created_at {int} not null,
  primary key (repo_id, account_id)
) {clustered};

create index repository_role_by_account on repository_role (account_id, repo_id);

-- Until now, operators could do everything everywhere, and organizations had no members.
insert into member (organization_id, account_id, role, created_at)
  select id, personal_account_id, 'owner', created_at from organization where personal_account_id is not null;

insert into member (organization_id, account_id, role, created_at)
  select organization.id, account.id, 'owner', organization.created_at from organization
  join account on account.operator = 1 where organization.personal_account_id is null;
