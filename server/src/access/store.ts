import { type RawBuilder, sql } from 'kysely';
import type { Actor } from '../actor.ts';
import type { Db, Reader, Tx } from '../db/database.ts';

export type FoundToken = {
  id: number;
  type: string;
  name: string;
  seenLongAgo: boolean;
};

export type FoundUser = {
  tokenId: number;
  userId: number;
  name: string;
  rootPermissions: string[];
  seenLongAgo: boolean;
};

const SEEN_LONG_AGO = sql<boolean>`coalesce(seen_at < now() - interval '1 minute', true)`;

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
      sql<string>`coalesce(users.username, users.email)`.as('name'),
      sql<boolean>`coalesce(token.seen_at < now() - interval '1 minute', true)`.as('seenLongAgo'),
      sql<string[]>`array(
        select permission from user_roles join role_permissions using (role_id)
        where user_roles.user_id = users.id and user_roles.project is null and role_permissions.project is null
      )`.as('rootPermissions'),
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
  const { rows } = await sql<ProjectAccess>`
    select ${access(actor, permissions, environment)} from projects where projects.id = ${project}`.execute(
    db,
  );
  return rows[0];
}

/** The same for the project of a feature. */
export async function findFeatureAccess(
  db: Reader,
  actor: Actor,
  featureName: string,
  permissions: readonly string[],
): Promise<ProjectAccess | undefined> {
  const { rows } = await sql<ProjectAccess>`
    select ${access(actor, permissions, null)}
    from features join projects on projects.id = features.project where features.name = ${featureName}`.execute(
    db,
  );
  return rows[0];
}

/** Those of the environments in which the actor has not the permission. */
export async function listEnvironmentsWithout(
  db: Reader,
  actor: Actor,
  project: string,
  permission: string,
  environments: string[],
): Promise<string[]> {
  const { rows } = await sql<{ wanted: string }>`
    select wanted from unnest(${environments}::text[]) as wanted
    where not ${isPermitted(actor, sql`${project}`, [permission], sql`wanted`)} order by wanted`.execute(db);
  return rows.map(row => row.wanted);
}

const access = (actor: Actor, permissions: readonly string[], environment: string | null) => sql`
  ${isReadable(actor)} as readable,
  ${isPermitted(actor, sql`projects.id`, permissions, sql`${environment}`)} as permitted`;

const isPermitted = (
  actor: Actor,
  project: RawBuilder<unknown>,
  permissions: readonly string[],
  environment: RawBuilder<unknown>,
) => sql`exists (
  select from user_roles join role_permissions using (role_id)
  where user_roles.user_id = ${actor.userId}
    and role_permissions.permission = any(${permissions})
    and coalesce(role_permissions.project, user_roles.project) = ${project}
    and (role_permissions.environment is null or role_permissions.environment = ${environment})
)`;

/** A condition on `projects`: open and protected ones are readable by all, private ones by their members. */
export function isReadable(actor: Actor) {
  return actor.isAdmin
    ? sql<boolean>`true`
    : sql<boolean>`(projects.mode <> 'private' or exists (
        select from user_roles where user_roles.project = projects.id and user_roles.user_id = ${actor.userId}
      ))`;
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

export type HeldPermission = { permission: string; project?: string; environment?: string };

/** Everything a user may do, and where. */
export async function listPermissions(db: Reader, userId: number): Promise<HeldPermission[]> {
  const { rows } = await sql<{ held: HeldPermission }>`
    select distinct jsonb_strip_nulls(jsonb_build_object(
      'permission', permission,
      'project', coalesce(role_permissions.project, user_roles.project),
      'environment', environment
    )) as held
    from user_roles join role_permissions using (role_id)
    where user_roles.user_id = ${userId}
    order by held`.execute(db);
  return rows.map(row => row.held);
}
