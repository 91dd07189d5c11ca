import { type RawBuilder, sql } from 'kysely';
import { isReadable } from '../../../access/store.ts';
import type { Actor } from '../../../platform/actor.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { readRows } from '../../../platform/db/read-rows.ts';
import { imageOfUser, nameOfUser } from '../../../record/actor-names.ts';

const ROWS_AT_ONCE = 50;

const time = (value: RawBuilder<unknown>) =>
  sql`to_char(${value} at time zone 'UTC', '\\"YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\\"')`;
/** A field that is absent if it has no value. */
const optional = (name: string, value: RawBuilder<unknown>) =>
  sql`coalesce(${sql.lit(`,"${name}":`)} || ${value}, '')`;
/** A boolean field in one piece: what costs is the number of pieces that are concatenated. */
const flag = (column: string, name = column) =>
  sql`case when ${sql.ref(column)} then ${sql.lit(`,"${name}":true`)} else ${sql.lit(`,"${name}":false`)} end`;
const WITHOUT_STRATEGIES = sql.lit(',"hasStrategies":false,"hasEnabledStrategies":false,"strategies":[]}');
const list = (item: RawBuilder<unknown>, from: RawBuilder<unknown>) =>
  sql`'[' || coalesce((select string_agg(${item}, ',') from (select * from ${from}) as one), '') || ']'`;
const person = (id: RawBuilder<unknown>) =>
  sql`'{"id":' || ${id} || ',"name":' || to_json(${nameOfUser(id)}) || ',"imageUrl":"' || ${imageOfUser(id)} || '"}'`;

/** A table whose rows belong to a feature, and the JSON text of one row. */
type Part = { table: string; column: string; item: RawBuilder<unknown>; order: RawBuilder<unknown> };
const TAGS: Part = {
  table: 'feature_tags',
  column: 'feature_name',
  item: sql`'{"type":' || to_json(type) || ',"value":' || to_json(value) || '}'`,
  order: sql`type, value`,
};
const PARENTS: Part = {
  table: 'feature_dependencies',
  column: 'child',
  item: sql`'{"feature":' || to_json(parent) || ',"enabled":' || enabled || ',"variants":' || variants || '}'`,
  order: sql`parent`,
};
const CHILDREN: Part = {
  table: 'feature_dependencies',
  column: 'parent',
  item: sql`to_json(child)::text`,
  order: sql`child`,
};
const LINKS: Part = {
  table: 'feature_links',
  column: 'feature_name',
  item: sql`'{"id":"' || id || '","url":' || to_json(url) || ',"title":' || coalesce(to_json(title)::text, 'null') || '}'`,
  order: sql`created_at, id`,
};

/** Whether few features are read, or all of a project. */
export type Amount = 'few' | 'many';

/** Of many features most have no rows in such a table: those that have some are hashed once, and only those are looked up. */
function rows({ table, column, item, order }: Part, amount: Amount) {
  const [from, name] = [sql.table(table), sql.ref(column)];
  const found = list(item, sql`${from} where ${name} = features.name order by ${order}`);
  return amount === 'few'
    ? found
    : sql`case when features.name in (select ${name} from ${from}) then ${found} else '[]' end`;
}

const isFavorite = ({ userId }: Actor, amount: Amount) =>
  amount === 'few'
    ? sql`exists (select from favorite_features where user_id = ${userId} and feature_name = features.name)`
    : sql`(features.name in (select feature_name from favorite_features where user_id = ${userId}))`;

const COLLABORATORS = list(
  person(sql`user_id`),
  sql`feature_collaborators where feature_name = features.name order by user_id`,
);

/**
 * The furthest stage, as the greatest of texts that begin with its rank: sorting one or two rows costs more. The times of the
 * feature stand in for missing rows, as in the history of stages.
 */
