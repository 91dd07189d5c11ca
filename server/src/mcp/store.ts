import { sql } from 'kysely';
import { lockRows } from '../flags/feature-rows/store.ts';
import type { Feature } from '../flags/features/schema.ts';
import { listFeatures } from '../flags/features/state/store.ts';
import type { Actor } from '../platform/actor.ts';
import type { Reader, Tx } from '../platform/db/database.ts';

/** The newest event about a feature. It distinguishes two states with the same content. */
export async function findNewestEvent(db: Reader, featureName: string): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    select coalesce(max(id), 0) as id from events where feature_name = ${featureName}`.execute(db);
  return rows[0]?.id ?? 0;
}

/** The features of a project by name. */
export const listFlags = (db: Reader, actor: Actor, project: string, names: string[]): Promise<Feature[]> =>
  listFeatures(db, actor, project, names);

/** Locks the features, in one statement, and reads them. */
export async function lockFlags(tx: Tx, actor: Actor, project: string, names: string[]): Promise<Feature[]> {
  await lockRows(tx, project, names);
  return await listFeatures(tx, actor, project, names);
}
