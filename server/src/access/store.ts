import { type RawBuilder, sql } from 'kysely';
import {
  type Actor,
  type ActorScope,
  type Credential,
  isAccount,
  type TokenScope,
} from '../platform/actor.ts';
import type { Db, Reader } from '../platform/db/database.ts';
import { PREPARED } from '../platform/db/prepared-statements.ts';

/** Why a token is no longer valid. */
export type EndReason = 'revoked' | 'expired';

export type FoundToken = {
  id: number;
  type: string;
  name: string;
  ended: EndReason | null;
  seenLongAgo: boolean;
};

/** The user of a personal token or session, or the service account of a token. */
export type FoundUser = {
  credentialId: number;
  userId: number;
  kind: 'user' | 'service-account';
  name: string;
  rootPermissions: string[];
  seenLongAgo: boolean;
};

/** A condition on `users` that is false for deleted and deactivated users. */
export const IS_ACTIVE = sql<boolean>`(users.deleted_at is null and users.deactivated_at is null)`;

const SEEN_LONG_AGO = sql<boolean>`coalesce(seen_at < now() - interval '1 minute', true)`;

/** A session ends after this long without a request, or at expires_at, whichever comes first. */
export const SESSION_IDLE = sql`interval '8 hours'`;

/** A condition on `sessions` that is true for sessions that have neither expired nor been idle for too long. */
export const IS_OPEN_SESSION = sql<boolean>`(sessions.expires_at > now() and sessions.seen_at > now() - ${SESSION_IDLE})`;

/**
 * Selects the permissions of a user on the instance, from their root role and those of their groups. The caller appends further
 * conditions.
 */
export const selectInstancePermissions = (userId: number | RawBuilder<number>) => sql`
  effective_roles as held join role_permissions using (role_id)
  where held.user_id = ${userId} and held.project is null
    and role_permissions.project is null and role_permissions.environment is null`;

/** The permissions of a user on the instance, for a query on `users`. */
export const ROOT_PERMISSIONS_OF_USER = sql<string[]>`array(
  select distinct permission from ${selectInstancePermissions(sql<number>`users.id`)}
)`;

/** Also finds revoked and expired tokens. The database clock decides which have expired, because all servers share it. */
export async function findApiToken(db: Reader, hash: Buffer): Promise<FoundToken | undefined> {
  return await db
    .selectFrom('api_tokens')
    .modifyFront(PREPARED)
    .select([
      'id',
      'type',
      'name',
      sql<EndReason | null>`case when revoked_at is not null then 'revoked' when expires_at <= now() then 'expired' end`.as(
        'ended',
      ),
      SEEN_LONG_AGO.as('seenLongAgo'),
    ])
    .where('hash', '=', hash)
    .executeTakeFirst();
}

const ACCOUNT = [
  'users.id as userId',
  sql<FoundUser['kind']>`users.kind`.as('kind'),
  sql<string>`coalesce(users.username, users.email)`.as('name'),
  ROOT_PERMISSIONS_OF_USER.as('rootPermissions'),
] as const;

/** Returns the user or service account that the guard finds for a credential, and whether the guard would accept it. */
export async function findAccount(
  db: Reader,
  id: number,
): Promise<(Omit<FoundUser, 'credentialId' | 'seenLongAgo'> & { isActive: boolean }) | undefined> {
  return await db
    .selectFrom('users')
    .select([...ACCOUNT, IS_ACTIVE.as('isActive')])
    .where('users.id', '=', id)
    .where('users.deleted_at', 'is', null)
    .executeTakeFirst();
}

/** A token of a user or service account. Without a scope, the token can do what its owner can do. */
export type FoundPersonalToken = FoundUser & {
  /** If `stale`, only the secret has expired, so the client must fetch a new secret. */
  ended: EndReason | 'stale' | null;
  tokenName: string;
  isAgent: boolean;
  scope: TokenScope | null;
};

/**
 * A condition on `personal_access_tokens as token` that is true if a project in the scope is newer than the token. In that case, the
 * original project was deleted, and the token was not created for the new project with the same id.
 */
