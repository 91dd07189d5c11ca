import type { Tx } from '../../platform/db/database.ts';
import type { Stage } from './schema.ts';
import { deleteStages, insertStage } from './store.ts';

/** Part of a change that brings features to a stage; being there already changes nothing. */
export async function enterStage(tx: Tx, features: string[], stage: Stage): Promise<void> {
  await insertStage(tx, features, stage);
}

/** Part of a change that brings features back: their history of stages begins anew. */
export async function startOver(tx: Tx, features: string[]): Promise<void> {
  await deleteStages(tx, features);
  await insertStage(tx, features, 'initial');
}
