import { sql } from 'kysely';
import type { Claim } from '../actor.ts';
import type { Db, Reader, Tx } from '../db/database.ts';

/** After this time a key may be used anew. */
const KEPT = sql`interval '24 hours'`;

/** After this time a run that neither settled nor answered is taken for dead; no request takes that long. */
const ABANDONED = sql`interval '1 minute'`;

const isOver = sql<boolean>`(claimed_at < now() - ${KEPT}
  or claimed_at < now() - ${ABANDONED} and settled_at is null and status is null)`;

/** Returns false if the key is known already. */
export async function insertClaim(db: Db, { key, run }: Claim, request: Buffer): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('idempotency_keys')
    .values({ key_hash: key, request_hash: request, run })
    .onConflict(conflict => conflict.column('key_hash').doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

export type KnownKey = {
  request: Buffer;
  run: string;
  /** Expired, or abandoned before anything was changed. */
  over: boolean;
  settled: boolean;
  status: number | null;
  body: string | null;
};

export async function findKey(db: Reader, key: Buffer): Promise<KnownKey | undefined> {
  return await db
    .selectFrom('idempotency_keys')
    .select(['request_hash as request', 'run', 'status', 'body', isOver.as('over')])
    .select(sql<boolean>`settled_at is not null`.as('settled'))
    .where('key_hash', '=', key)
    .executeTakeFirst();
}

/** Takes a key from a run that is over; returns false if another was quicker, or the run has settled meanwhile. */
export async function takeOver(db: Db, { key, run }: Claim, request: Buffer, from: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('idempotency_keys')
    .set({
      request_hash: request,
      run,
      claimed_at: sql<string>`now()`,
      settled_at: null,
      status: null,
      body: null,
    })
    .where('key_hash', '=', key)
    .where('run', '=', from)
    .where(isOver)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Part of the change: the request was carried out. Returns false if another run has taken the key. */
export async function settleClaim(tx: Tx, claim: Claim): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('idempotency_keys')
    .set({ settled_at: sql<string>`now()` })
    .where(isOf(claim))
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function storeAnswer(db: Db, claim: Claim, status: number, body: string | null): Promise<void> {
  await db.updateTable('idempotency_keys').set({ status, body }).where(isOf(claim)).execute();
}

/** Gives the key back, unless the request was carried out. */
export async function deleteClaim(db: Db, claim: Claim): Promise<void> {
  await db.deleteFrom('idempotency_keys').where(isOf(claim)).where('settled_at', 'is', null).execute();
}

const isOf = ({ key, run }: Claim) => sql<boolean>`key_hash = ${key} and run = ${run}`;

/** Returns how many there were. */
export async function deleteExpired(db: Db): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('idempotency_keys')
    .where(sql<boolean>`claimed_at < now() - ${KEPT}`)
    .executeTakeFirst();
  return Number(numDeletedRows);
}
