import { type RawBuilder, sql } from 'kysely';
import { SESSION_IDLE } from '../../access/store.ts';
import type { Db, Reader, Tx } from '../../platform/db/database.ts';
import { KNOWN_NETWORK_DAYS, type LimitScope, LOGIN_LIMITS, REVOKED_TOKEN_DAYS } from './limits.ts';
import type { Session } from './schema.ts';

export type LoginAccount = {
  id: number;
  name: string | null;
  username: string | null;
  email: string | null;
  passwordHash: string | null;
};

/** The username or email address as typed, and the network of the client. */
export type LoginAttempt = { login: string; network: string };

/**
 * Returns the key of a counter, which is a hash. Callers convert the login to lower case in PostgreSQL, as they do to find the
 * user, so that two spellings share a counter.
 */
export const counterKey = (...parts: RawBuilder<unknown>[]) =>
  sql`sha256(convert_to(${sql.join(parts, sql` || chr(10) || `)}, 'UTF8'))`;

const daysInterval = (count: number) => sql`make_interval(days => ${sql.lit(count)})`;

/** Selects the keys and limits of the three counters of an attempt. */
const counters = ({ login, network }: LoginAttempt) => {
  const [account, address] = [sql`lower(${login}::text)`, sql`${network}::text`];
  const keys = {
    place: counterKey(account, address),
    address: counterKey(address),
    account: counterKey(account),
  };
  const rows = (Object.keys(keys) as LimitScope[]).map(
    scope =>
      sql`(${sql.lit(scope)}, ${keys[scope]}, ${sql.lit(LOGIN_LIMITS[scope].failures)},
        make_interval(mins => ${sql.lit(LOGIN_LIMITS[scope].minutes)}))`,
  );
  return sql`(values ${sql.join(rows)}) as counter (scope, key, allowed, lasts)`;
};

export const SECONDS_LEFT = sql`ceil(extract(epoch from ends_at - now()))::integer`;

export type FoundLogin = {
  account: LoginAccount | null;
  /** Whether the user has logged in from this network before. */
  known: boolean;
  /**
   * Seconds until the limits allow an attempt. Null if they allow it now. The value does not depend on whether the network is
   * known.
   */
  blockedFor: number | null;
  /** Whether the limit of this account at this network is reached. This limit also applies at a known network. */
  blockedHere: boolean;
};

/** Finds the user by email address or username, and whether the limits allow the attempt. Writes nothing. */
export async function findLogin(db: Reader, attempt: LoginAttempt): Promise<FoundLogin> {
  const { rows } = await sql<FoundLogin>`
    with account as (
      select id, name, username, email, password_hash as "passwordHash"
      from users
      where kind = 'user' and deleted_at is null
        and (lower(email) = lower(${attempt.login}) or lower(username) = lower(${attempt.login}))
      order by lower(email) = lower(${attempt.login}) is true desc
      limit 1
    ), place as (
      select exists (
        select from account join login_places on user_id = account.id
        where address = ${attempt.network} and seen_at > now() - ${daysInterval(KNOWN_NETWORK_DAYS)}
      ) as known
    )
    select (select to_jsonb(account) from account) as account, known, blocks.*
    from place cross join (
      select max(${SECONDS_LEFT}) as "blockedFor", coalesce(bool_or(scope = 'place'), false) as "blockedHere"
      from login_failures join ${counters(attempt)} using (scope, key)
      where ends_at > now() and failures >= allowed
    ) as blocks`.execute(db);
  return rows[0] ?? { account: null, known: false, blockedFor: null, blockedHere: false };
}

export type FailureCount = { scope: LimitScope; failures: number; allowed: number; secondsLeft: number };

/** Increments a counter, or restarts it at 1 if its window has ended. */
export const INCREMENT_COUNTER = sql`
  on conflict (scope, key) do update set
    failures = case when old.ends_at > now() then old.failures + 1 else 1 end,
    ends_at = case when old.ends_at > now() then old.ends_at else excluded.ends_at end
  returning scope, failures, ends_at`;

/**
 * Counts an attempt before its password is compared. This is one statement, so that concurrent servers cannot exceed a limit. An
 * attempt that the limit of its IP address blocks does not count against the account.
 */
export async function countAttempt(
  db: Db,
  attempt: LoginAttempt,
  placeOnly = false,
): Promise<FailureCount[]> {
  const { rows } = await sql<FailureCount>`
    with counter as (select * from ${counters(attempt)}),
    near as (
      insert into login_failures as old (scope, key, failures, ends_at)
      select scope, key, 1, now() + lasts from counter
      where scope = 'place' or (scope = 'address' and not ${placeOnly})
      order by scope desc
      ${INCREMENT_COUNTER}
    ), everywhere as (
      insert into login_failures as old (scope, key, failures, ends_at)
      select scope, key, 1, now() + lasts from counter
      where scope = 'account' and not ${placeOnly}
        and not exists (select from near join counter using (scope) where failures > allowed)
      ${INCREMENT_COUNTER}
    )
    select scope, failures, allowed, ${SECONDS_LEFT} as "secondsLeft"
    from (table near union all table everywhere) as counted join counter using (scope)`.execute(db);
  return rows;
}

