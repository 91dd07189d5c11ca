import { sql } from 'kysely';
import type { TokenScope } from '../../platform/actor.ts';
import type { Db, Reader, Tx } from '../../platform/db/database.ts';
import { CODE_SECONDS, DEVICE_CODE_LIMITS, DEVICE_CODE_TIMING } from './limits.ts';

/** A grant with its token. */
export type Grant = {
  tokenId: number;
  userId: number;
  clientId: string;
  isAgent: boolean;
  scope: TokenScope | null;
  secondsLeft: number;
  redirectUri: string | null;
  challenge: string | null;
  resource: string | null;
  isUsed: boolean;
  isCodeExpired: boolean;
  refreshHash: Buffer | null;
};

/** Returns the seconds until the time, capped at 68 years because more would overflow an integer. */
const secondsUntil = (time: string) =>
  sql<number>`least(floor(extract(epoch from ${sql.ref(time)} - now())), 2147483647)::integer`;

const selectGrants = (db: Reader) =>
  db
    .selectFrom('authorization_grants as granted')
    .innerJoin('personal_access_tokens as issued', 'issued.id', 'granted.token_id')
    .select([
      'issued.id as tokenId',
      'issued.user_id as userId',
      'issued.is_agent as isAgent',
      sql<TokenScope | null>`issued.scope`.as('scope'),
      secondsUntil('issued.expires_at').as('secondsLeft'),
      'granted.client_id as clientId',
      'granted.redirect_uri as redirectUri',
      'granted.code_challenge as challenge',
      'granted.resource',
      sql<boolean>`granted.activated_at is not null`.as('isUsed'),
      sql<boolean>`coalesce(granted.code_expires_at <= now(), false)`.as('isCodeExpired'),
      'granted.refresh_hash as refreshHash',
    ]);

export const findGrantByCode = async (db: Reader, hash: Buffer): Promise<Grant | undefined> =>
  await selectGrants(db).where('granted.code_hash', '=', hash).executeTakeFirst();

export const findGrantByFamily = async (db: Reader, hash: Buffer): Promise<Grant | undefined> =>
  await selectGrants(db).where('granted.family_hash', '=', hash).executeTakeFirst();

export const findGrantByToken = async (db: Reader, tokenId: number): Promise<Grant | undefined> =>
  await selectGrants(db).where('issued.id', '=', tokenId).executeTakeFirst();

/** Finds the grant of an access token. Returns undefined for tokens that were not granted to a client. */
export const findGrantByAccess = async (db: Reader, hash: Buffer): Promise<Grant | undefined> =>
  await selectGrants(db).where('issued.hash', '=', hash).executeTakeFirst();

export async function insertGrant(
  tx: Tx,
  grant: {
    tokenId: number;
    clientId: string;
    code?: { hash: Buffer; redirectUri: string; challenge: string; resource: string | null };
  },
): Promise<void> {
  const { code } = grant;
  await tx
    .insertInto('authorization_grants')
    .values({
      token_id: grant.tokenId,
      client_id: grant.clientId,
      code_hash: code?.hash ?? null,
      code_expires_at: code ? sql<string>`now() + make_interval(secs => ${CODE_SECONDS})` : null,
      redirect_uri: code?.redirectUri ?? null,
      code_challenge: code?.challenge ?? null,
      resource: code?.resource ?? null,
    })
    .execute();
}

/** Replaces the secret of a token. The caller holds the lock on the token's owner. */
export async function updateSecrets(
  tx: Tx,
  tokenId: number,
  secrets: { hash: Buffer; accessSeconds: number | null; refresh?: { family: Buffer; hash: Buffer } },
): Promise<void> {
  const { hash, accessSeconds, refresh } = secrets;
  await sql`
    with secret as (
      update personal_access_tokens
      set hash = ${hash}, secret_expires_at = now() + make_interval(secs => ${accessSeconds}::integer)
      where id = ${tokenId}
    )
    update authorization_grants
    set activated_at = coalesce(activated_at, now()), family_hash = ${refresh?.family ?? null},
      refresh_hash = ${refresh?.hash ?? null}
    where token_id = ${tokenId}`.execute(tx);
}

/**
 * Lists the tokens of grants that have ended or that no client fetched in time, with their owners. Without a user, lists
 * everybody's tokens.
 */
