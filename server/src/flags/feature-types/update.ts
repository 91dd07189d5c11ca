import { notFound } from '../../../../plane/src/platform/errors.ts';
import type { Change } from '../../record/change.ts';
import type { FeatureType } from './schema.ts';
import { lockFeatureType, updateLifetime } from './store.ts';

/** Sets the lifetime of a feature type. 0 and null both mean that its features never become potentially stale. */
export async function changeLifetime(
  { tx, record }: Change,
  id: string,
  days: number | null,
): Promise<FeatureType> {
  const before = await lockFeatureType(tx, id);
  if (!before) throw notFound(`Feature type "${id}"`);
  const after = { ...before, lifetimeDays: days || null };
  if (after.lifetimeDays === before.lifetimeDays) return before;

  await updateLifetime(tx, id, after.lifetimeDays);
  record({ type: 'feature-type-updated', data: after, preData: before });
  return after;
}
