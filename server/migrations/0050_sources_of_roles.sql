-- Where a role comes from: who granted it, and the group through which a user holds it. The server shows it when it explains an access
-- decision. The version before inserts no created_by, which then is unknown, and reads the first three columns of the view.
alter table user_roles add column created_by text;
alter table group_roles add column created_by text;

-- group_id null: held directly. The root role of a group has neither created_at nor created_by.
create or replace view effective_roles as
select user_id, role_id, project, null::integer as group_id, created_at, created_by from user_roles
union all
select group_users.user_id, group_roles.role_id, group_roles.project,
  group_id, group_roles.created_at, group_roles.created_by
from group_users join group_roles using (group_id)
union all
select group_users.user_id, groups.root_role_id, null, groups.id, null, null
from group_users join groups on groups.id = group_users.group_id
where groups.root_role_id is not null;
