import { sql } from 'kysely';
import { isInReadableProject } from '../../access/store.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Reader, Tx } from '../../platform/db/database.ts';
import { iso } from '../../platform/db/iso.ts';
import { jsonTime } from '../../platform/db/json-text.ts';
import { matchAny } from '../../platform/db/match-any.ts';
import { type Completion, type Lifecycle, STAGES, type Stage } from './schema.ts';

const RANK = sql`array_position(${STAGES}::text[], stage)`;

const LIFECYCLE = sql`jsonb_strip_nulls(jsonb_build_object(
  'stage', stage, 'enteredStageAt', ${iso(sql`entered_at`)}, 'status', status, 'statusValue', status_value
))`;

/**
 * The stages that the feature in a `features` row has reached. The feature's own timestamps replace missing stages, because an older
 * server that does not write stages may still be running during an upgrade.
 */
const REACHED_STAGES = sql`(
  select stage, entered_at, status, status_value from feature_lifecycles where feature_name = features.name
  union all
  select stage, entered_at, null, null
  from (values ('initial', features.created_at), ('archived', features.archived_at)) as known (stage, entered_at)
  where entered_at is not null and not exists (
    select from feature_lifecycles as own where own.feature_name = features.name and own.stage = known.stage
  )
) as reached`;

/**
 * The furthest stage that the feature in a `features` row has reached, as JSON text. It is the maximum of strings that start with the
 * stage's rank, which is cheaper than sorting one or two rows. As in `REACHED_STAGES`, timestamps replace missing stages.
 */
export const STAGE = sql`(
  select case
    when archived_at is not null and coalesce(max(ranked), '0') < '5'
      then '{"stage":"archived","enteredStageAt":' || ${jsonTime(sql`archived_at`)} || '}'
    else coalesce(
      substr(max(ranked), 2), '{"stage":"initial","enteredStageAt":' || ${jsonTime(sql`features.created_at`)} || '}')
  end
  from (
    select (case stage when 'archived' then '5' when 'completed' then '4' when 'live' then '3' when 'pre-live' then '2' else '1' end
      || '{"stage":"' || stage || '","enteredStageAt":' || ${jsonTime(sql`entered_at`)}
      || coalesce(',"status":"' || status || '"', '')
      || coalesce(',"statusValue":' || to_json(status_value), '') || '}') collate "C" as ranked
    from feature_lifecycles where feature_name = features.name
  ) as reached
)`;

/** Returns the stages of a feature, oldest first; undefined if the project does not have the feature. */
export async function findStages(
  db: Reader,
  project: string,
  featureName: string,
): Promise<Lifecycle[] | undefined> {
  const { rows } = await sql<{ stages: Lifecycle[] }>`
    select (select jsonb_agg(${LIFECYCLE} order by entered_at, ${RANK}) from ${REACHED_STAGES}) as stages
    from features where name = ${featureName} and project = ${project}`.execute(db);
  return rows[0]?.stages;
}

/** Counts the features at each stage, in projects that the actor may read. Stages without features are omitted. */
export async function countByStage(db: Reader, actor: Actor): Promise<{ stage: Stage; count: number }[]> {
  const { rows } = await sql<{ stage: Stage; count: number }>`
    select (${STAGES}::text[])[furthest] as stage, count(*) as count
    from (
      select greatest(
        max(${RANK}), case when archived_at is null then 1 else ${STAGES.indexOf('archived') + 1} end
      ) as furthest
      from features left join feature_lifecycles on feature_name = name
      where ${isInReadableProject(actor)}
      group by name
    ) as feature
    group by furthest`.execute(db);
  return rows;
}

/** Returns how a feature was completed; null if it is not completed. */
export async function findCompletion(
  db: Reader,
  featureName: string,
): Promise<{ status: string | null; statusValue: string | null } | null> {
  const { rows } = await sql<{ status: string | null; statusValue: string | null }>`
    select status, status_value as "statusValue" from feature_lifecycles
    where feature_name = ${featureName} and stage = 'completed'`.execute(db);
  return rows[0] ?? null;
}

/** A feature that an SDK has seen, its stage, and the stage that it should be at. */
export type StageAdvance = { name: string; project: string; from: Stage; to: 'pre-live' | 'live' };

/**
 * Returns active features that SDKs have seen but that have not reached the stage they should be at. A feature should be live if it
 * was seen in an environment of type production after it was enabled there, and pre-live otherwise.
 */
export async function listStageAdvances(db: Reader, names: string[]): Promise<StageAdvance[]> {
  const { rows } = await sql<StageAdvance>`
    select name, project, (${STAGES}::text[])[furthest] as from, case when is_live then 'live' else 'pre-live' end as to
    from (
      select features.name, features.project,
        coalesce((select max(${RANK}) from feature_lifecycles where feature_name = features.name), 1) as furthest,
        exists (
          select from feature_last_seen as seen
            join feature_environments as fe on fe.feature_name = seen.feature_name and fe.environment = seen.environment
            join environments on environments.name = seen.environment
          where seen.feature_name = features.name and fe.enabled and seen.seen_at >= fe.switched_at
            and environments.type = 'production'
        ) as is_live
      from features
      where name = any(${names}) and archived_at is null
        and exists (select from feature_last_seen where feature_name = features.name)
    ) as seen
    where furthest < case when is_live then 3 else 2 end
    order by name`.execute(db);
  return rows;
}

/** Returns the names after `lastName` of active features that an SDK has seen but that are not live, sorted by name. */
export async function listSeenBeforeLive(db: Reader, lastName: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from features
    where name > ${lastName} and archived_at is null
      and exists (select from feature_last_seen where feature_name = features.name)
      and not exists (
        select from feature_lifecycles where feature_name = features.name and stage in ('live', 'completed')
      )
    order by name limit ${limit}`.execute(db);
  return rows.map(row => row.name);
}

/** Locks the given features that no other change has locked, and returns their names. */
export async function lockAvailableFeatures(tx: Tx, names: string[]): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from features where name = any(${names}) order by name for update skip locked`.execute(tx);
  return rows.map(row => row.name);
}

export async function insertStage(tx: Tx, features: string[], stage: Stage): Promise<void> {
  await sql`
    insert into feature_lifecycles (feature_name, stage) select unnest(${features}::text[]), ${stage}
    on conflict do nothing`.execute(tx);
}

/** Completes a feature, or changes the status of its completion. */
export async function setCompletion(
  tx: Tx,
  featureName: string,
  { status, statusValue }: Completion,
): Promise<void> {
  await sql`
    insert into feature_lifecycles (feature_name, stage, status, status_value)
    values (${featureName}, 'completed', ${status}, ${statusValue ?? null})
    on conflict (feature_name, stage) do update
    set status = excluded.status, status_value = excluded.status_value`.execute(tx);
}

export async function deleteStages(tx: Tx, features: string[]): Promise<void> {
  await tx.deleteFrom('feature_lifecycles').where('feature_name', '=', matchAny(features)).execute();
}

export async function deleteStage(tx: Tx, featureName: string, stage: Stage): Promise<void> {
  await tx
    .deleteFrom('feature_lifecycles')
    .where('feature_name', '=', featureName)
    .where('stage', '=', stage)
    .execute();
}
