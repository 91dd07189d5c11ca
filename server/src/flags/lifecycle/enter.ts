import type { Tx } from '../../platform/db/database.ts';
import type { Stage } from './schema.ts';
import { deleteStages, insertStage } from './store.ts';

/** Part of a change that locked the features: they enter a stage, unless they have entered it before. */
export async function enterStage(tx: Tx, features: string[], stage: Stage): Promise<void> {
  await insertStage(tx, features, stage);
}

/** Part of a change that revives features: removes their history of stages. */
export async function restartLifecycle(tx: Tx, features: string[]): Promise<void> {
  await deleteStages(tx, features);
  await insertStage(tx, features, 'initial');
}
