import { sql } from 'kysely';
import { lockRows } from '../flags/feature-rows/store.ts';
import type { Feature } from '../flags/features/schema.ts';
import { listFeatures } from '../flags/features/state/store.ts';
import type { Actor } from '../platform/actor.ts';
import type { Reader, Tx } from '../platform/db/database.ts';

export { listFeatures };

/** Returns the id of each feature's newest event, or 0. The id reveals that a feature was changed and changed back. */
export async function findNewestEventIds(db: Reader, featureNames: string[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ name: string; id: number }>`
    select name, coalesce((select max(id) from events where feature_name = name), 0) as id
    from unnest(${featureNames}::text[]) as name`.execute(db);
  return new Map(rows.map(({ name, id }) => [name, id]));
}

/** Locks the features, in one statement, and reads them. */
export async function lockFeatures(
  tx: Tx,
  actor: Actor,
  project: string,
  names: string[],
): Promise<Feature[]> {
  await lockRows(tx, project, names);
  return await listFeatures(tx, actor, project, names);
}