/**
 * Reverts the count of an attempt that did not fail. A correct password also reverts the earlier failures of the account at this
 * network.
 */
export async function uncountAttempt(
  db: Db,
  attempt: LoginAttempt,
  scopes: LimitScope[],
  isCorrect: boolean,
): Promise<void> {
  await sql`
    with held as (
      select scope, key, failures from login_failures join ${counters(attempt)} using (scope, key)
      where scope = any(${scopes})
      order by scope desc
      for update of login_failures
    )
    update login_failures set failures = greatest(
      login_failures.failures - coalesce(case when ${isCorrect} then (select failures from held where scope = 'place') end, 1), 0)
    from held where login_failures.scope = held.scope and login_failures.key = held.key`.execute(db);
}

/** Deletes the counters of failed logins of the user at the network, by username and by email address. */
export async function deleteFailuresAt(tx: Tx, userId: number, network: string): Promise<void> {
  await sql`
    delete from login_failures
    where scope = 'place' and key in (
      select ${counterKey(sql`lower(login)`, sql`${network}::text`)}
      from users cross join unnest(array[username, email]) as login
      where users.id = ${userId} and login is not null
    )`.execute(tx);
}

export async function upsertKnownNetwork(tx: Tx, userId: number, network: string): Promise<void> {
  await sql`
    insert into login_places (user_id, address) values (${userId}, ${network})
    on conflict (user_id, address) do update set seen_at = now()`.execute(tx);
}

export async function deleteKnownNetworks(tx: Tx, userId: number): Promise<void> {
  await tx.deleteFrom('login_places').where('user_id', '=', userId).execute();
}

/** Locks the user and returns the current hash of the password, and whether the user is deactivated. */
export async function lockPasswordHash(
  tx: Tx,
  userId: number,
): Promise<{ passwordHash: string | null; deactivated: boolean } | undefined> {
  return await tx
    .selectFrom('users')
    .select(['password_hash as passwordHash', sql<boolean>`deactivated_at is not null`.as('deactivated')])
    .where('id', '=', userId)
    .where('kind', '=', 'user')
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
}

/** Replaces the hash of a password with a hash of the same password with the current parameters. */
export async function replaceHash(db: Db, userId: number, oldHash: string, newHash: string): Promise<void> {
  await db
    .updateTable('users')
    .set({ password_hash: newHash })
    .where('id', '=', userId)
    .where('password_hash', '=', oldHash)
    .execute();
}

export type NewSession = {
  userId: number;
  hash: Buffer;
  method: string;
  ip: string;
  userAgent: string | null;
  days: number;
};

export async function insertSession(tx: Tx, session: NewSession): Promise<void> {
  await sql`
    insert into sessions (user_id, hash, method, ip, user_agent, expires_at)
    values (${session.userId}, ${session.hash}, ${session.method}, ${session.ip}, ${session.userAgent},
      now() + ${daysInterval(session.days)})`.execute(tx);
  await sql`update users set seen_at = now() where id = ${session.userId}`.execute(tx);
}

/** Deletes all sessions of a user except the `keep` most recently used ones. */
export async function deleteOldestSessions(tx: Tx, userId: number, keep: number): Promise<void> {
  await sql`
    delete from sessions where id in (
      select id from sessions where user_id = ${userId} order by seen_at desc, id desc offset ${keep}
    )`.execute(tx);
}

const IS_ALIVE = sql<boolean>`expires_at > now() and seen_at > now() - ${SESSION_IDLE}`;

export async function listSessions(db: Reader, userId: number, currentId: number | null): Promise<Session[]> {
  const { rows } = await sql<Session>`
    select id, method, ip, user_agent as "userAgent", created_at as "createdAt", seen_at as "seenAt",
      expires_at as "expiresAt", id is not distinct from ${currentId}::integer as current
    from sessions where user_id = ${userId} and ${IS_ALIVE}
    order by seen_at desc, id desc`.execute(db);
  return rows;
}

export async function deleteSession(tx: Tx, userId: number, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('sessions')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

export async function deleteSessionByHash(db: Db | Tx, hash: Buffer): Promise<void> {
  await db.deleteFrom('sessions').where('hash', '=', hash).execute();
}

/** Returns the number of deleted sessions. */
export async function deleteUserSessions(tx: Tx, userIds: number[]): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('sessions')
    .where(sql<boolean>`user_id = any(${userIds})`)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/**
 * Deletes expired sessions, counters, known networks, links, finished logins and hashes of revoked tokens. Returns the number of
 * deleted rows.
 */
export async function deleteExpired(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with ended as (delete from sessions where not (${IS_ALIVE}) returning 1),
    counters as (delete from login_failures where ends_at < now() returning 1),
    places as (delete from login_places where seen_at < now() - ${daysInterval(KNOWN_NETWORK_DAYS)} returning 1),
    links as (delete from password_links where expires_at < now() returning 1),
    attempts as (delete from sso_finished_logins where expires_at < now() returning 1),
    revoked as (delete from revoked_tokens where revoked_at < now() - ${daysInterval(REVOKED_TOKEN_DAYS)} returning 1)
    select count(*) from (table ended union all table counters union all table places union all table links
      union all table attempts union all table revoked) as gone`.execute(db);
  return rows[0]?.count ?? 0;
}
