import { sql } from 'kysely';
import { IS_OPEN_SESSION, isReadable } from '../../access/store.ts';
import type { Reader, WithNulls } from '../../platform/db/database.ts';
import type { RolePermission } from './deciding-roles.ts';
import type { AccessOfUser, ProjectOfUser } from './schema.ts';

const MAX_SESSIONS = 100;

const ROLE = sql`jsonb_build_object('id', roles.id, 'name', roles.name) as role`;
const GROUP = sql`jsonb_build_object('id', groups.id, 'name', groups.name)`;

export async function listRootGrants(db: Reader, id: number): Promise<AccessOfUser['rootRoles']> {
  const { rows } = await sql<WithNulls<AccessOfUser['rootRoles'][number]>>`
    select ${ROLE}, held.group from (
      select role_id, null::jsonb as group from user_roles where user_id = ${id} and project is null
      union all
      select groups.root_role_id, ${GROUP}
      from group_users join groups on groups.id = group_id
      where user_id = ${id} and root_role_id is not null
    ) as held join roles on roles.id = held.role_id
    order by held.group nulls first, roles.id`.execute(db);
  return rows.map(omitNullGroup);
}

export async function listUserGroups(db: Reader, id: number): Promise<AccessOfUser['groups']> {
  const { rows } = await sql<AccessOfUser['groups'][number]>`
    select groups.id, groups.name, group_users.created_at as "joinedAt", group_users.created_by as "createdBy"
    from group_users join groups on groups.id = group_id
    where user_id = ${id} order by lower(groups.name)`.execute(db);
  return rows;
}

export async function listUserSessions(db: Reader, id: number): Promise<AccessOfUser['sessions']> {
  const { rows } = await sql<AccessOfUser['sessions'][number]>`
    select method, ip, seen_at as "seenAt" from sessions
    where user_id = ${id} and ${IS_OPEN_SESSION}
    order by seen_at desc, id desc limit ${MAX_SESSIONS}`.execute(db);
  return rows;
}

type Project = Omit<ProjectOfUser, 'roles' | 'rootRoles'>;

/** Lists all active projects, with the roles of the user in them. */
export async function listProjectsForUser(
  db: Reader,
  user: { userId: number; isAdmin: boolean },
): Promise<Project[]> {
  const projects = await sql<Omit<Project, 'grants'>>`
    select projects.id, projects.name, projects.mode, ${isReadable(user)} as readable
    from projects where archived_at is null order by lower(projects.name), projects.id`.execute(db);
  const grants = await sql<WithNulls<Project['grants'][number]> & { project: string }>`
    select held.project, ${ROLE}, held.group, held.created_at as "grantedAt" from (
      select project, role_id, created_at, null::jsonb as group
      from user_roles where user_id = ${user.userId} and project is not null
      union all
      select group_roles.project, group_roles.role_id, group_roles.created_at, ${GROUP}
      from group_users join group_roles using (group_id) join groups on groups.id = group_id
      where user_id = ${user.userId}
    ) as held join roles on roles.id = held.role_id
    order by held.group nulls first, roles.id`.execute(db);
  const grantsByProject = Map.groupBy(grants.rows, ({ project }) => project);
  return projects.rows.map(project => ({
    ...project,
    grants: (grantsByProject.get(project.id) ?? []).map(({ project: _, ...grant }) => omitNullGroup(grant)),
  }));
}

function omitNullGroup<Grant extends { group: unknown }>({ group, ...rest }: Grant) {
  return group === null ? rest : { ...rest, group };
}

/** Returns the permissions of roles. Roles without permissions are absent. */
export async function listRolePermissions(
  db: Reader,
  roles: number[],
): Promise<Map<number, readonly RolePermission[]>> {
  const { rows } = await sql<RolePermission & { roleId: number }>`
    select role_id as "roleId", permission, environment, project
    from role_permissions where role_id = any(${roles})`.execute(db);
  return Map.groupBy(rows, ({ roleId }) => roleId);
}
