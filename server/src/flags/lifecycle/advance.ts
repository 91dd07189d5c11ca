import { SYSTEM } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { type Change, change } from '../../record/change.ts';
import { insertStage, listSeenBeforeLive, listStageAdvances, lockAvailableFeatures } from './store.ts';

const FEATURES_PER_CHANGE = 500;

/**
 * Moves the given features, which SDKs have seen, to the stage they should be at. Features that are already there, which is most of
 * them, are not even locked.
 */
export async function advanceSeenFeatures(db: Db, names: string[]): Promise<number> {
  const advances = names.length === 0 ? [] : await listStageAdvances(db, names);
  if (advances.length === 0) return 0;
  const dueNames = advances.map(({ name }) => name);
  return await change(db, SYSTEM, current => advanceLifecycle(current, dueNames));
}

/**
 * Moves features that SDKs have seen to pre-live or live, and returns how many it moved. Skips features that another change has
 * locked, because the next metrics report or the next run of `advanceAll` will move them.
 */
async function advanceLifecycle({ tx, record }: Change, names: string[]): Promise<number> {
  // Another server may have moved these features in the meantime, so they are read again after locking.
  const advances = await listStageAdvances(tx, await lockAvailableFeatures(tx, names));
  const movedNames = advances.map(({ name }) => name);
  const liveNames = advances.filter(({ to }) => to === 'live').map(({ name }) => name);
  if (movedNames.length > 0) await insertStage(tx, movedNames, 'pre-live');
  if (liveNames.length > 0) await insertStage(tx, liveNames, 'live');
  for (const { name, project, from, to } of advances) {
    record({
      type: 'feature-stage-entered',
      project,
      featureName: name,
      data: { stage: to },
      preData: { stage: from },
    });
  }
  return movedNames.length;
}

/**
 * Moves every feature that an SDK has seen but that was not moved because the server stopped or the feature was locked. Returns
 * the number of moved features.
 */
export async function advanceAll(db: Db): Promise<number> {
  let movedCount = 0;
  for (let lastName = ''; ; ) {
    const names = await listSeenBeforeLive(db, lastName, FEATURES_PER_CHANGE);
    movedCount += await advanceSeenFeatures(db, names);
    if (names.length < FEATURES_PER_CHANGE) return movedCount;
    lastName = names.at(-1) ?? lastName;
  }
}
