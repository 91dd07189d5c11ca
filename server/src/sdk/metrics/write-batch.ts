import type { Db, Tx } from '../../platform/db/database.ts';
import { announceApplications } from '../applications/announce.ts';
import { lockApplicationIds } from '../applications/store.ts';
import type { NamedCount } from './batches.ts';
import {
  addCounts,
  claimBatch,
  insertNumbers,
  insertSights,
  insertUnknown,
  listEnvironmentNumbers,
  listFeatureNumbers,
  type Numbered,
  type NumberedFeature,
  updateLastSeen,
} from './store.ts';

/** Rows of `unknown_flags` in all. A misconfigured application can ask for any number of names. */
export const MOST_UNKNOWN_FLAGS = 10_000;

/** Rows and their number. A batch keeps both until it is known to be committed. */
export type Batch = { number: number; rows: NamedCount[] };

/** The features whose last use was noted, and how many rows were not stored. */
export type Written = {
  seen: string[];
  withoutApplication: number;
  ofOtherProjects: number;
  unknown: number;
};

/** Writes a batch once, no matter how often it is called for it: the transaction contains the number of the batch. */
export async function writeBatch(db: Db, source: string, { number, rows }: Batch): Promise<Written> {
  const features = [...new Set(rows.map(row => row.feature))];
  const environments = [...new Set(rows.map(row => row.environment))];
  const applications = [...new Set(rows.map(row => row.application))];
  await insertNumbers(db, features, environments);
  await announceApplications(db, applications);
  return await db.transaction().execute(async tx => {
    if (!(await claimBatch(tx, source, number)))
      return { seen: features, withoutApplication: 0, ofOtherProjects: 0, unknown: 0 };
    const numbers: Numbers = {
      applications: byName(await lockApplicationIds(tx, applications)),
      environments: byName(await listEnvironmentNumbers(tx, environments)),
      features: new Map((await listFeatureNumbers(tx, features)).map(feature => [feature.name, feature])),
    };
    return await writeRows(tx, rows, numbers);
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
  const sights = known.filter(({ named }) => named.variant === '');
  if (sights.length > 0) {
    await insertSights(
      tx,
      sights.map(({ numbered }) => numbered),
    );
  }
  const seen =
    known.length > 0
      ? await updateLastSeen(
          tx,
          known.map(({ named }) => named),
        )
      : [];
  const left = unknown.length > 0 ? await insertUnknown(tx, unknown, MOST_UNKNOWN_FLAGS) : 0;
  return { seen, withoutApplication, ofOtherProjects, unknown: left };
}
