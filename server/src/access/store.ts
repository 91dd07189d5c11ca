import { type RawBuilder, sql } from 'kysely';
import type { Actor } from '../actor.ts';
import type { Db, Reader, Tx } from '../db/database.ts';
import { ROOT_ROLES } from './roles.ts';

export type FoundToken = {
  id: number;
  type: string;
  name: string;
  seenLongAgo: boolean;
};

export type FoundUser = {
  tokenId: number;
  userId: number;
  kind: 'user' | 'service-account';
  name: string;
  rootPermissions: string[];
  seenLongAgo: boolean;
};

const SEEN_LONG_AGO = sql<boolean>`coalesce(seen_at < now() - interval '1 minute', true)`;

/** In a query on `users`: what each may do on the whole instance, by its own root role and by those of its groups. */
export const ROOT_PERMISSIONS_OF_USER = sql<string[]>`array(
  select distinct permission from effective_roles as held join role_permissions using (role_id)
  where held.user_id = users.id and held.project is null
    and role_permissions.project is null and environment is null
)`;

/** Expiry is judged by the clock of the database, one for all servers. */
export async function findApiToken(db: Reader, hash: Buffer): Promise<FoundToken | undefined> {
  return await db
    .selectFrom('api_tokens')
    .select(['id', 'type', 'name', SEEN_LONG_AGO.as('seenLongAgo')])
    .where('hash', '=', hash)
    .where('revoked_at', 'is', null)
    .where(sql<boolean>`coalesce(expires_at > now(), true)`)
    .executeTakeFirst();
}

export async function findPersonalToken(db: Reader, hash: Buffer): Promise<FoundUser | undefined> {
  return await db
    .selectFrom('personal_access_tokens as token')
    .innerJoin('users', 'users.id', 'token.user_id')
    .select([
      'token.id as tokenId',
      'users.id as userId',
      sql<FoundUser['kind']>`users.kind`.as('kind'),
      sql<string>`coalesce(users.username, users.email)`.as('name'),
      sql<boolean>`coalesce(token.seen_at < now() - interval '1 minute', true)`.as('seenLongAgo'),
      ROOT_PERMISSIONS_OF_USER.as('rootPermissions'),
    ])
    .where('token.hash', '=', hash)
    .where('users.deleted_at', 'is', null)
    .where(sql<boolean>`token.expires_at > now()`)
    .executeTakeFirst();
}

/** Written at most once a minute for a token, however often and on however many servers it is used. */
export async function markSeen(
  db: Db,
  table: 'api_tokens' | 'personal_access_tokens',
  id: number,
): Promise<void> {
  await db
    .updateTable(table)
    .set({ seen_at: sql<string>`now()` })
    .where('id', '=', id)
    .where(SEEN_LONG_AGO)
    .execute();
}

export type ProjectAccess = { readable: boolean; permitted: boolean };

/** One indexed query: whether the actor may know of the project, and has one of the permissions in it. */
export async function findProjectAccess(
  db: Reader,
  actor: Actor,
  project: string,
  permissions: readonly string[],
  environment: string | null,
): Promise<ProjectAccess | undefined> {
  return await db
    .selectFrom('projects')
    .select([
      isReadable(actor).as('readable'),
      sql<boolean>`exists (
        select from ${heldInProject(actor, sql`projects.id`)}
          and role_permissions.permission = any(${permissions})
          and (role_permissions.environment is null or role_permissions.environment = ${environment})
      )`.as('permitted'),
    ])
    .where('projects.id', '=', project)
    .executeTakeFirst();
}

/**
 * What the actor holds in a project, to be continued with further conditions: a role counts where it is held, on the
 * instance or in the project, and a permission of it in all projects or in the one it names.
 */
export const heldInProject = (actor: Actor, project: RawBuilder<string>) => sql`
  effective_roles as held join role_permissions using (role_id)
  where held.user_id = ${actor.userId}
    and (held.project is null or held.project = ${project})
    and (role_permissions.project is null or role_permissions.project = ${project})`;

/** A condition on `projects`, true or false and never null: open and protected ones are readable by all, private ones by their members. */
export function isReadable(actor: Actor) {
  return actor.isAdmin
    ? sql<boolean>`true`
    : sql<boolean>`(projects.mode <> 'private' or projects.id = any(array(
        select held.project from effective_roles as held
        where held.user_id = ${actor.userId} and held.project is not null
      )))`;
}

/** A condition on a table with a column `project`: true for rows of projects the actor may read. */
export function ofReadableProject(actor: Actor) {
  return actor.isAdmin
    ? sql<boolean>`true`
    : sql<boolean>`project = any(array(select projects.id from projects where ${isReadable(actor)}))`;
}

export async function insertUserRole(
  tx: Tx,
  userId: number,
  roleId: number,
  project: string | null,
): Promise<void> {
  await tx.insertInto('user_roles').values({ user_id: userId, role_id: roleId, project }).execute();
}

export async function replaceRootRole(tx: Tx, userId: number, roleId: number): Promise<void> {
  await sql`
    insert into user_roles (user_id, role_id) values (${userId}, ${roleId})
    on conflict (user_id) where project is null do update set role_id = excluded.role_id`.execute(tx);
}

/** Users who may do everything, by their own role or through a group. */
export async function countAdmins(db: Reader): Promise<number> {
  const { rows } = await sql<{ admins: number }>`
    select count(distinct users.id) as admins
    from effective_roles as held join users on users.id = held.user_id
    where held.role_id = ${ROOT_ROLES.Admin} and held.project is null
      and users.kind = 'user' and users.deleted_at is null`.execute(db);
  return rows[0]?.admins ?? 0;
}

/** Keeps others from taking the role Admin from anyone until the transaction ends; returns how many users have it. */
export async function lockAdmins(tx: Tx): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtext('admins'))`.execute(tx);
  return await countAdmins(tx);
}

export type HeldPermission = { permission: string; project?: string; environment?: string };

/** Everything a user or service account may do, and where. */
export async function listPermissions(db: Reader, userId: number): Promise<HeldPermission[]> {
  const { rows } = await sql<{ permission: HeldPermission }>`
    select distinct jsonb_strip_nulls(jsonb_build_object(
      'permission', permission,
      'project', coalesce(role_permissions.project, held.project),
      'environment', environment
    )) as permission
    from effective_roles as held join role_permissions using (role_id)
    where held.user_id = ${userId}
    order by permission`.execute(db);
  return rows.map(row => row.permission);
}
