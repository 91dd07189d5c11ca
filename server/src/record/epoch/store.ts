import { sql } from 'kysely';
import type { Db, Reader } from '../../platform/db/database.ts';
import { PREPARED } from '../../platform/db/prepared-statements.ts';

/** The parts of an epoch. The database has a new epoch when any of them changes. */
export type Epoch = {
  /** An id of ten characters, which is the same for all servers on the database. */
  id: string;
  systemIdentifier: string;
  timeline: string;
  database: number;
  postmasterStartedAt: string;
  /** Changes when the tables are restored from a dump. */
  files: number | null;
  number: number;
  /** Why the number was last changed. */
  reason: string | null;
};

/** The id, for statements that return rows together with the epoch of the same snapshot. */
export const EPOCH_ID = sql<string>`(select id from database_epoch)`;

/** The whole epoch, as JSON. */
export const EPOCH = sql`(
  select json_build_object(
    'id', id, 'systemIdentifier', system_identifier, 'timeline', timeline, 'database', database,
    'postmasterStartedAt', postmaster_started_at, 'files', files, 'number', number, 'reason', reason
  ) from database_epoch
)`.$castTo<Epoch>();

/**
 * Returns the id of the current epoch. Everything that was read earlier in the same epoch is still valid. The function fails on a
 * standby.
 */
export async function readEpoch(db: Reader): Promise<string> {
  const { rows } = await sql<{
    id: string;
  }>`select ${PREPARED} id from database_epoch where id is not null`.execute(db);
  const [epoch] = rows;
  if (!epoch) throw new Error('The table sdk_epoch has no row');
  return epoch.id;
}

/**
 * Changes the number of the epoch. The new number is random, because a backup that is restored twice contains the same number both
 * times. With a precondition, the number is changed only if no other server has changed it since it was read, and the epoch is at
 * least this many hours old.
 */
export async function updateEpoch(
  db: Db,
  reason: string,
  precondition: { number: number; hours: number } | undefined,
): Promise<void> {
  await sql`
    update sdk_epoch set number = floor(random() * 2147483647), reason = ${reason}, started_at = now()
    where ${precondition === undefined} or (
      number = ${precondition?.number ?? 0}
      and coalesce(started_at <= now() - ${precondition?.hours ?? 0} * interval '1 hour', true)
    )`.execute(db);
}
