import { type RawBuilder, sql } from 'kysely';
import { ADMIN_TOKEN_USER_ID, SYSTEM_USER_ID } from '../actor.ts';
import type { Reader, Tx } from '../db/database.ts';
import type { PersonalToken } from './schema.ts';

export type User = { id: number; name: string; username: string | null; email: string | null };

/** What to call whoever has this id: a user, deleted or not, an admin token or the service itself. Name the column with its table. */
export const nameOfUser = (id: RawBuilder<unknown>) => sql<string>`
  case ${id} when ${sql.lit(ADMIN_TOKEN_USER_ID)} then 'admin token' when ${sql.lit(SYSTEM_USER_ID)} then 'system'
  else coalesce((select coalesce(username, email) from users where users.id = ${id}), 'user ' || ${id}) end`;

export async function findUser(db: Reader, id: number): Promise<User | undefined> {
  return await db
    .selectFrom('users')
    .select(['id', 'name', 'username', 'email'])
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
}

/** Those of the users and service accounts that are there; none of them goes until the transaction ends. */
export async function holdUsers(tx: Tx, ids: number[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from users where id = any(${ids}) and deleted_at is null order by id for share`.execute(tx);
  return rows.map(row => row.id);
}

export async function insertUser(tx: Tx, user: Omit<User, 'id'>): Promise<number> {
  const { id } = await tx.insertInto('users').values(user).returning('id').executeTakeFirstOrThrow();
  return id;
}

/** Keeps others from adding tokens to this user until the transaction ends; returns how many there are. */
export async function lockPersonalTokens(tx: Tx, userId: number): Promise<number> {
  await sql`select from users where id = ${userId} for update`.execute(tx);
  const { count } = await tx
    .selectFrom('personal_access_tokens')
    .select(eb => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return count;
}

const TOKEN = [
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
  token: { userId: number; hash: Buffer; description: string; expiresAt: string },
): Promise<PersonalToken> {
  return await tx
    .insertInto('personal_access_tokens')
    .values({
      user_id: token.userId,
      hash: token.hash,
      description: token.description,
      expires_at: token.expiresAt,
    })
    .returning(TOKEN)
    .executeTakeFirstOrThrow();
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
