import { type RawBuilder, sql } from 'kysely';
import { isInReadableProject, isReadable } from '../../../access/store.ts';
import type { Actor } from '../../../platform/actor.ts';
import type { Reader, Tx } from '../../../platform/db/database.ts';
import { booleanField, jsonList, jsonTime, optionalJsonField } from '../../../platform/db/json-text.ts';
import { PREPARED } from '../../../platform/db/prepared-statements.ts';
import { readRows } from '../../../platform/db/read-rows.ts';
import { imageForName, userDisplayName } from '../../../record/actor-names.ts';
import { CHILDREN, PARENTS } from '../../dependencies/store.ts';
import { ALL_ENVIRONMENTS_CTE, selectEnvironments } from '../../feature-environments/store.ts';
import { type ExpectedRows, selectPart } from '../../feature-rows/store.ts';
import { STAGE } from '../../lifecycle/store.ts';
import { LINKS } from '../../links/store.ts';
import { TAGS } from '../../tags/store.ts';
import type { Feature, FeatureState } from '../schema.ts';

const ROWS_PER_BATCH = 50;

/** `offset 0` keeps PostgreSQL from looking up the name twice. */
const personText = (id: RawBuilder<unknown>) => sql`(
  select '{"id":' || ${id} || ',"name":' || to_json(named.name) || ',"imageUrl":"' || ${imageForName(sql`named.name`)} || '"}'
  from (select ${userDisplayName(id)} as name offset 0) as named
)`;

const COLLABORATORS = jsonList(
  personText(sql`user_id`),
  sql`feature_collaborators where feature_name = features.name order by user_id`,
);

/**
 * Selects `fields`, the JSON text of everything that is the same for every caller, without the closing brace. `FeatureState` and
 * `Feature` both start with it. PostgreSQL spends almost all of its time building this text: with jsonb, it took 1.5 times the CPU
 * time, and with joins instead of index lookups, twice as much. Because of `offset 0`, PostgreSQL quotes a name once rather than once
 * per strategy. The features are sorted before their text is built, because sorting the finished texts would spill to disk.
 */
const selectFields = (condition: RawBuilder<unknown>, amount: ExpectedRows) => sql`
  select features.name, features.cloned_from, features.cloned_from_project,
    '{"name":' || quoted || ',"type":' || to_json(type) || ${optionalJsonField('description', sql`to_json(description)`)}
    || ',"project":' || to_json(project) || ${booleanField('stale', sql`stale`)}
    || ${booleanField('impressionData', sql`impression_data`)}
    || coalesce(',"archived":true,"archivedAt":' || ${jsonTime(sql`archived_at`)}, ',"archived":false')
    || ',"createdAt":' || ${jsonTime(sql`features.created_at`)}
    || ${optionalJsonField('createdBy', personText(sql`features.created_by_user_id`))}
    || ${booleanField('enabled', sql`summary.enabled`)} || ${optionalJsonField('lastSeenAt', jsonTime(sql`summary.last_seen_at`))}
    || ',"variants":[],"tags":' || ${selectPart(TAGS, amount)} || ',"dependencies":' || ${selectPart(PARENTS, amount)}
    || ',"children":' || ${selectPart(CHILDREN, amount)} || ',"links":' || ${selectPart(LINKS, amount)}
    || ',"lifecycle":' || ${STAGE} || ',"collaborators":{"users":' || ${COLLABORATORS}
    || '},"environments":[' || (coalesce(summary.list, '') || ']') as fields
  from (select *, to_json(name)::text as quoted from features where ${condition} order by name offset 0) as features
  cross join lateral (
    select bool_or(enabled) as enabled, max(last_seen_at) as last_seen_at, string_agg(text, ',') as list
    from (${selectEnvironments(amount)}) as environment
  ) as summary`;

const ORIGIN = sql`jsonb_build_object('project', cloned_from_project, 'feature', cloned_from)`;

/** Selects the `FeatureState` of each feature that meets the condition, as JSON text in the column `state`. */
const selectStates = (condition: RawBuilder<unknown>, amount: ExpectedRows) => sql`
  with ${ALL_ENVIRONMENTS_CTE}
  select name, fields || (',"clonedFrom":'
    || coalesce(case when cloned_from is not null then ${ORIGIN} end::text, 'null') || '}') as state
  from (${selectFields(condition, amount)}) as features`;

