import { sql } from 'kysely';
import { accessOf, isReadable } from '../../access/store.ts';
import type { Actor, Claim } from '../../platform/actor.ts';
import type { Db, Reader, Tx } from '../../platform/db/database.ts';
import { MAX_STORED_BYTES } from './limits.ts';

/** After this time a key can be reused. */
const KEPT = sql`interval '24 hours'`;

/** After this time, a run that is neither settled nor has a response counts as abandoned. No request takes that long. */
const ABANDONED = sql`interval '1 minute'`;

const isOver = sql<boolean>`(claimed_at < now() - ${KEPT}
  or claimed_at < now() - ${ABANDONED} and settled_at is null and status is null)`;

/** The caller whose keys are counted together. */
export type Caller = { actor: Actor; owner: Buffer };

export type Usage = { keys: number; secondsLeft: number };

/** Returns how many keys the caller has used, including this one; undefined if the key is known already. */
export async function insertClaim(
  db: Db,
  { key, run }: Claim,
  request: Buffer,
  { actor, owner }: Caller,
): Promise<Usage | undefined> {
  const { rows } = await sql<Usage>`
    with claimed as (
      insert into idempotency_keys (key_hash, request_hash, run, access)
      values (${key}, ${request}, ${run}, ${accessOf(actor)})
      on conflict (key_hash) do nothing
      returning 1
    ), counted as (
      insert into idempotency_usage as old (owner, keys, ends_at)
      select ${owner}::bytea, 1, now() + ${KEPT} from claimed
      on conflict (owner) do update set
        keys = case when old.ends_at > now() then old.keys + 1 else 1 end,
        bytes = case when old.ends_at > now() then old.bytes else 0 end,
        ends_at = case when old.ends_at > now() then old.ends_at else excluded.ends_at end
      returning keys, ends_at
    )
    select keys, ceil(extract(epoch from ends_at - now()))::integer as "secondsLeft" from counted`.execute(
    db,
  );
  return rows[0];
}

export type KnownKey = {
  request: Buffer;
  run: string;
  /** Expired, or abandoned before anything was changed. */
  over: boolean;
  settled: boolean;
  status: number | null;
  body: string | null;
  /** The caller may still do and read everything that they could when the response was stored. */
  permitted: boolean;
};

export async function findKey(db: Reader, key: Buffer, actor: Actor): Promise<KnownKey | undefined> {
  const { rows } = await sql<KnownKey>`
    select request_hash as request, run, status, body, ${isOver} as over, settled_at is not null as settled,
      access <@ ${accessOf(actor)} and not exists (
        select from projects where private_since >= claimed_at and not ${isReadable(actor)}
      ) as permitted
    from idempotency_keys where key_hash = ${key}`.execute(db);
  return rows[0];
}

/**
 * Takes over a key from a run that has ended. Returns false if another request was faster, or if the run has settled meanwhile.
 */
export async function takeOver(
  db: Db,
  { key, run }: Claim,
  request: Buffer,
  actor: Actor,
  from: string,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update idempotency_keys set request_hash = ${request}, run = ${run}, access = ${accessOf(actor)},
      claimed_at = now(), settled_at = null, status = null, body = null
    where key_hash = ${key} and run = ${from} and ${isOver}`.execute(db);
  return numAffectedRows === 1n;
}

/** Marks the request as carried out. Returns false if another run took over the key. */
export async function settleClaim(tx: Tx, claim: Claim): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('idempotency_keys')
    .set({ settled_at: sql<string>`now()` })
    .where(isOf(claim))
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/**
 * Stores a response, if the caller has not stored too much; returns whether it did. The access at the beginning and at the end
 * both count: the request itself may have granted a role, or somebody may have revoked one meanwhile.
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
    update idempotency_keys set status = ${status}, body = ${body}, access = access || ${accessOf(actor)}
    where ${isOf(claim)} and exists (select from room)`.execute(db);
  return numAffectedRows === 1n;
}

/** Releases the key, unless the request was carried out. */
export async function deleteClaim(db: Db, claim: Claim): Promise<void> {
  await db.deleteFrom('idempotency_keys').where(isOf(claim)).where('settled_at', 'is', null).execute();
}

const isOf = ({ key, run }: Claim) => sql<boolean>`key_hash = ${key} and run = ${run}`;

/** Deletes expired keys and counters. Returns the number of keys. */
export async function deleteExpired(db: Db): Promise<number> {
  await db.deleteFrom('idempotency_usage').where(sql<boolean>`ends_at < now()`).execute();
  const { numDeletedRows } = await db
    .deleteFrom('idempotency_keys')
    .where(sql<boolean>`claimed_at < now() - ${KEPT}`)
    .executeTakeFirst();
  return Number(numDeletedRows);
}
