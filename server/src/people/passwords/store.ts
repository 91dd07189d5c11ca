import { type RawBuilder, sql } from 'kysely';
import { IS_ACTIVE } from '../../access/store.ts';
import type { Reader, Tx } from '../../platform/db/database.ts';
import { selectUserName } from '../../record/actor-names.ts';
import type { PasswordLink } from './schema.ts';

/** The owner of a password, as events show them. */
export type PasswordOwner = {
  id: number;
  name: string | null;
  username: string | null;
  email: string | null;
};

/** Locks the user and returns them with the current hash. */
export async function lockOwner(
  tx: Tx,
  userId: number,
): Promise<(PasswordOwner & { passwordHash: string | null; deactivated: boolean }) | undefined> {
  return await tx
    .selectFrom('users')
    .select(['id', 'name', 'username', 'email', 'password_hash as passwordHash'])
    .select(sql<boolean>`deactivated_at is not null`.as('deactivated'))
    .where('id', '=', userId)
    .where('kind', '=', 'user')
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
}

export async function findIdByEmail(db: Reader, email: string): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    select id from users
    where lower(email) = lower(${email}) and kind = 'user' and deleted_at is null`.execute(db);
  return rows[0]?.id;
}

export async function findOwner(db: Reader, userId: number): Promise<PasswordOwner | undefined> {
  return await db
    .selectFrom('users')
    .select(['id', 'name', 'username', 'email'])
    .where('id', '=', userId)
    .where('kind', '=', 'user')
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
}

/** Replaces the password and deletes the password link, because anyone with the link could replace the new password. */
export async function updatePassword(tx: Tx, userId: number, hash: string): Promise<void> {
  await tx
    .with('unlinked', links => links.deleteFrom('password_links').where('user_id', '=', userId))
    .updateTable('users')
    .set({ password_hash: hash })
    .where('id', '=', userId)
    .execute();
}

/** Deletes the password and the password link, and returns which of them existed. The caller holds the lock on the user. */
export async function deletePassword(
  tx: Tx,
  userId: number,
): Promise<{ password: boolean; passwordLink: boolean }> {
  const { numUpdatedRows } = await tx
    .updateTable('users')
    .set({ password_hash: null })
    .where('id', '=', userId)
    .where('password_hash', 'is not', null)
    .executeTakeFirst();
  const { numDeletedRows } = await tx
    .deleteFrom('password_links')
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return { password: numUpdatedRows === 1n, passwordLink: numDeletedRows === 1n };
}

/** Inserts the link or replaces the earlier link of the user. */
export async function upsertLink(
  tx: Tx,
  link: { userId: number; hash: Buffer; createdByUserId: number; hours: number },
): Promise<void> {
  await sql`
    insert into password_links (user_id, hash, created_by_user_id, expires_at)
    values (${link.userId}, ${link.hash}, ${link.createdByUserId}, now() + make_interval(hours => ${link.hours}))
    on conflict (user_id) do update set hash = excluded.hash, created_by_user_id = excluded.created_by_user_id,
      created_at = excluded.created_at, expires_at = excluded.expires_at`.execute(tx);
}

const isValid = (hash: Buffer): RawBuilder<boolean> =>
  sql`password_links.hash = ${hash} and password_links.expires_at > now()
    and users.kind = 'user' and ${IS_ACTIVE}`;

export async function findLink(
  db: Reader,
  hash: Buffer,
): Promise<(PasswordLink & { username: string | null }) | undefined> {
  const { rows } = await sql<PasswordLink & { username: string | null }>`
    select users.id, users.name, users.username, users.email,
      ${selectUserName(sql`password_links.created_by_user_id`)} as "createdBy",
      (select jsonb_build_object('id', roles.id, 'name', roles.name, 'type', roles.type, 'description', roles.description)
       from user_roles join roles on roles.id = role_id
       where user_id = users.id and user_roles.project is null) as role
    from password_links join users on users.id = password_links.user_id
    where ${isValid(hash)}`.execute(db);
  return rows[0];
}

/** Deletes a valid link and returns its user. The second of two concurrent calls returns undefined. */
export async function deleteValidLink(tx: Tx, hash: Buffer): Promise<number | undefined> {
  const { rows } = await sql<{ userId: number }>`
    delete from password_links using users
    where users.id = password_links.user_id and ${isValid(hash)}
    returning user_id as "userId"`.execute(tx);
  return rows[0]?.userId;
}
