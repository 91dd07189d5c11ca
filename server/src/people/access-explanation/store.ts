import { sql } from 'kysely';
import { PROJECT_ROLES } from '../../access/roles.ts';
import {
  heldPermissions,
  IS_ACTIVE,
  IS_ADMIN,
  isReadable,
  selectInstancePermissions,
} from '../../access/store.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import { type AccessExplanation, type AccessPath, MAX_CHANGES, MAX_GRANTORS, MAX_ROLES } from './schema.ts';

/** The scope in which a permission is needed. Null: the whole instance, all environments, or no permission at all. */
export type AccessScope = { permission: string | null; project: string | null; environment: string | null };

export type Role = AccessPath['role'];
type Project = NonNullable<AccessExplanation['project']>;

export async function findProject(db: Reader, id: string): Promise<Project | undefined> {
  const { rows } = await sql<Project>`select id, name, mode from projects where id = ${id}`.execute(db);
  return rows[0];
}

export async function hasEnvironment(db: Reader, name: string): Promise<boolean> {
  const { rows } = await sql`select from environments where name = ${name}`.execute(db);
  return rows.length > 0;
}

/** A role that a user holds on the instance or in the project. */
export type HeldRole = Omit<AccessPath, 'permission'> & {
  /** The role's permission that counts in this scope: the requested one, or ADMIN. */
  granting: string | null;
  /** The environments to which the role restricts the permission. */
  environments: string[];
  inOtherProjects: boolean;
};

/** Lists the roles that a user holds in this scope. Those that grant the permission come first. */
export async function listHeldRoles(
  db: Reader,
  userId: number,
  { permission, project, environment }: AccessScope,
): Promise<HeldRole[]> {
  const requestedPermissions = permission === null ? [] : [permission];
  const source = sql`held.role_id, held.project, held.group_id, role_permissions.permission`;
  const { rows } = await sql<HeldRole>`
    with granting as (
      select ${source} from ${selectInstancePermissions(userId)} and permission = any(${[...requestedPermissions, 'ADMIN']})
      union
      select ${source}
      from ${heldPermissions({ userId }, sql<string>`${project}::text`, requestedPermissions, sql`${environment}::text`)}
    )
    select jsonb_build_object('id', roles.id, 'name', roles.name, 'type', roles.type) as role, held.project,
      case when held.group_id is not null then jsonb_build_object('id', groups.id, 'name', groups.name,
        'joinedAt', to_char(joined.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'addedBy', joined.created_by) end as "group",
      held.created_by as "grantedBy", held.created_at as "grantedAt",
      (select min(granting.permission) from granting where granting.role_id = held.role_id
        and granting.project is not distinct from held.project
        and granting.group_id is not distinct from held.group_id) as granting,
      array(select distinct environment from role_permissions
        where role_id = held.role_id and permission = ${permission} and environment is not null
          and (project is null or project = ${project}) order by environment) as environments,
      exists (select from role_permissions
        where role_id = held.role_id and permission = ${permission} and project <> ${project}) as "inOtherProjects"
    from effective_roles as held join roles on roles.id = held.role_id
      left join groups on groups.id = held.group_id
      left join group_users as joined on joined.group_id = held.group_id and joined.user_id = held.user_id
    where held.user_id = ${userId} and (held.project is null or held.project = ${project})
    order by granting nulls last, held.project nulls first, held.group_id nulls first, roles.id
    limit ${MAX_ROLES}`.execute(db);
  return rows;
}

/**
 * Lists the roles that have the permission in this scope. Without a requested permission, lists the roles that make their holder a
 * member.
 */
export async function listRolesWith(
  db: Reader,
  { permission, project, environment }: AccessScope,
): Promise<(Role & { isAdmin: boolean })[]> {
  const { rows } = await sql<Role & { isAdmin: boolean }>`
    select roles.id, roles.name, roles.type, defined.is_admin as "isAdmin"
    from roles cross join lateral (
      select count(*) as size,
        coalesce(bool_or(permission = 'ADMIN'), false) as is_admin,
        coalesce(bool_or(permission = ${permission} and (given.project is null or given.project = ${project})
          and (environment is null or environment = ${environment})), false) as has_permission
      from role_permissions as given where given.role_id = roles.id
    ) as defined
    where case when roles.type in ('root', 'root-custom') then is_admin or has_permission
      else ${project}::text is not null and (has_permission or ${permission}::text is null) end
    order by is_admin, size, roles.id
    limit ${MAX_ROLES}`.execute(db);
  return rows;
}

export type JoinableGroup = { id: number; name: string; role: Role; otherProjects: number };

/** Lists the groups that hold one of the roles in this scope and that the user has not joined. */
export async function listGroupsWith(
  db: Reader,
  userId: number,
  roleIds: number[],
  project: string | null,
  caller: Actor,
): Promise<JoinableGroup[]> {
  const { rows } = await sql<JoinableGroup>`
    select distinct on (groups.id) groups.id, groups.name,
      jsonb_build_object('id', roles.id, 'name', roles.name, 'type', roles.type) as role,
      (select count(distinct other.project) from group_roles as other join projects on projects.id = other.project
        where other.group_id = groups.id and other.project is distinct from ${project} and ${isReadable(caller)}
      ) as "otherProjects"
    from groups join (
      select group_id, role_id from group_roles where project = ${project}
      union all select id, root_role_id from groups where root_role_id is not null
    ) as held on held.group_id = groups.id
      join roles on roles.id = held.role_id
    where held.role_id = any(${roleIds})
      and not exists (select from group_users where group_id = groups.id and user_id = ${userId})
    order by groups.id, array_position(${roleIds}::integer[], held.role_id)
    limit ${MAX_CHANGES}`.execute(db);
  return rows;
}

export type DefinedPermission = {
  roleId: number;
  permission: string;
  project: string | null;
  environment: string | null;
};

/** Lists the permissions that the roles define, in all projects and environments. */
export async function listDefinedPermissions(db: Reader, roleIds: number[]): Promise<DefinedPermission[]> {
  const { rows } = await sql<DefinedPermission>`
    select role_id as "roleId", permission, project, environment from role_permissions
    where role_id = any(${roleIds}) order by role_id, permission, environment nulls first`.execute(db);
  return rows;
}

/** Lists the roles that the groups hold on the instance and in the project. */
export async function listGroupRoles(
  db: Reader,
  groupIds: number[],
  project: string | null,
): Promise<{ groupId: number; roleId: number }[]> {
  const { rows } = await sql<{ groupId: number; roleId: number }>`
    select group_id as "groupId", role_id as "roleId" from group_roles
    where group_id = any(${groupIds}) and project = ${project}
    union select id, root_role_id from groups
    where id = any(${groupIds}) and root_role_id is not null`.execute(db);
  return rows;
}

type Grantor = AccessExplanation['grantors'][number];

/** Lists the admins and, if a project is given, its owners. */
export async function listGrantors(db: Reader, project: string | null): Promise<Grantor[]> {
  const { rows } = await sql<Grantor>`
    select users.id, coalesce(nullif(users.name, ''), users.username, users.email) as name,
      case when ${IS_ADMIN} then 'admin' else 'owner' end as because
    from users
    where users.kind = 'user' and ${IS_ACTIVE} and (${IS_ADMIN} or users.id in (
      select held.user_id from effective_roles as held
      where held.project = ${project} and held.role_id = ${PROJECT_ROLES.Owner}
    ))
    order by because, name limit ${MAX_GRANTORS}`.execute(db);
  return rows;
}
