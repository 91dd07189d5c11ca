import { type RawBuilder, sql } from 'kysely';
import type { Actor } from '../../actor.ts';
import { clonedFrom } from '../../clone/store.ts';
import type { Tx } from '../../db/database.ts';
import { readRows } from '../../db/read-rows.ts';
import { nameOfUser } from '../../users/store.ts';

const ROWS_AT_ONCE = 50;

const text = (value: RawBuilder<unknown>) => sql`coalesce(to_json(${value})::text, 'null')`;
const time = (value: RawBuilder<unknown>) =>
  sql`coalesce(to_char(${value} at time zone 'UTC', '\\"YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\\"'), 'null')`;
/** A field that is true or false, in one piece: what counts is how many pieces are put together. */
const flag = (column: string, name = column) =>
  sql`case when ${sql.ref(column)} then ${sql.lit(`,"${name}":true`)} else ${sql.lit(`,"${name}":false`)} end`;
const WITHOUT_STRATEGIES = sql.lit(',"hasStrategies":false,"hasEnabledStrategies":false,"strategies":[]}');
const list = (item: RawBuilder<unknown>, from: RawBuilder<unknown>) =>
  sql`'[' || coalesce((select string_agg(${item}, ',') from (select * from ${from}) as one), '') || ']'`;
/** The same where most features have none: which have some is hashed once, and only those are looked up. */
const rareList = (table: string, column: string, item: RawBuilder<unknown>, order: RawBuilder<unknown>) => {
  const [rows, name] = [sql.table(table), sql.ref(column)];
  return sql`case when features.name in (select ${name} from ${rows})
    then ${list(item, sql`${rows} where ${name} = features.name order by ${order}`)} else '[]' end`;
};
const person = (id: RawBuilder<unknown>) =>
  sql`'{"id":' || ${id} || ',"name":' || to_json(${nameOfUser(id)}) || '}'`;

const TAGS = rareList(
  'feature_tags',
  'feature_name',
  sql`'{"type":' || to_json(type) || ',"value":' || to_json(value) || '}'`,
  sql`type, value`,
);
const PARENTS = rareList(
  'feature_dependencies',
  'child',
  sql`'{"feature":' || to_json(parent) || ',"enabled":' || enabled || ',"variants":' || variants || '}'`,
  sql`parent`,
);
const CHILDREN = rareList('feature_dependencies', 'parent', sql`to_json(child)::text`, sql`child`);
const LINKS = rareList(
  'feature_links',
  'feature_name',
  sql`'{"id":"' || id || '","url":' || to_json(url) || ',"title":' || ${text(sql`title`)} || '}'`,
  sql`created_at, id`,
);
const COLLABORATORS = list(
  person(sql`user_id`),
  sql`feature_collaborators where feature_name = features.name order by user_id`,
);
/** The furthest stage, as the greatest of texts that begin with its place: to sort one or two rows costs more. */
const STAGE = sql`(
  select substr(max(
    case stage when 'archived' then '5' when 'completed' then '4' when 'live' then '3' when 'pre-live' then '2' else '1' end
    || '{"stage":"' || stage || '","enteredStageAt":' || ${time(sql`entered_at`)}
    || coalesce(',"status":"' || status || '"', '') || '}'
  ), 2)
  from feature_lifecycles where feature_name = features.name
)`;

/**
 * The active features of a project by name, each as the JSON text that GET of the feature answers, some at a time.
 *
 * Text and not jsonb, lists from look-ups by index and not from joins, the environments last: what PostgreSQL spends goes
 * into making text, and each of these was measured (bench/README.md). `offset 0` keeps the look-up a look-up: as a join it
 * came with a sort of all the text, on disk and before the first row. A test compares every feature with GET.
 */
export async function* readFeatureTexts(tx: Tx, actor: Actor, project: string): AsyncGenerator<string[]> {
  const query = sql<{ feature: string }>`
    with places as materialized (
      select name, sort_order, '{"name":' || to_json(name) || ',"environment":' || to_json(name)
        || ',"type":' || to_json(type) || ',"sortOrder":' || sort_order as beginning
      from environments
    )
    select '{"name":' || quoted || ',"type":' || to_json(type) || ',"description":' || ${text(sql`description`)}
      || ${`,"project":${JSON.stringify(project)}`}::text || ${flag('stale')} || ${flag('impression_data', 'impressionData')}
      || ',"archived":false,"archivedAt":null,"createdAt":' || ${time(sql`features.created_at`)}
      || ',"createdBy":' || coalesce(${person(sql`features.created_by_user_id`)}, 'null')
      || ${flag('here.enabled', 'enabled')} || ',"lastSeenAt":' || ${time(sql`here.last_seen_at`)}
      || ',"favorite":' || (features.name in (
        select feature_name from favorite_features where user_id = ${actor.userId}
      ))
      || ',"tags":' || ${TAGS} || ',"dependencies":' || ${PARENTS} || ',"children":' || ${CHILDREN}
      || ',"links":' || ${LINKS} || ',"lifecycle":' || ${STAGE} || ',"collaborators":{"users":' || ${COLLABORATORS}
      || '},"clonedFrom":' || coalesce((${clonedFrom(actor)})::text, 'null') || ',"environments":[' || (coalesce(here.list, '') || ']}') as feature
    from (
      select *, to_json(name)::text as quoted from features where project = ${project} and archived_at is null
    ) as features
    left join lateral (
      select * from strategy_texts where feature_name = features.name offset 0
    ) as texts on true
    cross join lateral (
      select bool_or(enabled) as enabled, max(last_seen_at) as last_seen_at, string_agg(environment, ',') as list
      from (
        select enabled, last_seen_at, beginning || ${flag('enabled')} || ',"featureName":' || quoted
          || ',"variants":' || variants || ',"variantCount":' || jsonb_array_length(variants)
          || ',"lastSeenAt":' || ${time(sql`last_seen_at`)}
          || coalesce(',' || texts.fields[array_position(texts.environments, places.name)] || '}', ${WITHOUT_STRATEGIES})
          as environment
        from feature_environments
          join places on places.name = feature_environments.environment
        where feature_name = features.name
        order by places.sort_order, places.name
      ) as one
    ) as here
    order by features.name`;
  for await (const rows of readRows(tx, query, ROWS_AT_ONCE)) {
    yield rows.map(row => row.feature);
  }
}
