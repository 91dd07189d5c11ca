import { notFound } from '@halyard/plane/platform/errors.ts';
import type { Change } from '../../record/change.ts';
import type { FeatureType } from './schema.ts';
import { lockFeatureType, updateLifetime } from './store.ts';

/** Sets the lifetime of a feature type. 0 and null both mean that its features never become potentially stale. */
export async function changeLifetime(
  { tx, record }: Change,
  id: string,
  days: number | null,
): Promise<FeatureType> {
  const typeBefore = await lockFeatureType(tx, id);
  if (!typeBefore) throw notFound(`Feature type "${id}"`);
  const typeAfter = { ...typeBefore, lifetimeDays: days || null };
  if (typeAfter.lifetimeDays === typeBefore.lifetimeDays) return typeBefore;

  await updateLifetime(tx, id, typeAfter.lifetimeDays);
  record({ type: 'feature-type-updated', data: typeAfter, preData: typeBefore });
  return typeAfter;
}
