import { isDeepStrictEqual } from 'node:util';
import type { Actor } from '../actor.ts';
import { change } from '../change.ts';
import type { Db } from '../db/database.ts';
import { asEventData } from './create.ts';
import { holdActiveFeature, readFeature } from './load.ts';
import { applyPatch, type JsonPatch } from './patch.ts';
import { type Feature, FeatureUpdate } from './schema.ts';
import { updateFeature } from './store.ts';

/** Changes the fields that are given and leaves the others; changing nothing writes nothing. */
export async function changeFeature(
  db: Db,
  actor: Actor,
  project: string,
  name: string,
  update: FeatureUpdate | ((before: Feature) => FeatureUpdate),
): Promise<Feature> {
  await change(db, actor, async ({ tx, record }) => {
    const before = await holdActiveFeature(tx, actor, project, name);
    const input = typeof update === 'function' ? update(before) : update;
    const after: Feature = {
      ...before,
      type: input.type ?? before.type,
      description: input.description === undefined ? before.description : input.description,
      impressionData: input.impressionData ?? before.impressionData,
      stale: input.stale ?? before.stale,
    };
    if (isDeepStrictEqual(after, before)) return;

    await updateFeature(tx, name, after);
    // Being stale has events of its own; the rest is told by one.
    const restChanged = !isDeepStrictEqual({ ...after, stale: before.stale }, before);
    const about = { project, featureName: name };
    if (restChanged) {
      record({
        type: 'feature-metadata-updated',
        ...about,
        data: asEventData(after),
        preData: asEventData(before),
      });
    }
    if (after.stale !== before.stale)
      record({ type: after.stale ? 'feature-stale-on' : 'feature-stale-off', ...about });
  });
  return await readFeature(db, actor, project, name);
}

/** The same by JSON Patch, applied to the fields that an update may carry. */
export async function patchFeature(
  db: Db,
  actor: Actor,
  project: string,
  name: string,
  patch: JsonPatch,
): Promise<Feature> {
  return await changeFeature(db, actor, project, name, ({ type, description, impressionData, stale }) =>
    applyPatch({ type, description, impressionData, stale }, patch, FeatureUpdate),
  );
}
