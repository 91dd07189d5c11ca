import { isDeepStrictEqual } from 'node:util';
import { applyPatch, type JsonPatch } from '../../platform/http/input/patch.ts';
import type { Change } from '../../record/change.ts';
import { lockActiveFeature } from '../feature-rows/lock.ts';
import type { FeatureRow } from '../feature-rows/schema.ts';
import { asEventData } from './create.ts';
import { type FeatureUpdate, PatchedFeature } from './schema.ts';
import { updateFeatures } from './store.ts';

/** Changes the given fields. An update that changes nothing writes nothing. */
export async function changeFeature(
  current: Change,
  project: string,
  name: string,
  update: FeatureUpdate | ((before: FeatureRow) => FeatureUpdate),
): Promise<void> {
  const before = await lockActiveFeature(current.tx, project, name);
  await updateLocked(current, [{ before, update: typeof update === 'function' ? update(before) : update }]);
}

/** Part of a change that locked the features. */
export async function updateLocked(
  { tx, record }: Change,
  updates: { before: FeatureRow; update: FeatureUpdate }[],
): Promise<void> {
  const changing = updates
    .map(({ before, update }) => ({ before, after: updated(before, update) }))
    .filter(({ before, after }) => !isDeepStrictEqual(after, before));
  if (changing.length === 0) return;
  await updateFeatures(
    tx,
    changing.map(({ after: { name, type, description, impressionData, stale } }) => ({
      name,
      type,
      ...(description === undefined ? {} : { description }),
      impressionData,
      stale,
    })),
  );
  for (const { before, after } of changing) {
    const about = { project: before.project, featureName: before.name };
    // Stale has its own events. One event covers the other fields.
    if (!isDeepStrictEqual({ ...after, stale: before.stale }, before)) {
      const [data, preData] = [asEventData(after), asEventData(before)];
      record({ type: 'feature-metadata-updated', ...about, data, preData });
    }
    if (after.stale !== before.stale)
      record({ type: after.stale ? 'feature-stale-on' : 'feature-stale-off', ...about });
  }
}

function updated(
  before: FeatureRow,
  { type, description, impressionData, stale }: FeatureUpdate,
): FeatureRow {
  const { description: previous, ...rest } = before;
  const text = description === undefined ? previous : description;
  return {
    ...rest,
    ...(typeof text === 'string' ? { description: text } : {}),
    type: type ?? before.type,
    impressionData: impressionData ?? before.impressionData,
    stale: stale ?? before.stale,
  };
}

/** Updates a feature by a JSON Patch of the fields that an update can contain. */
export async function patchFeature(
  current: Change,
  project: string,
  name: string,
  patch: JsonPatch,
): Promise<void> {
  await changeFeature(current, project, name, ({ type, description = null, impressionData, stale }) => ({
    description: null,
    ...applyPatch({ type, description, impressionData, stale }, patch, PatchedFeature),
  }));
}
