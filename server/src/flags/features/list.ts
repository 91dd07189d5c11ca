import type { Actor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { listPieces, type Pieces } from '../../platform/http/output/stream.ts';
import { readFeatureTexts } from './state/store.ts';

/** Streams the active features of a project as JSON text, from one snapshot, without keeping all of them in memory. */
export async function* streamFeatures(db: Db, actor: Actor, project: string): Pieces {
  const tx = await db.startTransaction().setAccessMode('read only').execute();
  try {
    yield* listPieces('{"version":2,"features":[', readFeatureTexts(tx, actor, project));
  } finally {
    await tx.rollback().execute();
  }
}
