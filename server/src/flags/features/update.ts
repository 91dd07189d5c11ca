import { isDeepStrictEqual } from 'node:util';
import { applyPatch, type JsonPatch } from '../../platform/http/input/patch.ts';
import type { Change } from '../../record/change.ts';
import { lockActiveFeature } from '../feature-rows/lock.ts';
import type { FeatureRow } from '../feature-rows/schema.ts';
import { toEventData } from './create.ts';
import { type FeatureUpdate, PatchedFeature } from './schema.ts';
import { updateFeatures } from './store.ts';

/** Changes the given fields. An update that changes nothing writes nothing. */
export async function changeFeature(
  current: Change,
  project: string,
  name: string,
  update: FeatureUpdate | ((feature: FeatureRow) => FeatureUpdate),
): Promise<void> {
  const featureBefore = await lockActiveFeature(current.tx, project, name);
  await updateLockedFeatures(current, [
    { featureBefore, update: typeof update === 'function' ? update(featureBefore) : update },
  ]);
}

/** Updates features. The caller must have locked them. */
export async function updateLockedFeatures(
  { tx, record }: Change,
  updates: { featureBefore: FeatureRow; update: FeatureUpdate }[],
): Promise<void> {
  const changes = updates
    .map(({ featureBefore, update }) => ({ featureBefore, featureAfter: applyUpdate(featureBefore, update) }))
    .filter(({ featureBefore, featureAfter }) => !isDeepStrictEqual(featureAfter, featureBefore));
  if (changes.length === 0) return;
  await updateFeatures(
    tx,
    changes.map(({ featureAfter: { name, type, description, impressionData, stale } }) => ({
      name,
      type,
      ...(description === undefined ? {} : { description }),
      impressionData,
      stale,
    })),
  );
  for (const { featureBefore, featureAfter } of changes) {
    const subject = { project: featureBefore.project, featureName: featureBefore.name };
    // Changes to `stale` have their own events. A single event covers the other fields.
    if (!isDeepStrictEqual({ ...featureAfter, stale: featureBefore.stale }, featureBefore)) {
      const [data, preData] = [toEventData(featureAfter), toEventData(featureBefore)];
      record({ type: 'feature-metadata-updated', ...subject, data, preData });
    }
    if (featureAfter.stale !== featureBefore.stale)
      record({ type: featureAfter.stale ? 'feature-stale-on' : 'feature-stale-off', ...subject });
  }
}

function applyUpdate(
  feature: FeatureRow,
  { type, description, impressionData, stale }: FeatureUpdate,
): FeatureRow {
  const { description: previous, ...otherFields } = feature;
  const newDescription = description === undefined ? previous : description;
  return {
    ...otherFields,
    ...(typeof newDescription === 'string' ? { description: newDescription } : {}),
    type: type ?? feature.type,
    impressionData: impressionData ?? feature.impressionData,
    stale: stale ?? feature.stale,
  };
}

/** Applies a JSON Patch to the fields of a feature that an update can change. */
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
