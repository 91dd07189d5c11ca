import { sql } from 'kysely';
import { IS_ACTIVE, IS_ADMIN } from '../../access/store.ts';
import type { Db, Reader, Tx } from '../../platform/db/database.ts';
import { counterKey, INCREMENT_COUNTER, SECONDS_LEFT } from '../sessions/store.ts';
import { type AdminLogins, type AdminLoginsQuery, MAX_ADMINS } from './schema.ts';

/** Returns whether the attempt is neither finished nor expired by the database clock. */
export async function isUnfinishedAttempt(db: Reader, hash: Buffer, expiresAt: Date): Promise<boolean> {
  const { rows } = await sql`
    select where ${expiresAt}::timestamptz > now()
      and not exists (select from sso_finished_logins where hash = ${hash})`.execute(db);
  return rows.length > 0;
}

/**
 * Marks an attempt as finished. Returns true for the first of several concurrent calls, and false for an expired attempt, whose row
 * may have been deleted.
 */
export async function insertFinishedAttempt(tx: Tx, hash: Buffer, expiresAt: Date): Promise<boolean> {
  const { rows } = await sql`
    insert into sso_finished_logins (hash, expires_at)
    select ${hash}::bytea, ${expiresAt}::timestamptz where ${expiresAt}::timestamptz > now()
    on conflict do nothing returning 1`.execute(tx);
  return rows.length > 0;
}

/** Returns the key of a network's counter, which is separate from the counter for failed passwords. */
const networkCounterKey = (network: string) => counterKey(sql`'oidc'`, sql`${network}::text`);

/** Returns the seconds until the network may try again, or undefined if its limit is not reached. */
export async function findBlockedSeconds(
  db: Reader,
  network: string,
  max: number,
): Promise<number | undefined> {
  const { rows } = await sql<{ seconds: number }>`
    select ${SECONDS_LEFT} as seconds from login_failures
    where scope = 'address' and key = ${networkCounterKey(network)} and ends_at > now()
      and failures >= ${max}`.execute(db);
  return rows[0]?.seconds;
}

export async function countUnconfirmed(
  db: Db,
  network: string,
  minutes: number,
): Promise<{ failures: number; secondsLeft: number }> {
  const { rows } = await sql<{ failures: number; secondsLeft: number }>`
    with counted as (
      insert into login_failures as old (scope, key, failures, ends_at)
      values ('address', ${networkCounterKey(network)}, 1, now() + make_interval(mins => ${minutes}))
      ${INCREMENT_COUNTER}
    )
    select failures, ${SECONDS_LEFT} as "secondsLeft" from counted`.execute(db);
  return rows[0] ?? { failures: 1, secondsLeft: 0 };
}

export async function uncountUnconfirmed(db: Db, network: string): Promise<void> {
  await sql`
    update login_failures set failures = greatest(failures - 1, 0)
    where scope = 'address' and key = ${networkCounterKey(network)}`.execute(db);
}

/** The identity of a user at the provider. */
export type IdentityKey = { issuer: string; clientId: string; subject: string };

/** Serializes concurrent first logins of one identity. */
export async function lockIdentity(tx: Tx, { issuer, clientId, subject }: IdentityKey): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(
      hashtextextended(${[issuer, clientId, subject].join('\n')}, hashtext('sso')))`.execute(tx);
}

export type KnownIdentity = { userId: number; deleted: boolean };

export async function findIdentity(db: Reader, key: IdentityKey): Promise<KnownIdentity | undefined> {
  const { rows } = await sql<KnownIdentity>`
    select users.id as "userId", users.deleted_at is not null as deleted
    from sso_identities join users on users.id = user_id
    where issuer = ${key.issuer} and client_id = ${key.clientId} and subject = ${key.subject}`.execute(db);
  return rows[0];
}

/** Deletes all identities of the user except this one. */
export async function deleteOtherIdentities(tx: Tx, userId: number, key: IdentityKey): Promise<void> {
  await sql`
    delete from sso_identities
    where user_id = ${userId}
      and (issuer, client_id, subject) <> (${key.issuer}, ${key.clientId}, ${key.subject})`.execute(tx);
}

/** Finds the user with this email address, and whether an identity of the same provider is already linked to the user. */
export async function findUserByEmail(
  db: Reader,
  email: string,
  key: IdentityKey,
): Promise<{ id: number; isTaken: boolean } | undefined> {
  const { rows } = await sql<{ id: number; isTaken: boolean }>`
    select id, exists (
      select from sso_identities
      where user_id = users.id and issuer = ${key.issuer} and client_id = ${key.clientId}
    ) as "isTaken"
    from users
    where lower(email) = lower(${email}) and deleted_at is null and kind = 'user'`.execute(db);
  return rows[0];
}

/** Links the identity to the user. Replaces a link to a deleted user. */
export async function saveIdentity(tx: Tx, key: IdentityKey, userId: number): Promise<void> {
  await sql`
    insert into sso_identities (issuer, client_id, subject, user_id)
    values (${key.issuer}, ${key.clientId}, ${key.subject}, ${userId})
    on conflict on constraint sso_identities_pkey
    do update set user_id = excluded.user_id, created_at = now()`.execute(tx);
}

export type SignedInUser = {
  id: number;
  username: string | null;
  email: string | null;
  deactivated: boolean;
};

/** Locks the user, unless they are deleted. */
export async function lockSignedInUser(tx: Tx, id: number): Promise<SignedInUser | undefined> {
  const { rows } = await sql<SignedInUser>`
    select id, username, email, deactivated_at is not null as deactivated from users
    where id = ${id} and deleted_at is null and kind = 'user' for update`.execute(tx);
  return rows[0];
}

/**
 * Lists the active users with ADMIN, and how each can log in. If no issuer or client is given, identities of any issuer or client
 * count.
 */
export async function findAdminLogins(
  db: Reader,
  { issuer, clientId }: AdminLoginsQuery,
): Promise<AdminLogins> {
  const { rows } = await sql<AdminLogins>`
    with admins as (
      select users.id, users.name, users.username, users.email, users.password_hash is not null as password,
        exists (
          select from sso_identities
          where user_id = users.id and issuer = coalesce(${issuer ?? null}, issuer)
            and client_id = coalesce(${clientId ?? null}, client_id)
        ) as "singleSignOn"
      from users where users.kind = 'user' and ${IS_ACTIVE} and ${IS_ADMIN}
    )
    select count(*) as total, count(*) filter (where password) as password,
      count(*) filter (where "singleSignOn") as "singleSignOn",
      coalesce(
        (select jsonb_agg(to_jsonb(first) order by id) from (select * from admins order by id limit ${MAX_ADMINS}) as first),
        '[]') as admins
    from admins`.execute(db);
  return rows[0] ?? { admins: [], total: 0, password: 0, singleSignOn: 0 };
}
