import {
  OTHER_FLAGS,
  type ReachedQuota,
  reachedBy,
  withinQuota,
} from '../../../../plane/src/counting/quotas.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { announceApplications } from '../applications/announce.ts';
import { lockApplicationIds } from '../applications/store.ts';
import type { NamedCount } from './batches.ts';
import {
  addCounts,
  claimBatch,
  countUnknown,
  insertLastSeen,
  insertNumbers,
  insertUnknown,
  listEnvironmentNumbers,
  listFeatureNumbers,
  listNewUnknown,
  type Numbered,
  type NumberedFeature,
  updateLastSeen,
} from './store.ts';

/** Rows of `unknown_flags` in all. A misconfigured application can ask for any number of names. */
export const MAX_UNKNOWN_FLAGS = 10_000;

/** Rows and their number. A batch keeps both until it is known to be committed. */
export type Batch = { number: number; rows: NamedCount[] };

/** The features whose last use was stored, and how many rows were not stored. */
export type Written = {
  seen: string[];
  withoutApplication: number;
  ofOtherProjects: number;
  unknown: number;
  /** The quotas that tokens reached. */
  reached: ReachedQuota[];
};

/** Writes a batch exactly once, however often it is called: the transaction contains the number of the batch. */
export async function writeBatch(db: Db, source: string, batch: Batch): Promise<Written> {
  const { number } = batch;
  const { nameOf, reached } = await announceApplications(
    db,
    batch.rows.map(({ application, token }) => ({ name: application, token })),
  );
  const rows = batch.rows.map(row => ({ ...row, application: nameOf(row.application) }));
  const features = [...new Set(rows.map(row => row.feature))];
  const environments = [...new Set(rows.map(row => row.environment))];
  const applications = [...new Set(rows.map(row => row.application))];
  await insertNumbers(db, features, environments);
  return await db.transaction().execute(async tx => {
    if (!(await claimBatch(tx, source, number)))
      return { seen: features, withoutApplication: 0, ofOtherProjects: 0, unknown: 0, reached };
    const numbers: Numbers = {
      applications: byName(await lockApplicationIds(tx, applications)),
      environments: byName(await listEnvironmentNumbers(tx, environments)),
      features: new Map((await listFeatureNumbers(tx, features)).map(feature => [feature.name, feature])),
    };
    const written = await writeRows(tx, rows, numbers);
    return { ...written, reached: [...reached, ...written.reached] };
  });
}

type Numbers = Record<'applications' | 'environments', Map<string, number>> & {
  features: Map<string, NumberedFeature>;
};

const byName = (list: Numbered[]): Map<string, number> => new Map(list.map(({ name, id }) => [name, id]));

async function writeRows(tx: Tx, rows: NamedCount[], numbers: Numbers): Promise<Written> {
  const known = [];
  const unknown = [];
  let withoutApplication = 0;
  let ofOtherProjects = 0;
  for (const row of rows) {
    const application = numbers.applications.get(row.application);
    const environment = numbers.environments.get(row.environment);
    const feature = numbers.features.get(row.feature);
    if (application === undefined || environment === undefined) withoutApplication++;
    else if (feature === undefined) {
      if (row.variant === '') unknown.push(row);
    } else if (row.projects?.includes(feature.project) === false) ofOtherProjects++;
    else known.push({ named: row, numbered: { ...row, application, environment, feature: feature.id } });
  }
  if (known.length > 0) {
    await addCounts(
      tx,
      known.map(({ numbered }) => numbered),
    );
  }
  const lastSeen = known.filter(({ named }) => named.variant === '');
  if (lastSeen.length > 0) {
    await insertLastSeen(
      tx,
      lastSeen.map(({ numbered }) => numbered),
    );
  }
  const seen =
    known.length > 0
      ? await updateLastSeen(
          tx,
          known.map(({ named }) => named),
        )
      : [];
  const { left, reached } = await writeUnknown(tx, unknown);
  return { seen, withoutApplication, ofOtherProjects, unknown: left, reached };
}

/** Stores unknown flag names. Those above the quota of their token share one name. */
async function writeUnknown(
  tx: Tx,
  unknown: NamedCount[],
): Promise<{ left: number; reached: ReachedQuota[] }> {
  if (unknown.length === 0) return { left: 0, reached: [] };
  const isNew = await listNewUnknown(tx, unknown);
  const fresh = unknown.flatMap((row, at) =>
    isNew.has(at) ? [{ name: row.feature, token: row.token, row }] : [],
  );
  const added = fresh.length > 0 ? await countUnknown(tx, [...new Set(fresh.map(({ token }) => token))]) : [];
  const { above } = withinQuota('unknownFlags', fresh, added);
  const others = new Set(above.map(({ row }) => row));
  const stored = unknown.map(row => (others.has(row) ? { ...row, feature: OTHER_FLAGS } : row));
  return {
    left: await insertUnknown(tx, stored, MAX_UNKNOWN_FLAGS),
    reached: reachedBy('unknownFlags', above),
  };
}
