import { type RawBuilder, sql } from 'kysely';
import { isReadable, ofReadableProject } from '../../../access/store.ts';
import type { Actor } from '../../../platform/actor.ts';
import type { Reader, Tx } from '../../../platform/db/database.ts';
import { booleanField, jsonList, jsonTime, optionalField } from '../../../platform/db/json-text.ts';
import { PREPARED } from '../../../platform/db/prepared-statements.ts';
import { readRows } from '../../../platform/db/read-rows.ts';
import { displayNameOfUser, imageOfName } from '../../../record/actor-names.ts';
import { CHILDREN, PARENTS } from '../../dependencies/store.ts';
import { ENVIRONMENTS, environmentsOf } from '../../feature-environments/store.ts';
import { type Amount, partOf } from '../../feature-rows/store.ts';
import { STAGE } from '../../lifecycle/store.ts';
import { LINKS } from '../../links/store.ts';
import { TAGS } from '../../tags/store.ts';
import type { Feature, FeatureState } from '../schema.ts';

const ROWS_PER_BATCH = 50;

/** `offset 0` keeps PostgreSQL from looking up the name twice. */
const person = (id: RawBuilder<unknown>) => sql`(
  select '{"id":' || ${id} || ',"name":' || to_json(named.name) || ',"imageUrl":"' || ${imageOfName(sql`named.name`)} || '"}'
  from (select ${displayNameOfUser(id)} as name offset 0) as named
)`;

const COLLABORATORS = jsonList(
  person(sql`user_id`),
  sql`feature_collaborators where feature_name = features.name order by user_id`,
);

/**
 * `fields` of each feature that meets the condition: the JSON text of everything that is the same for every caller, without the
 * closing brace. `FeatureState` and `Feature` are both made of it.
 *
 * Almost all of PostgreSQL's time goes into composing text. jsonb took 1.5 times the CPU time, and joins instead of index
 * lookups took twice as much. `offset 0` makes PostgreSQL quote a name once instead of once per strategy. `order by` comes before
 * it, because sorting the finished texts would write them to disk.
 */
const fieldsOf = (where: RawBuilder<unknown>, amount: Amount) => sql`
  select features.name, features.cloned_from, features.cloned_from_project,
    '{"name":' || quoted || ',"type":' || to_json(type) || ${optionalField('description', sql`to_json(description)`)}
    || ',"project":' || to_json(project) || ${booleanField('stale', sql`stale`)}
    || ${booleanField('impressionData', sql`impression_data`)}
    || coalesce(',"archived":true,"archivedAt":' || ${jsonTime(sql`archived_at`)}, ',"archived":false')
    || ',"createdAt":' || ${jsonTime(sql`features.created_at`)}
    || ${optionalField('createdBy', person(sql`features.created_by_user_id`))}
    || ${booleanField('enabled', sql`here.enabled`)} || ${optionalField('lastSeenAt', jsonTime(sql`here.last_seen_at`))}
    || ',"variants":[],"tags":' || ${partOf(TAGS, amount)} || ',"dependencies":' || ${partOf(PARENTS, amount)}
    || ',"children":' || ${partOf(CHILDREN, amount)} || ',"links":' || ${partOf(LINKS, amount)}
    || ',"lifecycle":' || ${STAGE} || ',"collaborators":{"users":' || ${COLLABORATORS}
    || '},"environments":[' || (coalesce(here.list, '') || ']') as fields
  from (select *, to_json(name)::text as quoted from features where ${where} order by name offset 0) as features
  cross join lateral (
    select bool_or(enabled) as enabled, max(last_seen_at) as last_seen_at, string_agg(text, ',') as list
    from (${environmentsOf(amount)}) as environment
  ) as here`;

const ORIGIN = sql`jsonb_build_object('project', cloned_from_project, 'feature', cloned_from)`;

/** `state`, the `FeatureState` as JSON text, of each feature that meets the condition. */
const states = (where: RawBuilder<unknown>, amount: Amount) => sql`
  with ${ENVIRONMENTS}
  select name, fields || (',"clonedFrom":'
    || coalesce(case when cloned_from is not null then ${ORIGIN} end::text, 'null') || '}') as state
  from (${fieldsOf(where, amount)}) as features`;

const isFavorite = ({ userId }: Actor, amount: Amount) =>
  amount === 'few'
    ? sql`exists (select from favorite_features where user_id = ${userId} and feature_name = features.name)`
    : sql`(features.name in (select feature_name from favorite_features where user_id = ${userId}))`;

/** The origin of a clone, unless it is in a project that the actor may not read. */
const visibleOrigin = (actor: Actor) => sql`case
  when cloned_from is not null and not exists (
    select from projects where projects.id = cloned_from_project and not ${isReadable(actor)}
  ) then ${ORIGIN}
end`;

/** `feature`, the `Feature` that the actor sees as JSON text, of each feature that meets the condition. */
const views = (actor: Actor, where: RawBuilder<unknown>, amount: Amount) => sql`
  with ${ENVIRONMENTS}
  select name, fields || (',"favorite":' || ${isFavorite(actor, amount)} || ',"clonedFrom":'
    || coalesce((${visibleOrigin(actor)})::text, 'null') || '}') as feature
  from (${fieldsOf(where, amount)}) as features`;

export async function listStates(db: Reader, project: string, names: string[]): Promise<FeatureState[]> {
  const where = sql`name = any(${names}) and project = ${project}`;
  return await readStates(db, where);
}

/** The states of the given features whose projects the actor may read. */
export async function listReadableStates(db: Reader, actor: Actor, names: string[]): Promise<FeatureState[]> {
  const where = sql`name = any(${names}) and ${ofReadableProject(actor)}`;
  return await readStates(db, where);
}

async function readStates(db: Reader, where: RawBuilder<unknown>): Promise<FeatureState[]> {
  const { rows } = await sql<{ state: string }>`
    select ${PREPARED} state from (${states(where, 'few')}) as found order by name`.execute(db);
  return rows.map(({ state }) => JSON.parse(state));
}

export async function listFeatures(
  db: Reader,
  actor: Actor,
  project: string,
  names: string[],
): Promise<Feature[]> {
  const where = sql`name = any(${names}) and project = ${project}`;
  const { rows } = await sql<{ feature: string }>`
    select ${PREPARED} feature from (${views(actor, where, 'few')}) as found order by name`.execute(db);
  return rows.map(({ feature }) => JSON.parse(feature));
}

/** The active features of a project by name, as JSON strings, in batches. */
export async function* readFeatureTexts(tx: Tx, actor: Actor, project: string): AsyncGenerator<string[]> {
  const query = sql<{ feature: string }>`
    ${views(actor, sql`project = ${project} and archived_at is null`, 'many')} order by name`;
  for await (const found of readRows(tx, query, ROWS_PER_BATCH)) yield found.map(row => row.feature);
}