const HAS_NEW_PROJECT = sql<boolean>`exists (
  select from projects
  where projects.id = any(array(select jsonb_array_elements_text(token.scope -> 'projects')))
    and projects.created_at > token.created_at)`;

/** Also finds expired tokens. Revoked tokens have been deleted. */
export async function findPersonalToken(db: Reader, hash: Buffer): Promise<FoundPersonalToken | undefined> {
  return await db
    .selectFrom('personal_access_tokens as token')
    .innerJoin('users', 'users.id', 'token.user_id')
    .modifyFront(PREPARED)
    .select([
      'token.id as credentialId',
      'token.description as tokenName',
      'token.is_agent as isAgent',
      sql<TokenScope | null>`token.scope`.as('scope'),
      ...ACCOUNT,
      sql<boolean>`coalesce(token.seen_at < now() - interval '1 minute', true)`.as('seenLongAgo'),
      sql<FoundPersonalToken['ended']>`case when token.expires_at <= now() then 'expired'
        when ${HAS_NEW_PROJECT} then 'revoked'
        when token.secret_expires_at <= now() then 'stale' end`.as('ended'),
    ])
    .where('token.hash', '=', hash)
    .where(IS_ACTIVE)
    .executeTakeFirst();
}

/** Returns the former id of a revoked token of a user or service account. */
export async function findRevokedToken(db: Reader, hash: Buffer): Promise<number | undefined> {
  const token = await db
    .selectFrom('revoked_tokens')
    .select('token_id')
    .where('hash', '=', hash)
    .executeTakeFirst();
  return token?.token_id;
}

export async function findSession(db: Reader, hash: Buffer): Promise<FoundUser | undefined> {
  return await db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .modifyFront(PREPARED)
    .select([
      'sessions.id as credentialId',
      ...ACCOUNT,
      sql<boolean>`sessions.seen_at < now() - interval '1 minute'`.as('seenLongAgo'),
    ])
    .where('sessions.hash', '=', hash)
    .where('users.kind', '=', 'user')
    .where(IS_ACTIVE)
    .where(IS_OPEN_SESSION)
    .executeTakeFirst();
}

/**
 * Records the use of a credential, at most once a minute per token or session, across all servers. Locks the user before the
 * credential, like every change that revokes credentials. Does nothing if the user is locked.
 */
export async function markSeen(db: Db, table: Credential['table'], id: number): Promise<void> {
  const credential = sql.table(table);
  const isUsed = sql`id = ${id} and ${SEEN_LONG_AGO}`;
  if (table === 'api_tokens') await sql`update ${credential} set seen_at = now() where ${isUsed}`.execute(db);
  else
    await sql`
      with owner as materialized (
        select id from users where id = (select user_id from ${credential} where ${isUsed})
        for no key update skip locked
      ), used as (
        update ${credential} set seen_at = now() from owner where user_id = owner.id and ${credential}.id = ${id}
      )
      update users set seen_at = now() from owner where users.id = owner.id`.execute(db);
}

export async function hasCredential(db: Reader, { table, id }: Credential): Promise<boolean> {
  const credential = await db.selectFrom(table).select('id').where('id', '=', id).executeTakeFirst();
  return credential !== undefined;
}

/** The ids of accounts with ADMIN, from their own role or a group. */
const ADMINS = sql`
  select held.user_id from effective_roles as held join role_permissions using (role_id)
  where held.project is null and role_permissions.project is null and environment is null
    and permission = 'ADMIN'`;

/** A condition on `users` that is true for users with ADMIN. */
export const IS_ADMIN = sql<boolean>`users.id in (${ADMINS})`;