const isFavorite = ({ userId }: Actor, amount: ExpectedRows) =>
  amount === 'few'
    ? sql`exists (select from favorite_features where user_id = ${userId} and feature_name = features.name)`
    : sql`(features.name in (select feature_name from favorite_features where user_id = ${userId}))`;

/** Selects the origin of a clone, unless it is in a project that the actor cannot read. */
const visibleOrigin = (actor: Actor) => sql`case
  when cloned_from is not null and not exists (
    select from projects where projects.id = cloned_from_project and not ${isReadable(actor)}
  ) then ${ORIGIN}
end`;

/** Selects the `Feature` that the actor sees for each feature that meets the condition, as JSON text in the column `feature`. */
const selectViews = (actor: Actor, condition: RawBuilder<unknown>, amount: ExpectedRows) => sql`
  with ${ALL_ENVIRONMENTS_CTE}
  select name, fields || (',"favorite":' || ${isFavorite(actor, amount)} || ',"clonedFrom":'
    || coalesce((${visibleOrigin(actor)})::text, 'null') || '}') as feature
  from (${selectFields(condition, amount)}) as features`;

export async function listStates(db: Reader, project: string, names: string[]): Promise<FeatureState[]> {
  const condition = sql`name = any(${names}) and project = ${project}`;
  return await readStates(db, condition);
}

/** Returns the states of the given features whose projects the actor may read. */
export async function listReadableStates(db: Reader, actor: Actor, names: string[]): Promise<FeatureState[]> {
  const condition = sql`name = any(${names}) and ${isInReadableProject(actor)}`;
  return await readStates(db, condition);
}

/**
 * Adds up the sizes of the strategies and variants of the given features whose projects the actor may read, in bytes, and stops
 * once the sum exceeds the limit: reading a size decompresses the whole value. `names` contains a feature once for each time that it
 * counts.
 */
export async function measureFeatures(
  db: Reader,
  actor: Actor,
  names: string[],
  limit: number,
): Promise<number> {
  const uses = Map.groupBy(names, name => name);
  const { rows } = await sql<{ bytes: number }>`
    with recursive measured (position, bytes) as (
      select 0, 0::bigint
      union all
      select position + 1, bytes + (${[...uses.values()].map(({ length }) => length)}::integer[])[position + 1] * coalesce((
        select (
          select coalesce(sum(octet_length(constraints::text) + octet_length(parameters::text) + octet_length(variants::text)), 0)
          from feature_strategies where feature_name = features.name
        ) + (
          select coalesce(sum(octet_length(variants::text)), 0) from feature_environments where feature_name = features.name
        )
        from features
        where name = (${[...uses.keys()]}::text[])[position + 1] and ${isInReadableProject(actor)}
      ), 0)
      from measured where position < ${uses.size} and bytes <= ${limit}
    )
    select max(bytes) as bytes from measured`.execute(db);
  return rows[0]?.bytes ?? 0;
}

async function readStates(db: Reader, condition: RawBuilder<unknown>): Promise<FeatureState[]> {
  const { rows } = await sql<{ state: string }>`
    select ${PREPARED} state from (${selectStates(condition, 'few')}) as found order by name`.execute(db);
  return rows.map(({ state }) => JSON.parse(state));
}

export async function listFeatures(
  db: Reader,
  actor: Actor,
  project: string,
  names: string[],
): Promise<Feature[]> {
  const condition = sql`name = any(${names}) and project = ${project}`;
  const { rows } = await sql<{ feature: string }>`
    select ${PREPARED} feature from (${selectViews(actor, condition, 'few')}) as found
    order by name`.execute(db);
  return rows.map(({ feature }) => JSON.parse(feature));
}

/** Yields the active features of a project as JSON strings, sorted by name, in batches. */
export async function* readFeatureTexts(tx: Tx, actor: Actor, project: string): AsyncGenerator<string[]> {
  const query = sql<{ feature: string }>`
    ${selectViews(actor, sql`project = ${project} and archived_at is null`, 'many')} order by name`;
  for await (const batch of readRows(tx, query, ROWS_PER_BATCH)) yield batch.map(row => row.feature);
}
