import { sql } from 'kysely';
import type { Reader, Tx } from '../../platform/db/database.ts';
import type { FeatureType } from './schema.ts';

const FEATURE_TYPE = sql`id, name, description, lifetime_days as "lifetimeDays"`;

/**
 * Selects features that are not marked as stale and are older than their type's lifetime. The query must join `features` with
 * `feature_types`.
 */
export const isPotentiallyStale = (now: Date) => sql<boolean>`(
  not features.stale
  and coalesce(features.created_at <= ${now}::timestamptz - feature_types.lifetime_days * interval '1 day', false)
)`;

export async function listFeatureTypes(db: Reader): Promise<FeatureType[]> {
  const { rows } =
    await sql<FeatureType>`select ${FEATURE_TYPE} from feature_types order by name, id`.execute(db);
  return rows;
}

export async function findFeatureType(db: Reader, id: string): Promise<FeatureType | undefined> {
  const { rows } = await sql<FeatureType>`
    select ${FEATURE_TYPE} from feature_types where id = ${id}`.execute(db);
  return rows[0];
}

/** Locks the feature type against updates. Features can still refer to it. */
export async function lockFeatureType(tx: Tx, id: string): Promise<FeatureType | undefined> {
  const { rows } = await sql<FeatureType>`
    select ${FEATURE_TYPE} from feature_types where id = ${id} for no key update`.execute(tx);
  return rows[0];
}

export async function updateLifetime(tx: Tx, id: string, lifetimeDays: number | null): Promise<void> {
  await tx.updateTable('feature_types').set({ lifetime_days: lifetimeDays }).where('id', '=', id).execute();
}
