import { sql } from 'kysely';
import { IS_ACTIVE, IS_ADMIN } from '../../access/store.ts';
import type { Reader, Tx } from '../../platform/db/database.ts';

export async function insertUserRole(
  tx: Tx,
  userId: number,
  roleId: number,
  project: string | null,
  createdBy: string,
): Promise<void> {
  await tx
    .insertInto('user_roles')
    .values({ user_id: userId, role_id: roleId, project, created_by: createdBy })
    .execute();
}

export async function replaceRootRole(
  tx: Tx,
  userId: number,
  roleId: number,
  createdBy: string,
): Promise<void> {
  await sql`
    insert into user_roles (user_id, role_id, created_by) values (${userId}, ${roleId}, ${createdBy})
    on conflict (user_id) where project is null
      do update set role_id = excluded.role_id, created_at = excluded.created_at, created_by = excluded.created_by
      where user_roles.role_id <> excluded.role_id`.execute(tx);
}

/** Where the roles of users and groups are stored. */
export const TABLES = {
  user: { table: sql.table('user_roles'), holder: sql.ref('user_id') },
  group: { table: sql.table('group_roles'), holder: sql.ref('group_id') },
};

export type ProjectRoles = { id: number; project: string; roles: number[] };

/** Deletes all roles of users or groups. Returns the roles that they held in projects. */
export async function deleteHolderRoles(
  tx: Tx,
  kind: keyof typeof TABLES,
  ids: number[],
): Promise<ProjectRoles[]> {
  const { table, holder } = TABLES[kind];
  const { rows } = await sql<ProjectRoles>`
    with deleted as (delete from ${table} where ${holder} = any(${ids}) returning ${holder} as id, project, role_id)
    select id, project, array_agg(role_id order by role_id) as roles from deleted
    where project is not null group by id, project order by id, project`.execute(tx);
  return rows;
}

export type NameRow = { kind: 'users' | 'groups' | 'roles'; id: number; name: string };

/** Lists the names of users, groups and roles. Emails are omitted, because readers of a project see the names in events. */
export async function listNames(
  db: Reader,
  { users, groups, roles }: Record<NameRow['kind'], number[]>,
): Promise<NameRow[]> {
  const { rows } = await sql<NameRow>`
    select 'users' as kind, id, coalesce(username, name) as name from users
    where id = any(${users}) and coalesce(username, name) is not null
    union all select 'groups', id, name from groups where id = any(${groups})
    union all select 'roles', id, name from roles where id = any(${roles})`.execute(db);
  return rows;
}

/** Locks out other transactions that revoke ADMIN from a user, until this transaction ends. */
export async function lockAdmins(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('admins'))`.execute(tx);
}

/** Counts active users with ADMIN. Service accounts do not count, because nobody can log in as a service account. */
export async function countAdmins(db: Reader): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from users
    where users.kind = 'user' and ${IS_ACTIVE} and ${IS_ADMIN}`.execute(db);
  return rows[0]?.count ?? 0;
}