const STAGE = sql`(
  select case
    when archived_at is not null and coalesce(max(ranked), '0') < '5'
      then '{"stage":"archived","enteredStageAt":' || ${time(sql`archived_at`)} || '}'
    else coalesce(substr(max(ranked), 2), '{"stage":"initial","enteredStageAt":' || ${time(sql`features.created_at`)} || '}')
  end
  from (
    select (case stage when 'archived' then '5' when 'completed' then '4' when 'live' then '3' when 'pre-live' then '2' else '1' end
      || '{"stage":"' || stage || '","enteredStageAt":' || ${time(sql`entered_at`)}
      || coalesce(',"status":"' || status || '"', '')
      || coalesce(',"statusValue":' || to_json(status_value), '') || '}') collate "C" as ranked
    from feature_lifecycles where feature_name = features.name
  ) as reached
)`;

/** What `features` is a copy of, unless that is in a project the actor may not read. */
const clonedFrom = (actor: Actor) => sql`case
  when cloned_from is not null and not exists (
    select from projects where projects.id = cloned_from_project and not ${isReadable(actor)}
  ) then jsonb_build_object('project', cloned_from_project, 'feature', cloned_from)
end`;

/**
 * `name`, `project` and `feature` of each feature that meets the condition: the JSON text that every operation sends. A value
 * that is missing is an absent field.
 *
 * Text and not jsonb, lists from look-ups by index and not from joins, the environments last: PostgreSQL spends its time on
 * composing text, and each of these was measured (bench/README.md). `offset 0` keeps the look-up a look-up: as a join it came
 * with a sort of all the text, on disk and before the first row.
 */
export const featureTexts = (actor: Actor, where: RawBuilder<unknown>, amount: Amount) => sql`
  with places as materialized (
    select name, sort_order, '{"name":' || to_json(name) || ',"environment":' || to_json(name)
      || ',"type":' || to_json(type) || ',"sortOrder":' || sort_order as beginning
    from environments
  )
  select features.name, features.project,
    '{"name":' || quoted || ',"type":' || to_json(type) || ${optional('description', sql`to_json(description)`)}
    || ',"project":' || to_json(project) || ${flag('stale')} || ${flag('impression_data', 'impressionData')}
    || coalesce(',"archived":true,"archivedAt":' || ${time(sql`archived_at`)}, ',"archived":false')
    || ',"createdAt":' || ${time(sql`features.created_at`)}
    || ${optional('createdBy', person(sql`features.created_by_user_id`))}
    || ${flag('here.enabled', 'enabled')} || ${optional('lastSeenAt', time(sql`here.last_seen_at`))}
    || ',"favorite":' || ${isFavorite(actor, amount)}
    || ',"variants":[],"tags":' || ${rows(TAGS, amount)} || ',"dependencies":' || ${rows(PARENTS, amount)}
    || ',"children":' || ${rows(CHILDREN, amount)} || ',"links":' || ${rows(LINKS, amount)} || ',"lifecycle":' || ${STAGE}
    || ',"collaborators":{"users":' || ${COLLABORATORS}
    || '},"clonedFrom":' || coalesce((${clonedFrom(actor)})::text, 'null')
    || ',"environments":[' || (coalesce(here.list, '') || ']}') as feature
  from (select *, to_json(name)::text as quoted from features where ${where}) as features
  left join lateral (
    select * from strategy_texts where feature_name = features.name offset 0
  ) as texts on true
  cross join lateral (
    select bool_or(enabled) as enabled, max(last_seen_at) as last_seen_at, string_agg(environment, ',') as list
    from (
      select enabled, last_seen_at, beginning || ${flag('enabled')} || ',"featureName":' || quoted
        || ',"variants":' || variants || ',"variantCount":' || jsonb_array_length(variants)
        || ${optional('lastSeenAt', time(sql`last_seen_at`))}
        || coalesce(',' || texts.fields[array_position(texts.environments, places.name)] || '}', ${WITHOUT_STRATEGIES})
        as environment
      from feature_environments
        join places on places.name = feature_environments.environment
      where feature_name = features.name
      order by places.sort_order, places.name
    ) as one
  ) as here`;

/** The active features of a project by name, as JSON texts, some at a time. */
export async function* readFeatureTexts(tx: Tx, actor: Actor, project: string): AsyncGenerator<string[]> {
  const query = sql<{ feature: string }>`
    ${featureTexts(actor, sql`project = ${project} and archived_at is null`, 'many')} order by features.name`;
  for await (const found of readRows(tx, query, ROWS_AT_ONCE)) yield found.map(row => row.feature);
}
