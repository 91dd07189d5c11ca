import type { Tx } from '../../platform/db/database.ts';
import type { Stage } from './schema.ts';
import { deleteStages, insertStage } from './store.ts';

/** Records that features enter a stage, unless they have entered it before. The caller must have locked the features. */
export async function enterStage(tx: Tx, features: string[], stage: Stage): Promise<void> {
  await insertStage(tx, features, stage);
}

/** Removes the stage history of features that are being revived. */
export async function restartLifecycle(tx: Tx, features: string[]): Promise<void> {
  await deleteStages(tx, features);
  await insertStage(tx, features, 'initial');
}