/** Returns the credentials that are still valid, and whether their actors are root admins now. */
export async function listValidCredentials(
  db: Reader,
  credentials: Credential[],
): Promise<(Credential & { isAdmin: boolean })[]> {
  const idsIn = (table: Credential['table']) =>
    credentials.filter(credential => credential.table === table).map(credential => credential.id);
  const { rows } = await sql<Credential & { isAdmin: boolean }>`
    select 'api_tokens' as table, id, true as "isAdmin" from api_tokens
    where id = any(${idsIn('api_tokens')}) and type = 'admin' and revoked_at is null
      and coalesce(expires_at > now(), true)
    union all
    select 'personal_access_tokens', token.id, token.scope is null and ${IS_ADMIN}
    from personal_access_tokens as token join users on users.id = token.user_id
    where token.id = any(${idsIn('personal_access_tokens')}) and ${IS_ACTIVE}
      and least(token.expires_at, token.secret_expires_at) > now() and not ${HAS_NEW_PROJECT}
    union all
    select 'sessions', sessions.id, ${IS_ADMIN}
    from sessions join users on users.id = sessions.user_id
    where sessions.id = any(${idsIn('sessions')}) and ${IS_ACTIVE} and ${IS_OPEN_SESSION}`.execute(db);
  return rows;
}

export type ProjectAccess = { readable: boolean; permitted: boolean };

/** Reads in one indexed query whether the actor can read the project and has one of the permissions in it. */
export async function findProjectAccess(
  db: Reader,
  actor: Actor,
  project: string,
  permissions: readonly string[],
  environment: string | null,
): Promise<ProjectAccess | undefined> {
  const { rows } = await sql<ProjectAccess>`
    select ${PREPARED} ${accessColumns(actor, permissions, environment)} from projects
    where projects.id = ${project}`.execute(db);
  return rows[0];
}

/** Like `findProjectAccess`, but for a feature's project. */
export async function findFeatureAccess(
  db: Reader,
  actor: Actor,
  featureName: string,
  permissions: readonly string[],
): Promise<(ProjectAccess & { project: string }) | undefined> {
  const { rows } = await sql<ProjectAccess & { project: string }>`
    select ${PREPARED} projects.id as project, ${accessColumns(actor, permissions, null)}
    from features join projects on projects.id = features.project
    where features.name = ${featureName}`.execute(db);
  return rows[0];
}

/** Returns the environments where the actor lacks the permission. */
export async function listEnvironmentsWithoutPermission(
  db: Reader,
  actor: Actor,
  project: string,
  permission: string,
  environments: string[],
): Promise<string[]> {
  const { rows } = await sql<{ environment: string }>`
    select environment from unnest(${environments}::text[]) as given (environment)
    where not ${isPermitted(actor, sql`${project}`, [permission], sql`given.environment`)}
    order by environment`.execute(db);
  return rows.map(row => row.environment);
}

const accessColumns = (actor: Actor, permissions: readonly string[], environment: string | null) => sql`
  ${isReadable(actor)} as readable,
  ${isPermitted(actor, sql`projects.id`, permissions, sql`${environment}`)} as permitted`;

const isPermitted = (
  actor: Actor,
  project: RawBuilder<string>,
  permissions: readonly string[],
  environment: RawBuilder<unknown>,
) => sql`exists (select from ${heldPermissions(actor, project, permissions, environment)})`;

/** Selects which of the permissions the actor holds in the project and environment. */
export const heldPermissions = (
  actor: Pick<Actor, 'userId'>,
  project: RawBuilder<string>,
  permissions: readonly string[],
  environment: RawBuilder<unknown>,
) => sql`
  ${selectProjectPermissions(actor, project)}
    and role_permissions.permission = any(${permissions})
    and (role_permissions.environment is null or role_permissions.environment = ${environment})`;

/**
 * Selects the actor's permissions in a project. The caller appends further conditions. A role applies where it is granted, which is
 * either the instance or one project. A permission of the role can be restricted to one project.
 */
export const selectProjectPermissions = (actor: Pick<Actor, 'userId'>, project: RawBuilder<string>) => sql`
  effective_roles as held join role_permissions using (role_id)
  where held.user_id = ${actor.userId}
    and (held.project is null or held.project = ${project})
    and (role_permissions.project is null or role_permissions.project = ${project})`;

