import type { Heard, Requests } from '../../../../plane/src/counting/clients.ts';
import type { EdgeReportResult } from '../../../../plane/src/feed/report.ts';
import type { Db } from '../../platform/db/database.ts';
import { addRequests, beat, listQuestions, markEnded, writeHeard } from './store.ts';

type FromEdge = { heard: Heard[]; requests: Requests[]; isIgnoring: boolean; isStopping: boolean };

/** Writes what clients presented to an edge. The edge counts as a listening server. */
export async function hearFromEdge(
  db: Db,
  edge: string,
  environment: string,
  { heard, requests, isIgnoring, isStopping }: FromEdge,
): Promise<EdgeReportResult> {
  await beat(db, edge, isIgnoring);
  const missing =
    heard.length + requests.length === 0
      ? []
      : await db.transaction().execute(async tx => {
          if (requests.length > 0) await addRequests(tx, requests);
          return await writeHeard(tx, edge, heard);
        });
  if (isStopping) await markEnded(db, edge);
  const questions = await listQuestions(db);
  return { missing, questions: questions.filter(one => one.environment === environment) };
}
