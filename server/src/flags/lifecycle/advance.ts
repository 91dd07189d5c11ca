import { SYSTEM } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { type Change, change } from '../../record/change.ts';
import { insertStage, listAdvancing, listSeenBeforeLive, lockFree } from './store.ts';

const FEATURES_PER_CHANGE = 500;

/** Moves the given features that SDKs have seen to the stage they should be at. Most are already there, and are not even locked. */
export async function advanceSeen(db: Db, names: string[]): Promise<number> {
  const advancing = names.length === 0 ? [] : await listAdvancing(db, names);
  if (advancing.length === 0) return 0;
  const due = advancing.map(({ name }) => name);
  return await change(db, SYSTEM, current => advanceLifecycle(current, due));
}

/**
 * Moves features that SDKs have seen to pre-live or live. A feature that another change has locked is skipped: the next report
 * about it, or the job, moves it. Returns how many moved.
 */
async function advanceLifecycle({ tx, record }: Change, names: string[]): Promise<number> {
  // Another server may have moved them, so they are read again under the lock.
  const advancing = await listAdvancing(tx, await lockFree(tx, names));
  const moved = advancing.map(({ name }) => name);
  const live = advancing.filter(({ to }) => to === 'live').map(({ name }) => name);
  if (moved.length > 0) await insertStage(tx, moved, 'pre-live');
  if (live.length > 0) await insertStage(tx, live, 'live');
  for (const { name, project, from, to } of advancing) {
    record({
      type: 'feature-stage-entered',
      project,
      featureName: name,
      data: { stage: to },
      preData: { stage: from },
    });
  }
  return moved.length;
}

/**
 * Moves every feature that was seen but not moved then, because the server stopped or the feature was locked. Returns how many it
 * moved.
 */
export async function advanceAll(db: Db): Promise<number> {
  let moved = 0;
  for (let after = ''; ; ) {
    const names = await listSeenBeforeLive(db, after, FEATURES_PER_CHANGE);
    moved += await advanceSeen(db, names);
    if (names.length < FEATURES_PER_CHANGE) return moved;
    after = names.at(-1) ?? after;
  }
}
