import { sql } from 'kysely';
import { isReadable, roleHashes } from '../../access/store.ts';
import type { Actor, Claim } from '../../platform/actor.ts';
import type { Db, Reader, Tx } from '../../platform/db/database.ts';
import { MAX_STORED_BYTES } from './limits.ts';

/** After this time, a key can be reused. */
const KEY_LIFETIME = sql`interval '24 hours'`;

/** After this time, a run that has neither settled nor stored a response counts as abandoned, and a retry can take over its key. */
const ABANDONED_AFTER = sql`interval '1 minute'`;

const isOver = sql<boolean>`(claimed_at < now() - ${KEY_LIFETIME}
  or claimed_at < now() - ${ABANDONED_AFTER} and settled_at is null and status is null)`;

/** A caller. Keys with the same `owner` count toward the same limits. */
export type Caller = { actor: Actor; owner: Buffer };

export type Usage = { keys: number; secondsLeft: number };

/** Claims a new key. Returns how many keys the caller has used, including this one, or undefined if the key is already known. */
export async function insertClaim(
  db: Db,
  { key, run }: Claim,
  request: Buffer,
  { actor, owner }: Caller,
): Promise<Usage | undefined> {
  const { rows } = await sql<Usage>`
    with claimed as (
      insert into idempotency_keys (key_hash, request_hash, run, access)
      values (${key}, ${request}, ${run}, ${roleHashes(actor)})
      on conflict (key_hash) do nothing
      returning 1
    ), counted as (
      insert into idempotency_usage as old (owner, keys, ends_at)
      select ${owner}::bytea, 1, now() + ${KEY_LIFETIME} from claimed
      on conflict (owner) do update set
        keys = case when old.ends_at > now() then old.keys + 1 else 1 end,
        bytes = case when old.ends_at > now() then old.bytes else 0 end,
        ends_at = case when old.ends_at > now() then old.ends_at else excluded.ends_at end
      returning keys, ends_at
    )
    select keys, ceil(extract(epoch from ends_at - now()))::integer as "secondsLeft"
    from counted`.execute(db);
  return rows[0];
}

export type KnownKey = {
  request: Buffer;
  run: string;
  /** Whether the run has expired, or was abandoned before anything was changed. */
  isOver: boolean;
  isSettled: boolean;
  status: number | null;
  body: string | null;
  /** Whether the caller can still do and read everything that they could when the response was stored. */
  isPermitted: boolean;
};

export async function findKey(db: Reader, key: Buffer, actor: Actor): Promise<KnownKey | undefined> {
  const { rows } = await sql<KnownKey>`
    select request_hash as request, run, status, body, ${isOver} as "isOver", settled_at is not null as "isSettled",
      access <@ ${roleHashes(actor)} and not exists (
        select from projects where private_since >= claimed_at and not ${isReadable(actor)}
      ) as "isPermitted"
    from idempotency_keys where key_hash = ${key}`.execute(db);
  return rows[0];
}

/**
 * Takes over a key from a run that expired or was abandoned. Returns false if another request was faster, or if the run has settled
 * since it was read.
 */
export async function takeOver(
  db: Db,
  { key, run }: Claim,
  request: Buffer,
  actor: Actor,
  previousRun: string,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update idempotency_keys set request_hash = ${request}, run = ${run}, access = ${roleHashes(actor)},
      claimed_at = now(), settled_at = null, status = null, body = null
    where key_hash = ${key} and run = ${previousRun} and ${isOver}`.execute(db);
  return numAffectedRows === 1n;
}

/** Marks the request as carried out. Returns false if another run took over the key. */
export async function settleClaim(tx: Tx, claim: Claim): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('idempotency_keys')
    .set({ settled_at: sql<string>`now()` })
    .where(matchesClaim(claim))
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/**
 * Stores a response, unless the caller's storage is full. Returns whether the response was stored. A replay requires the caller's
 * access from the beginning and from the end of the request, because a role may have been granted or revoked in between.
 */
export async function storeResponse(
  db: Db,
  claim: Claim,
  { actor, owner }: Caller,
  { status, body }: { status: number; body: string | null },
): Promise<boolean> {
  const size = body === null ? 0 : Buffer.byteLength(body);
  const { numAffectedRows } = await sql`
    with room as (
      update idempotency_usage set bytes = bytes + ${size}
      where owner = ${owner} and (${size} = 0 or bytes + ${size} <= ${MAX_STORED_BYTES})
      returning 1
    )
    update idempotency_keys set status = ${status}, body = ${body}, access = access || ${roleHashes(actor)}
    where ${matchesClaim(claim)} and exists (select from room)`.execute(db);
  return numAffectedRows === 1n;
}

/** Releases the key, unless the request was carried out. */
export async function releaseClaim(db: Db, claim: Claim): Promise<void> {
  await db
    .deleteFrom('idempotency_keys')
    .where(matchesClaim(claim))
    .where('settled_at', 'is', null)
    .execute();
}

const matchesClaim = ({ key, run }: Claim) => sql<boolean>`key_hash = ${key} and run = ${run}`;

/** Deletes expired keys and counters. Returns the number of keys. */
export async function deleteExpiredKeys(db: Db): Promise<number> {
  await db.deleteFrom('idempotency_usage').where(sql<boolean>`ends_at < now()`).execute();
  const { numDeletedRows } = await db
    .deleteFrom('idempotency_keys')
    .where(sql<boolean>`claimed_at < now() - ${KEY_LIFETIME}`)
    .executeTakeFirst();
  return Number(numDeletedRows);
}
