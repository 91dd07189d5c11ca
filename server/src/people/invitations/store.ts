import { type RawBuilder, sql } from 'kysely';
import { ROOT_ROLES } from '../../access/roles.ts';
import type { Reader, Tx } from '../../platform/db/database.ts';
import { selectUserName } from '../../record/actor-names.ts';
import type { SignupToken } from './schema.ts';

const TOKEN = sql`
  signup_tokens.id, signup_tokens.name, signup_tokens.hint as secret, null as url, signup_tokens.enabled,
  signup_tokens.expires_at as "expiresAt", signup_tokens.created_at as "createdAt",
  ${selectUserName(sql`signup_tokens.created_by_user_id`)} as "createdBy",
  coalesce((
    select jsonb_agg(jsonb_build_object('id', users.id, 'name', users.name, 'username', users.username, 'email', users.email)
      order by users.id)
    from signup_token_users join users on users.id = user_id
    where token_id = signup_tokens.id and users.deleted_at is null
  ), '[]') as users,
  (select jsonb_build_object('id', id, 'name', name, 'type', type, 'description', description)
   from roles where id = ${sql.lit(ROOT_ROLES.Viewer)}) as role`;

/** The hash of the token, or its id. */
export type SignupTokenKey = { hash: Buffer } | { id: number };

const hasKey = (key: SignupTokenKey): RawBuilder<boolean> =>
  'id' in key ? sql`signup_tokens.id = ${key.id}` : sql`signup_tokens.hash = ${key.hash}`;

export async function listSignupTokens(db: Reader): Promise<SignupToken[]> {
  const { rows } = await sql<SignupToken>`select ${TOKEN} from signup_tokens order by id`.execute(db);
  return rows;
}

export async function findSignupToken(db: Reader, key: SignupTokenKey): Promise<SignupToken | undefined> {
  const { rows } = await sql<SignupToken>`
    select ${TOKEN} from signup_tokens where ${hasKey(key)}`.execute(db);
  return rows[0];
}

/** Locks the token and returns it. */
export async function lockSignupToken(tx: Tx, key: SignupTokenKey): Promise<SignupToken | undefined> {
  await sql`select from signup_tokens where ${hasKey(key)} for update`.execute(tx);
  return await findSignupToken(tx, key);
}

const IS_OPEN = sql<boolean>`enabled and expires_at > now()`;

export async function isOpenLink(db: Reader, hash: Buffer): Promise<boolean> {
  const { rows } = await sql`select from signup_tokens where hash = ${hash} and ${IS_OPEN}`.execute(db);
  return rows.length === 1;
}

/**
 * Returns the token if it is enabled and not expired. The lock is shared, so others can still sign up, but nobody can disable the
 * link until the transaction ends.
 */
export async function lockOpenToken(tx: Tx, hash: Buffer): Promise<{ id: number; name: string } | undefined> {
  const { rows } = await sql<{ id: number; name: string }>`
    select id, name from signup_tokens where hash = ${hash} and ${IS_OPEN} for share`.execute(tx);
  return rows[0];
}

export async function insertSignupToken(
  tx: Tx,
  token: { hash: Buffer; hint: string; name: string; expiresAt: string; createdByUserId: number },
): Promise<number> {
  const { id } = await tx
    .insertInto('signup_tokens')
    .values({
      hash: token.hash,
      hint: token.hint,
      name: token.name,
      expires_at: token.expiresAt,
      created_by_user_id: token.createdByUserId,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export async function updateSignupToken(
  tx: Tx,
  token: Pick<SignupToken, 'id' | 'enabled' | 'expiresAt'>,
): Promise<void> {
  await tx
    .updateTable('signup_tokens')
    .set({ enabled: token.enabled, expires_at: token.expiresAt })
    .where('id', '=', token.id)
    .execute();
}

export async function insertSignup(tx: Tx, tokenId: number, userId: number): Promise<void> {
  await tx.insertInto('signup_token_users').values({ token_id: tokenId, user_id: userId }).execute();
}