export async function listEndedGrants(
  db: Reader,
  userId?: number,
): Promise<{ id: number; userId: number }[]> {
  const { rows } = await sql<{ id: number; userId: number }>`
    select token.id, token.user_id as "userId"
    from authorization_grants as granted join personal_access_tokens as token on token.id = granted.token_id
    where (token.expires_at <= now()
        or granted.activated_at is null and granted.created_at < now() - make_interval(secs => ${DEVICE_CODE_TIMING.seconds}))
      ${userId === undefined ? sql`` : sql`and token.user_id = ${userId}`}
    order by token.user_id, token.id limit 1000`.execute(db);
  return rows;
}

/** Adds a device code, unless too many clients are waiting. Removes expired device codes. */
export async function insertDeviceCode(
  db: Db,
  device: { hash: Buffer; userCode: string; clientId: string; network: string; ip: string },
): Promise<boolean> {
  await deleteExpiredDeviceCodes(db);
  const { numAffectedRows = 0n } = await sql`
    insert into device_codes (hash, user_code, client_id, network, ip, expires_at, interval_seconds)
    select ${device.hash}, ${device.userCode}, ${device.clientId}, ${device.network}, ${device.ip},
      now() + make_interval(secs => ${DEVICE_CODE_TIMING.seconds}), ${DEVICE_CODE_TIMING.interval}
    where (select count(*) from device_codes where network = ${device.network}) < ${DEVICE_CODE_LIMITS.perNetwork}
      and (select count(*) from device_codes) < ${DEVICE_CODE_LIMITS.total}
    on conflict (user_code) do nothing`.execute(db);
  return numAffectedRows > 0n;
}

export async function deleteExpiredDeviceCodes(db: Db): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from device_codes where expires_at <= now() - interval '10 minutes'`.execute(db);
  return Number(numAffectedRows);
}

export type WaitingDevice = { clientId: string; ip: string };

/** Finds the client that waits for this user code. */
export async function findWaitingDevice(db: Reader, userCode: string): Promise<WaitingDevice | undefined> {
  return await db
    .selectFrom('device_codes')
    .select(['client_id as clientId', 'ip'])
    .where('user_code', '=', userCode)
    .where(sql<boolean>`expires_at > now() and denied_at is null and token_id is null`)
    .executeTakeFirst();
}

/**
 * Records the decision about a waiting client: a token, or null to deny. Returns false if somebody else has already decided, or
 * the code has expired.
 */
export async function decideDevice(tx: Tx, userCode: string, tokenId: number | null): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update device_codes
    set token_id = ${tokenId}, denied_at = case when ${tokenId}::integer is null then now() end
    where user_code = ${userCode} and expires_at > now() and denied_at is null
      and token_id is null`.execute(tx);
  return numAffectedRows > 0n;
}

export type Poll = {
  clientId: string;
  state: 'expired' | 'early' | 'denied' | 'pending' | 'granted';
  tokenId: number | null;
};

/** Records that the client polled. If it polls too soon, it must wait longer from now on. */
export async function pollDevice(db: Db, hash: Buffer, clientId: string): Promise<Poll | undefined> {
  const { rows } = await sql<Poll>`
    with polled as (
      select hash, coalesce(polled_at > now() - make_interval(secs => interval_seconds - 1), false) as early
      from device_codes where hash = ${hash} and client_id = ${clientId}
    )
    update device_codes as device
    set polled_at = now(), interval_seconds = least(${DEVICE_CODE_TIMING.maxInterval}::integer,
      device.interval_seconds + case when polled.early then ${DEVICE_CODE_TIMING.slowDown}::integer else 0 end)
    from polled where device.hash = polled.hash
    returning device.client_id as "clientId", device.token_id as "tokenId", case
      when device.expires_at <= now() then 'expired'
      when polled.early then 'early'
      when device.denied_at is not null then 'denied'
      when device.token_id is null then 'pending'
      else 'granted'
    end as state`.execute(db);
  return rows[0];
}

/** Deletes a device code that has been decided. Only one of several simultaneous requests gets true. */
export async function deleteDeviceCode(tx: Tx, hash: Buffer): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`delete from device_codes where hash = ${hash}`.execute(tx);
  return numAffectedRows > 0n;
}
