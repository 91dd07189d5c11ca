import { type RawBuilder, sql } from 'kysely';
import { IS_ACTIVE, IS_ADMIN } from '../../access/store.ts';
import type { TokenScope } from '../../platform/actor.ts';
import type { Reader, Tx } from '../../platform/db/database.ts';
import { imageForName } from '../../record/actor-names.ts';
import type { AccessCandidates, AdminCount, InactiveUser, ListedUser, Person, User } from './admin-schema.ts';
import type { HeldRole, PersonalToken, Profile } from './schema.ts';

/** A condition on `users`: true for users, false for service accounts and deleted users. */
const IS_USER = sql<boolean>`users.kind = 'user' and users.deleted_at is null`;

const USER = sql`
  users.id, users.name, users.username, users.email,
  (select role_id from user_roles where user_id = users.id and user_roles.project is null) as "rootRole",
  false as "isAPI", 'User' as "accountType",
  ${imageForName(sql`coalesce(users.username, users.email)`)} as "imageUrl", users.created_at as "createdAt", users.seen_at as "seenAt",
  users.deactivated_at as "deactivatedAt"`;

const PERSON = sql`users.id, users.name, users.username, users.email`;

/** Lists all users, only the deactivated users or only the active users. */
export async function listUsers(db: Reader, deactivated?: boolean): Promise<ListedUser[]> {
  const { rows } = await sql<ListedUser>`
    select ${USER}, users.password_hash is not null as "hasPassword",
      exists (select from sso_identities where sso_identities.user_id = users.id) as "hasSingleSignOn",
      (
        select expires_at from password_links
        where password_links.user_id = users.id and users.password_hash is null
          and password_links.expires_at > now()
      ) as "invitedUntil",
      array(
        select groups.name from group_users join groups on groups.id = group_id
        where group_users.user_id = users.id order by lower(groups.name)
      ) as groups
    from users
    where ${IS_USER} and ${deactivated === undefined ? sql`true` : sql`(deactivated_at is not null) = ${deactivated}`}
    order by users.id`.execute(db);
  return rows;
}

export async function isRootAdmin(db: Reader, id: number): Promise<boolean> {
  const { rows } = await sql`select from users where users.id = ${id} and ${IS_ADMIN}`.execute(db);
  return rows.length > 0;
}

export async function findUser(db: Reader, id: number): Promise<User | undefined> {
  const { rows } = await sql<User>`
    select ${USER} from users where users.id = ${id} and ${IS_USER}`.execute(db);
  return rows[0];
}

/** Finds a user or a service account. */
export async function findAccount(db: Reader, id: number): Promise<Person | undefined> {
  const { rows } = await sql<Person>`
    select ${PERSON} from users where users.id = ${id} and users.deleted_at is null`.execute(db);
  return rows[0];
}

/** Locks the users that exist and returns them, sorted by id. */
export async function lockExistingUsers(tx: Tx, ids: number[]): Promise<User[]> {
  await sql`select from users where id = any(${ids}) order by id for update`.execute(tx);
  const { rows } = await sql<User>`
    select ${USER} from users where users.id = any(${ids}) and ${IS_USER} order by users.id`.execute(tx);
  return rows;
}

/** Returns a user's groups, sorted by name, and whether the user has a password. */
export async function findProfileFields(
  db: Reader,
  id: number,
): Promise<Pick<Profile, 'groups' | 'canChangePassword'>> {
  const { rows } = await sql<Pick<Profile, 'groups' | 'canChangePassword'>>`
    select password_hash is not null as "canChangePassword", array(
      select groups.name from group_users join groups on groups.id = group_id
      where user_id = users.id order by lower(groups.name)
    ) as groups
    from users where users.id = ${id}`.execute(db);
  return rows[0] ?? { groups: [], canChangePassword: false };
}

const MAX_FOUND_USERS = 100;

/** Finds users whose name, username or email address contains the string. Exact matches come first. */
export async function searchUsers(db: Reader, text: string): Promise<Person[]> {
  const contains = (column: RawBuilder<unknown>) => sql`position(lower(${text}) in lower(${column})) > 0`;
  const { rows } = await sql<Person>`
    select ${PERSON} from users
    where ${IS_USER} and ${IS_ACTIVE} and (${contains(sql`name`)} or ${contains(sql`username`)} or ${contains(sql`email`)})
    order by lower(${text}) in (lower(username), lower(email)) is true desc, users.id
    limit ${MAX_FOUND_USERS}`.execute(db);
  return rows;
}

