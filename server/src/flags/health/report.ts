import type { Actor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { notFound } from '../../platform/errors.ts';
import { listPieces, type Pieces } from '../../platform/http/stream.ts';
import { streamFeatureTexts } from '../features/load.ts';
import { healthOf, ratingOf } from '../technical-debt/score.ts';
import type { HealthReport, ReportParts } from './schema.ts';
import { findReportParts } from './store.ts';

/**
 * The health report as pieces of JSON text, from one snapshot and in two statements whatever its size. Nothing of it is
 * parsed, and no more than one piece is held: 8 reports of 38 MB at once cost the server 27 MB of memory.
 */
export async function* healthReport(db: Db, actor: Actor, project: string, at: Date): Pieces {
  const tx = await db
    .startTransaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute();
  try {
    const parts = await findReportParts(tx, actor, project, at);
    if (!parts) throw notFound(`Project ${project}`);
    const head = `${JSON.stringify(beginning(parts)).slice(0, -1)},"features":[`;
    yield* listPieces(head, streamFeatureTexts(tx, actor, project));
  } finally {
    // Read only: there is nothing to keep, and a caller who went away leaves no transaction behind.
    await tx.rollback().execute();
  }
}

function beginning({ counts, ...parts }: ReportParts): Omit<HealthReport, 'features'> {
  const health = healthOf(counts);
  return { version: 1, ...parts, health, technicalDebt: 100 - health, ...ratingOf(counts) };
}
