import { sql } from 'kysely';
import { PROJECT_ROLES } from '../../access/roles.ts';
import { IS_ACTIVE, selectProjectPermissions } from '../../access/store.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Reader, Tx } from '../../platform/db/database.ts';
import { TABLES } from '../grants/store.ts';
import { GROUP_MEMBERS } from '../groups/store.ts';
import type { Role } from '../roles/schema.ts';
import type { GroupAccess, UserAccess } from './schema.ts';

/** The roles of a user or group in a project. */
export type Grant = { kind: 'user' | 'group'; id: number; roles: number[] };

/** One role of a user or group. */
export type SingleGrant = { id: number; roleId: number };

const HELD_ROLE_FIELDS = sql`
  array_agg(held.role_id order by held.role_id) as roles, min(held.role_id) as "roleId",
  min(held.created_at) as "addedAt"`;

export async function listProjectRoles(db: Reader): Promise<Role[]> {
  const { rows } = await sql<Role>`
    select id, type, name, description from roles where type in ('project', 'custom')
    order by id`.execute(db);
  return rows;
}

export async function listUserAccess(db: Reader, project: string): Promise<UserAccess[]> {
  const { rows } = await sql<UserAccess>`
    select users.id, users.name, users.username, users.email, users.kind <> 'user' as "isAPI", ${HELD_ROLE_FIELDS}
    from user_roles as held join users on users.id = held.user_id
    where held.project = ${project} and users.deleted_at is null
    group by users.id order by users.id`.execute(db);
  return rows;
}

export async function listGroupAccess(db: Reader, project: string): Promise<GroupAccess[]> {
  const { rows } = await sql<GroupAccess>`
    select groups.id, groups.name, groups.description, groups.mappings_sso as "mappingsSSO",
      groups.root_role_id as "rootRole", groups.created_at as "createdAt", groups.created_by as "createdBy",
      ${GROUP_MEMBERS} as users, ${HELD_ROLE_FIELDS}
    from group_roles as held join groups on groups.id = held.group_id
    where held.project = ${project}
    group by groups.id order by groups.id`.execute(db);
  return rows;
}

/** Locks the access to a project. Returns false if the project does not exist. */
export async function lockAccess(tx: Tx, project: string): Promise<boolean> {
  const { rows } = await sql`select from projects where id = ${project} for no key update`.execute(tx);
  return rows.length > 0;
}

/**
 * Locks the groups that exist, and groups with a role in the project, so that they cannot be deleted until the transaction ends.
 * Returns the ids of the locked groups.
 */
export async function lockGroupHolders(tx: Tx, project: string, ids: number[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from groups
    where id = any(${ids}) or id in (select group_id from group_roles where project = ${project})
    order by id for key share`.execute(tx);
  return rows.map(row => row.id);
}

/**
 * Locks the users that exist, and users with a role in the project, so that they cannot be deleted until the transaction ends.
 * Returns the ids of the locked users.
 */
export async function lockUserHolders(tx: Tx, project: string, ids: number[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from users
    where (id = any(${ids}) or id in (select user_id from user_roles where project = ${project}))
      and deleted_at is null
    order by id for share`.execute(tx);
  return rows.map(row => row.id);
}

export async function listGrants(tx: Tx, project: string): Promise<Grant[]> {
  const { rows } = await sql<Grant>`
    select 'user' as kind, user_id as id, array_agg(role_id order by role_id) as roles
    from user_roles join users on users.id = user_id
    where project = ${project} and deleted_at is null
    group by user_id
    union all
    select 'group', group_id, array_agg(role_id order by role_id)
    from group_roles where project = ${project}
    group by group_id
    order by kind, id`.execute(tx);
  return rows;
}

const asRows = (grants: SingleGrant[]) =>
  sql`jsonb_to_recordset(${JSON.stringify(grants)}::jsonb) as given (id integer, "roleId" integer)`;

export async function insertGrants(
  tx: Tx,
  project: string,
  kind: Grant['kind'],
  grants: SingleGrant[],
  createdBy: string,
): Promise<void> {
  const { table, holder } = TABLES[kind];
  await sql`
    insert into ${table} (${holder}, role_id, project, created_by)
    select given.id, given."roleId", ${project}, ${createdBy} from ${asRows(grants)}`.execute(tx);
}

export async function deleteGrants(
  tx: Tx,
  project: string,
  kind: Grant['kind'],
  grants: SingleGrant[],
): Promise<void> {
  const { table, holder } = TABLES[kind];
  await sql`
    delete from ${table} using ${asRows(grants)}
    where project = ${project} and ${holder} = given.id and role_id = given."roleId"`.execute(tx);
}

/** Returns whether the project has an active owner, by their own role or through a group. */
export async function hasOwner(db: Reader, project: string): Promise<boolean> {
  const { rows } = await sql`
    select from effective_roles as held join users on users.id = held.user_id
    where held.project = ${project} and held.role_id = ${PROJECT_ROLES.Owner} and ${IS_ACTIVE}
    limit 1`.execute(db);
  return rows.length > 0;
}

/**
 * Lists the names of the roles with a permission that the actor lacks in the project. The list is empty for an owner of the
 * project.
 */
export async function listUngrantableRoles(
  db: Reader,
  actor: Actor,
  project: string,
  roles: number[],
): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select roles.name from roles
    where roles.id = any(${roles})
      and not exists (
        select from effective_roles as held
        where held.user_id = ${actor.userId} and held.project = ${project} and held.role_id = ${PROJECT_ROLES.Owner}
      )
      and exists (
        select from role_permissions as given
        where given.role_id = roles.id and not exists (
          select from ${selectProjectPermissions(actor, sql`${project}`)}
            and role_permissions.permission = given.permission
            and (role_permissions.environment is null or role_permissions.environment = given.environment)
        )
      )
    order by roles.name`.execute(db);
  return rows.map(row => row.name);
}