export async function listPeople(db: Reader): Promise<Person[]> {
  const { rows } =
    await sql<Person>`select ${PERSON} from users where ${IS_USER} and ${IS_ACTIVE} order by id`.execute(db);
  return rows;
}

/** Returns whether the instance has ever had a user, including deleted users. */
export async function hasUsers(db: Reader): Promise<boolean> {
  const firstUser = await db
    .selectFrom('users')
    .select('id')
    .where('kind', '=', 'user')
    .limit(1)
    .executeTakeFirst();
  return firstUser !== undefined;
}

/** Lists all groups as access candidates. */
export async function listGroupCandidates(db: Reader): Promise<AccessCandidates['groups']> {
  const { rows } = await sql<AccessCandidates['groups'][number]>`
    select groups.id, groups.name, groups.description, (
      select count(*) from group_users join users on users.id = user_id
      where group_id = groups.id and ${IS_ACTIVE}
    ) as "userCount"
    from groups order by lower(groups.name)`.execute(db);
  return rows;
}

export type NewUserRow = {
  name: string | null;
  username: string | null;
  email: string | null;
  passwordHash: string | null;
};

export async function insertUser(tx: Tx, user: NewUserRow): Promise<number> {
  const { id } = await tx
    .insertInto('users')
    .values({ name: user.name, username: user.username, email: user.email, password_hash: user.passwordHash })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export async function updateUser(tx: Tx, user: Pick<User, 'id' | 'name' | 'email'>): Promise<void> {
  await tx
    .updateTable('users')
    .set({ name: user.name, email: user.email })
    .where('id', '=', user.id)
    .execute();
}

/**
 * Deletes the password, links, tokens, known networks and owned flags of the users. The rows stay, because events refer to them.
 * The username and email address can be used again, because they are unique only among users that are not deleted.
 */
export async function markDeleted(tx: Tx, ids: number[]): Promise<void> {
  await sql`
    with tokens as (delete from personal_access_tokens where user_id = any(${ids})),
    links as (delete from password_links where user_id = any(${ids})),
    places as (delete from login_places where user_id = any(${ids})),
    owned as (delete from feature_owners where user_id = any(${ids}))
    update users set deleted_at = now(), password_hash = null where id = any(${ids})`.execute(tx);
}

/** Deletes the tokens and password link of the user. Returns the number of tokens. The password is kept. */
export async function markDeactivated(tx: Tx, id: number): Promise<number> {
  const { rows } = await sql<{ tokens: number }>`
    with tokens as (delete from personal_access_tokens where user_id = ${id} returning id),
    links as (delete from password_links where user_id = ${id}),
    marked as (update users set deactivated_at = now() where id = ${id})
    select count(*) as tokens from tokens`.execute(tx);
  return rows[0]?.tokens ?? 0;
}

export async function markReactivated(tx: Tx, id: number): Promise<void> {
  await tx.updateTable('users').set({ deactivated_at: null }).where('id', '=', id).execute();
}

const ROLE = sql`roles.id, roles.name, roles.type, roles.description`;

export async function listRootRoles(db: Reader): Promise<HeldRole[]> {
  const { rows } = await sql<HeldRole>`
    select ${ROLE} from roles where type in ('root', 'root-custom') order by id`.execute(db);
  return rows;
}

export async function findRootRole(db: Reader, role: number | string): Promise<number | undefined> {
  const matches = typeof role === 'number' ? sql`id = ${role}` : sql`name = ${role}`;
  const { rows } = await sql<{ id: number }>`
    select id from roles where type in ('root', 'root-custom') and ${matches} order by type, id
    limit 1`.execute(db);
  return rows[0]?.id;
}

/**
 * Lists the roles of a user on the instance and in all projects, or in one project. The user's own roles come before those of
 * groups.
 */
export async function listUserRoles(db: Reader, userId: number, project?: string): Promise<HeldRole[]> {
  const { rows } = await sql<{ role: HeldRole }>`
    select to_jsonb(roles) || jsonb_strip_nulls(jsonb_build_object('project', held.project)) as role
    from (select distinct role_id, project from effective_roles where user_id = ${userId}) as held
      join (select ${ROLE} from roles) as roles on roles.id = held.role_id
      left join user_roles as own on own.user_id = ${userId} and own.role_id = held.role_id
        and own.project is not distinct from held.project
    where ${project ?? null}::text is null or held.project is null or held.project = ${project ?? null}
    order by held.project nulls first, own.user_id nulls last, roles.id`.execute(db);
  return rows.map(row => row.role);
}

export async function countAdminsByPassword(db: Reader): Promise<AdminCount> {
  const { rows } = await sql<AdminCount>`
    select count(*) filter (where kind = 'user' and password_hash is not null) as password,
      count(*) filter (where kind = 'user' and password_hash is null) as "noPassword",
      count(*) filter (where kind = 'service-account') as service
    from users where ${IS_ACTIVE} and ${IS_ADMIN}`.execute(db);
  return rows[0] ?? { password: 0, noPassword: 0, service: 0 };
}

const isInactive = (days: number) =>
  sql<boolean>`coalesce(users.seen_at, users.created_at) < now() - make_interval(days => ${days})`;

export async function listInactiveUsers(db: Reader, days: number): Promise<InactiveUser[]> {
  const { rows } = await sql<InactiveUser>`
    select ${PERSON}, users.created_at as "createdAt", users.seen_at as "seenAt",
      (select max(seen_at) from personal_access_tokens where user_id = users.id) as "patSeenAt"
    from users
    where ${IS_USER} and ${isInactive(days)}
    order by coalesce(users.seen_at, users.created_at), users.id`.execute(db);
  return rows;
}

/** Returns the ids of the users that are inactive. */
export async function filterInactive(db: Reader, ids: number[], days: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from users where id = any(${ids}) and ${IS_USER} and ${isInactive(days)}`.execute(db);
  return rows.map(row => row.id);
}

/** Locks the user, so that nobody else can add a token, and counts the user's tokens. */
export async function lockAndCountPersonalTokens(tx: Tx, userId: number): Promise<number> {
  await sql`select from users where id = ${userId} for update`.execute(tx);
  const { count } = await tx
    .selectFrom('personal_access_tokens')
    .select(eb => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return count;
}

export type TokenRestrictions = { isAgent: boolean; scope: TokenScope | null };

/** Only the kind `agent` is stored. Any other kind depends on the owner: a service account has only service tokens. */
const TOKEN_BOUNDS = [
  sql<PersonalToken['kind']>`case when is_agent then 'agent'
    when exists (select from users where users.id = user_id and users.kind = 'service-account') then 'service'
    else 'personal' end`.as('kind'),
  sql<TokenScope | null>`scope`.as('scope'),
  'changes_left as changesLeft',
] as const;

const TOKEN = [
  ...TOKEN_BOUNDS,
  'id',
  'description',
  'user_id as userId',
  'created_at as createdAt',
  'expires_at as expiresAt',
  'seen_at as seenAt',
] as const;

export async function listPersonalTokens(db: Reader, userId: number): Promise<PersonalToken[]> {
  return await db
    .selectFrom('personal_access_tokens')
    .select(TOKEN)
    .where('user_id', '=', userId)
    .orderBy('id')
    .execute();
}

export async function insertPersonalToken(
  tx: Tx,
  token: { userId: number; hash: Buffer; description: string; expiresAt: string } & TokenRestrictions,
): Promise<PersonalToken> {
  return await tx
    .insertInto('personal_access_tokens')
    .values({
      user_id: token.userId,
      hash: token.hash,
      description: token.description,
      expires_at: token.expiresAt,
      is_agent: token.isAgent,
      scope: token.scope && JSON.stringify(token.scope),
      changes_left: token.scope?.maxChanges ?? null,
    })
    .returning(TOKEN)
    .executeTakeFirstOrThrow();
}

export async function findPersonalToken(
  db: Reader,
  userId: number,
  id: number,
): Promise<PersonalToken | undefined> {
  return await db
    .selectFrom('personal_access_tokens')
    .select(TOKEN)
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst();
}

export async function updatePersonalTokenExpiry(
  tx: Tx,
  id: number,
  expiresAt: string,
): Promise<PersonalToken> {
  return await tx
    .updateTable('personal_access_tokens')
    .set({ expires_at: expiresAt })
    .where('id', '=', id)
    .returning(TOKEN)
    .executeTakeFirstOrThrow();
}

/** Deletes all personal tokens of a user and returns them, sorted by id. */
export async function deleteAllPersonalTokens(tx: Tx, userId: number): Promise<PersonalToken[]> {
  const tokens = await tx
    .deleteFrom('personal_access_tokens')
    .where('user_id', '=', userId)
    .returning(TOKEN)
    .execute();
  return tokens.toSorted((a, b) => a.id - b.id);
}

export async function deletePersonalToken(
  tx: Tx,
  userId: number,
  id: number,
): Promise<PersonalToken | undefined> {
  return await tx
    .deleteFrom('personal_access_tokens')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returning(TOKEN)
    .executeTakeFirst();
}
