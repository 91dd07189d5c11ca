import {
  OTHER_FLAGS,
  type ReachedQuota,
  reachedQuotas,
  splitByQuota,
} from '@halyard/plane/counting/quotas.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { announceApplications } from '../applications/announce.ts';
import { lockApplicationIds } from '../applications/store.ts';
import type { NamedCount } from './batches.ts';
import {
  addCounts,
  assignIds,
  claimBatch,
  countUnknownFlags,
  type FeatureWithId,
  insertLastSeen,
  insertUnknownFlags,
  listEnvironmentIds,
  listFeatureIds,
  listNewUnknownFlags,
  type NameWithId,
  updateLastSeen,
} from './store.ts';

/** The maximum number of rows in `unknown_flags`. A misconfigured application can request any number of names. */
export const MAX_UNKNOWN_FLAGS = 10_000;

/** A batch of rows. Its number and rows stay the same until it is known to be committed. */
export type Batch = { number: number; rows: NamedCount[] };

/** The features whose last use was stored, and how many rows were not stored. */
export type BatchResult = {
  seen: string[];
  withoutApplication: number;
  inOtherProjects: number;
  unknownFlags: number;
  /** The quotas that tokens reached. */
  reached: ReachedQuota[];
};

/** Writes a batch exactly once, no matter how often it is called, because the transaction records the batch number. */
export async function writeBatch(db: Db, source: string, batch: Batch): Promise<BatchResult> {
  const { number } = batch;
  const { getStoredName, reached } = await announceApplications(
    db,
    batch.rows.map(({ application, token }) => ({ name: application, token })),
  );
  const rows = batch.rows.map(row => ({ ...row, application: getStoredName(row.application) }));
  const features = [...new Set(rows.map(row => row.feature))];
  const environments = [...new Set(rows.map(row => row.environment))];
  const applications = [...new Set(rows.map(row => row.application))];
  await assignIds(db, features, environments);
  return await db.transaction().execute(async tx => {
    if (!(await claimBatch(tx, source, number)))
      return { seen: features, withoutApplication: 0, inOtherProjects: 0, unknownFlags: 0, reached };
    const ids: Ids = {
      applications: mapIdsByName(await lockApplicationIds(tx, applications)),
      environments: mapIdsByName(await listEnvironmentIds(tx, environments)),
      features: new Map((await listFeatureIds(tx, features)).map(feature => [feature.name, feature])),
    };
    const result = await writeRows(tx, rows, ids);
    return { ...result, reached: [...reached, ...result.reached] };
  });
}

type Ids = Record<'applications' | 'environments', Map<string, number>> & {
  features: Map<string, FeatureWithId>;
};

const mapIdsByName = (list: NameWithId[]): Map<string, number> =>
  new Map(list.map(({ name, id }) => [name, id]));

async function writeRows(tx: Tx, rows: NamedCount[], ids: Ids): Promise<BatchResult> {
  const knownRows = [];
  const unknownRows = [];
  let withoutApplication = 0;
  let inOtherProjects = 0;
  for (const row of rows) {
    const application = ids.applications.get(row.application);
    const environment = ids.environments.get(row.environment);
    const feature = ids.features.get(row.feature);
    if (application === undefined || environment === undefined) withoutApplication++;
    else if (feature === undefined) {
      if (row.variant === '') unknownRows.push(row);
    } else if (row.projects?.includes(feature.project) === false) inOtherProjects++;
    else
      knownRows.push({
        namedCount: row,
        countRow: { ...row, application, environment, feature: feature.id },
      });
  }
  if (knownRows.length > 0) {
    await addCounts(
      tx,
      knownRows.map(({ countRow }) => countRow),
    );
  }
  const lastSeen = knownRows.filter(({ namedCount }) => namedCount.variant === '');
  if (lastSeen.length > 0) {
    await insertLastSeen(
      tx,
      lastSeen.map(({ countRow }) => countRow),
    );
  }
  const seen =
    knownRows.length > 0
      ? await updateLastSeen(
          tx,
          knownRows.map(({ namedCount }) => namedCount),
        )
      : [];
  const { notStored, reached } = await writeUnknown(tx, unknownRows);
  return { seen, withoutApplication, inOtherProjects, unknownFlags: notStored, reached };
}

/** Stores unknown flag names. Those above the quota of their token share one name. */
async function writeUnknown(
  tx: Tx,
  unknownRows: NamedCount[],
): Promise<{ notStored: number; reached: ReachedQuota[] }> {
  if (unknownRows.length === 0) return { notStored: 0, reached: [] };
  const newIndexes = await listNewUnknownFlags(tx, unknownRows);
  const newRows = unknownRows.flatMap((row, index) =>
    newIndexes.has(index) ? [{ name: row.feature, token: row.token, row }] : [],
  );
  const quotaUsage =
    newRows.length > 0 ? await countUnknownFlags(tx, [...new Set(newRows.map(({ token }) => token))]) : [];
  const { above } = splitByQuota('unknownFlags', newRows, quotaUsage);
  const rowsAboveQuota = new Set(above.map(({ row }) => row));
  const storedRows = unknownRows.map(row =>
    rowsAboveQuota.has(row) ? { ...row, feature: OTHER_FLAGS } : row,
  );
  return {
    notStored: await insertUnknownFlags(tx, storedRows, MAX_UNKNOWN_FLAGS),
    reached: reachedQuotas('unknownFlags', above),
  };
}
