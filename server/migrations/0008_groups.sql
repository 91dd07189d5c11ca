-- Groups, service accounts and roles of one's own. Adds columns, tables and a view only: the version before goes on
-- beside it, and knows nothing of rights that come through a group.

-- A service account is a user that no person is: it has tokens and cannot log in.
alter table users add column kind text not null default 'user';
alter table users add constraint users_kind_check check (kind in ('user', 'service-account'));

-- Who acted, in a word. Events written before have none. Without a default the column costs nothing to add.
alter table events add column created_by_kind text;

-- A role is looked up by its name, whatever its type.
create unique index roles_name_key on roles (lower(name));
create index user_roles_role_idx on user_roles (role_id);

create table groups (
  id integer generated always as identity primary key,
  name text not null,
  description text,
  mappings_sso text[] not null default '{}',
  root_role_id integer references roles,
  created_at timestamptz not null default now(),
  created_by text not null
);
create unique index groups_name_key on groups (lower(name));
create index groups_root_role_idx on groups (root_role_id) where root_role_id is not null;

create table group_users (
  group_id integer not null references groups on delete cascade,
  user_id integer not null references users on delete cascade,
  created_at timestamptz not null default now(),
  created_by text not null,
  primary key (group_id, user_id)
);
create index group_users_user_idx on group_users (user_id);

create table group_roles (
  group_id integer not null references groups on delete cascade,
  project text not null references projects on delete cascade,
  role_id integer not null references roles,
  created_at timestamptz not null default now(),
  primary key (group_id, project, role_id)
);
create index group_roles_project_idx on group_roles (project, group_id);
create index group_roles_role_idx on group_roles (role_id);

-- Who holds which role, and where, whichever way it came: the one place that knows of the three ways.
-- project null: on the instance. A condition on user_id or on project reaches the indexes of each branch.
create view effective_roles as
select user_id, role_id, project from user_roles
union all
select group_users.user_id, group_roles.role_id, group_roles.project
from group_users join group_roles using (group_id)
union all
select group_users.user_id, groups.root_role_id, null
from group_users join groups on groups.id = group_users.group_id
where groups.root_role_id is not null;