/** Either an actor or, in `userId`, a column with account ids. */
type ProjectReader = { isAdmin: boolean; userId: number | RawBuilder<number>; scope?: ActorScope };

/**
 * Builds a condition on `projects` that is never null. Everyone can read open and protected projects, and members can read
 * private projects. A token whose scope names projects can read only those.
 */
export function isReadable(reader: ProjectReader) {
  const { isAdmin, scope } = reader;
  if (scope?.projects)
    return sql<boolean>`(projects.id = any(${scope.projects}) and ${isReadableByOwner(reader)})`;
  return isAdmin ? sql<boolean>`true` : isReadableByOwner(reader);
}

function isReadableByOwner({ isAdmin, userId, scope }: ProjectReader) {
  return isAdmin || scope?.ownerIsAdmin
    ? sql<boolean>`true`
    : sql<boolean>`(projects.mode <> 'private' or projects.id = any(array(
        select held.project from effective_roles as held
        where held.user_id = ${userId} and held.project is not null
      )))`;
}

/** Returns the given projects that the actor can read. */
export async function listReadableProjects(db: Reader, actor: Actor, projects: string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select projects.id from projects
    where projects.id = any(${projects}) and ${isReadable(actor)}`.execute(db);
  return rows.map(row => row.id);
}

/** Returns, for each account, which of the projects it can read. */
export async function listReadableProjectsByUser(
  db: Reader,
  userIds: number[],
  projects: string[],
): Promise<{ userId: number; project: string }[]> {
  const reader = { isAdmin: false, userId: sql<number>`reader.id` };
  const { rows } = await sql<{ userId: number; project: string }>`
    select reader.id as "userId", projects.id as project
    from unnest(${userIds}::integer[]) as reader (id)
      join projects on projects.id = any(${projects})
        and (${isReadable(reader)} or reader.id in (${ADMINS}))`.execute(db);
  return rows;
}

/** Returns the given projects that are private. */
export async function listPrivateProjects(db: Reader, projects: string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from projects where id = any(${projects}) and mode = 'private'`.execute(db);
  return rows.map(row => row.id);
}

/** Builds a condition on a table with a column `project`. It is true for rows of projects that the actor can read. */
export function isInReadableProject(actor: Actor) {
  return actor.isAdmin
    ? sql<boolean>`true`
    : sql<boolean>`project = any(array(select projects.id from projects where ${isReadable(actor)}))`;
}

/**
 * Selects a hash for each of the actor's roles, computed from the role, its project and its permissions. As long as
 * an actor still has all hashes of an earlier list, the actor has at least the permissions of that time. Admin tokens have all
 * permissions and an empty list.
 */
export const roleHashes = (actor: Actor) =>
  isAccount(actor)
    ? sql<number[]>`array(
        select hashtextextended(concat_ws(' ', held.role_id, coalesce(held.project, '*'), defined.permissions), 0)
        from (select distinct role_id, project from effective_roles where user_id = ${actor.userId}) as held
          left join (
            select role_id, string_agg(concat(permission, '/', project, '/', environment), ' '
              order by permission, project, environment) as permissions
            from role_permissions group by role_id
          ) as defined using (role_id)
      )`
    : sql<number[]>`'{}'::bigint[]`;

export type HeldPermission = { permission: string; project?: string; environment?: string };

/** Returns all permissions of a user or service account, with project and environment. */
export async function listPermissions(db: Reader, userId: number): Promise<HeldPermission[]> {
  const { rows } = await sql<{ permission: HeldPermission }>`
    select distinct jsonb_strip_nulls(jsonb_build_object(
      'permission', permission,
      'project', coalesce(role_permissions.project, held.project),
      'environment', environment
    )) as permission
    from effective_roles as held join role_permissions using (role_id)
    where held.user_id = ${userId}
      and (held.project is null or role_permissions.project is null or held.project = role_permissions.project)
    order by permission`.execute(db);
  return rows.map(row => row.permission);
}
