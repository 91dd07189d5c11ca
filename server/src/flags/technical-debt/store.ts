import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '../../platform/db/database.ts';
import { isPotentiallyStale } from '../feature-types/store.ts';
import type { Counts } from './score.ts';

/** Selects the `Counts` of a project. */
export const selectCounts = (project: string | RawBuilder<unknown>, now: Date) => sql`(
  select count(*) as features, count(*) filter (where features.stale) as stale,
    count(*) filter (where ${isPotentiallyStale(now)}) as "potentiallyStale"
  from features join feature_types on feature_types.id = features.type
  where features.project = ${project} and features.archived_at is null
)`;

/** Selects the `Counts` of every project that has active features, in one pass over the features. */
export const countsByProject = (now: Date) => sql`(
  select features.project, count(*) as features, count(*) filter (where features.stale) as stale,
    count(*) filter (where ${isPotentiallyStale(now)}) as "potentiallyStale"
  from features join feature_types on feature_types.id = features.type
  where features.archived_at is null group by features.project
)`;

export type Debt = Counts & { budget: number; toCleanUp: string[] };

/** Returns the debt of a project and the features to clean up first, or undefined if the project has no debt budget. */
export async function findDebt(
  db: Reader,
  project: string,
  now: Date,
  maxNames: number,
): Promise<Debt | undefined> {
  const { rows } = await sql<Debt>`
    select debt_budget as budget, counts.*, array(
      select features.name from features join feature_types on feature_types.id = features.type
      where features.project = projects.id and features.archived_at is null
        and (features.stale or ${isPotentiallyStale(now)})
      order by features.stale desc, features.created_at, features.name limit ${maxNames}
    ) as "toCleanUp"
    from projects cross join lateral ${selectCounts(sql`projects.id`, now)} as counts
    where projects.id = ${project} and debt_budget is not null`.execute(db);
  return rows[0];
}
