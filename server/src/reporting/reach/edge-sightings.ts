import type { ClientSighting, EvaluationCount } from '@halyard/plane/counting/clients.ts';
import type { EdgeReportResult } from '@halyard/plane/feed/report.ts';
import type { Db } from '../../platform/db/database.ts';
import { addRequests, listAwaitedRevisions, markEnded, recordHeartbeat, writeSightings } from './store.ts';

type EdgeSightings = {
  heard: ClientSighting[];
  requests: EvaluationCount[];
  isIgnoring: boolean;
  isStopping: boolean;
};

/** Writes the revisions that clients sent back to an edge. The edge counts as a listening server. */
export async function recordEdgeSightings(
  db: Db,
  edge: string,
  environment: string,
  { heard, requests, isIgnoring, isStopping }: EdgeSightings,
): Promise<EdgeReportResult> {
  await recordHeartbeat(db, edge, isIgnoring);
  const missing =
    heard.length + requests.length === 0
      ? []
      : await db.transaction().execute(async tx => {
          if (requests.length > 0) await addRequests(tx, requests);
          return await writeSightings(tx, edge, heard);
        });
  if (isStopping) await markEnded(db, edge);
  const awaitedRevisions = await listAwaitedRevisions(db);
  return {
    missing,
    questions: awaitedRevisions.filter(awaitedRevision => awaitedRevision.environment === environment),
  };
}
