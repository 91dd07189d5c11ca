import type { Actor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { notFound } from '../../platform/errors.ts';
import { change } from '../../record/change.ts';
import type { FeatureType } from './schema.ts';
import { lockFeatureType, updateLifetime } from './store.ts';

/** Sets the lifetime of a feature type; 0 and null both mean that its features never get stale by age. */
export async function changeLifetime(
  db: Db,
  actor: Actor,
  id: string,
  days: number | null,
): Promise<FeatureType> {
  return await change(db, actor, async ({ tx, record }) => {
    const before = await lockFeatureType(tx, id);
    if (!before) throw notFound(`Feature type ${id}`);
    const after = { ...before, lifetimeDays: days || null };
    if (after.lifetimeDays === before.lifetimeDays) return before;

    await updateLifetime(tx, id, after.lifetimeDays);
    record({ type: 'feature-type-updated', data: after, preData: before });
    return after;
  });
}
