import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import { isInReadableProject } from '../../access/store.ts';
import type { Actor } from '../../platform/actor.ts';
import type { OuterJoined, Reader, WithNulls } from '../../platform/db/database.ts';
import { iso } from '../../platform/db/iso.ts';
import { containsPattern } from '../../platform/db/like.ts';
import { userDisplayName } from '../../record/actor-names.ts';
import { isFavorite } from '../favorites/store.ts';
import { LAST_SEEN_AT } from '../feature-environments/store.ts';
import { COLLABORATORS } from '../feature-rows/collaborators.ts';
import { selectTags } from '../feature-rows/tags.ts';
import { isPotentiallyStale } from '../feature-types/store.ts';
import { CREATED_BY } from '../features/store.ts';
import { STAGES } from '../lifecycle/schema.ts';
import { STAGE } from '../lifecycle/store.ts';
import type { FeatureSearchResult, FoundFeature } from './schema.ts';
import type { FeatureSearch } from './search-query.ts';

/**
 * Evaluations in the current and the previous hour. The condition on the hour limits the query to the partitions of one or two
 * days, where the primary key finds the rows of the feature and environment.
 */
const RECENT_EVALUATIONS = sql`(
  select coalesce(sum(yes), 0)::bigint as yes, coalesce(sum(no), 0)::bigint as no
  from metric_features join metric_hours on feature_id = metric_features.id
  where metric_features.name = fe.feature_name and variant = ''
    and environment_id = (select id from metric_environments where name = fe.environment)
    and hour >= date_trunc('hour', now()) - interval '1 hour' and hour >= date_trunc('hour', features.created_at)
)`;

/** The first parent that must be enabled but is not enabled in the environment. */
const BLOCKED_BY = sql`(
  select min(parent) from feature_dependencies as needed
  where child = features.name and needed.enabled and not exists (
    select from feature_environments
    where feature_name = parent and environment = fe.environment and feature_environments.enabled
  )
)`;

/** Built as json rather than jsonb, which PostgreSQL would parse and serialize again. This saves 0.4 ms per page of 50 features. */
const ENVIRONMENTS = sql`coalesce((
  select json_agg(json_strip_nulls(json_build_object(
      'name', environments.name, 'type', environments.type, 'sortOrder', environments.sort_order,
      'enabled', fe.enabled, 'blockedBy', ${BLOCKED_BY}, 'variantCount', jsonb_array_length(fe.variants),
      'hasStrategies', strategies.any_enabled is not null, 'hasEnabledStrategies', strategies.any_enabled is true,
      'lastSeenAt', ${iso(sql`seen.seen_at`)}, 'yes', counted.yes, 'no', counted.no
    )) order by environments.sort_order, environments.name)
  from feature_environments as fe
    join environments on environments.name = fe.environment
    left join feature_last_seen as seen
      on seen.feature_name = fe.feature_name and seen.environment = fe.environment
    left join (
      select environment, bool_or(not disabled) as any_enabled from feature_strategies
      where feature_name = features.name group by environment
    ) as strategies on strategies.environment = fe.environment
    cross join lateral ${RECENT_EVALUATIONS} as counted
  where fe.feature_name = features.name
), '[]')`;

/** Names of the segments that strategies of `features` use. */
const SEGMENTS = sql`array(
  select distinct segments.name from feature_strategies
    join feature_strategy_segments on strategy_id = feature_strategies.id
    join segments on segments.id = segment_id
  where feature_name = features.name order by segments.name
)`;

const DEPENDENCY_TYPE = sql`case
  when exists (select from feature_dependencies where child = features.name) then 'child'
  when exists (select from feature_dependencies where parent = features.name) then 'parent'
end`;

const foundColumns = (actor: Actor) => sql`
  features.name, features.type, features.description, features.project, features.stale,
  features.impression_data as "impressionData", ${isFavorite(actor)} as favorite,
  features.created_at as "createdAt", ${CREATED_BY} as "createdBy", features.archived_at as "archivedAt",
  ${LAST_SEEN_AT} as "lastSeenAt", ${STAGE}::jsonb as lifecycle, ${DEPENDENCY_TYPE} as "dependencyType",
  ${selectTags(sql`features.name`)} as tags, ${SEGMENTS} as segments, ${ENVIRONMENTS} as environments,
  ${COLLABORATORS} as collaborators`;

type FoundRow = WithNulls<FoundFeature>;

/** Omits missing values, as in every response that contains a feature. */
function withoutNulls({
  description,
  createdBy,
  archivedAt,
  lastSeenAt,
  ...feature
}: FoundRow): FoundFeature {
  return {
    ...feature,
    ...(description === null ? {} : { description }),
    ...(createdBy === null ? {} : { createdBy }),
    ...(archivedAt === null ? {} : { archivedAt }),
    ...(lastSeenAt === null ? {} : { lastSeenAt }),
  };
}

/**
 * Reads the page and the total in one statement, so that both come from one snapshot. The statement first finds the names on the
 * page and then reads only those features, so a page takes as long in a project with ten thousand features as in one with ten.
 */
export async function searchFeatures(
  db: Reader,
  actor: Actor,
  search: FeatureSearch,
): Promise<FeatureSearchResult> {
  const { rows } = await sql<OuterJoined<FoundRow & { position: number }> & { total: number }>`
    with ${pageAndTotal(actor, search)}
    select counted.total, found.*
    from counted left join (
      select page.position, ${foundColumns(actor)} from page join features using (name)
    ) as found on true
    order by found.position`.execute(db);
  return {
    total: rows[0]?.total ?? 0,
    // An empty page has one row with only the total.
    features: rows
      .filter(row => row.position !== null)
      .map(({ total: _, position: __, ...feature }) => withoutNulls(feature)),
  };
}

/** Sort fields with an index. For the others, the search reads every matching feature once. */
const INDEXED_FIELDS = ['name', 'project', 'createdAt'];

function pageAndTotal(actor: Actor, search: FeatureSearch) {
  const condition = sql.join(
    [
      search.archived ? sql`features.archived_at is not null` : sql`features.archived_at is null`,
      isInReadableProject(actor),
      matchesChoice(sql`features.project`, search.project),
    ].filter(condition => condition !== undefined),
    sql` and `,
  );
  const filters = buildConditions(search);
  if (
    !search.query?.length &&
    filters.length === 0 &&
    INDEXED_FIELDS.some(field => field === search.sortBy)
  ) {
    return sql`
      counted as (select count(*) as total from features where ${condition}),
      page as ${selectNamesInOrder(walkIndex(actor, search, condition))}`;
  }
  const sort = buildSorting(search);
  const selectMatches = (alternative: RawBuilder<unknown>[]) => sql`
    select features.name, ${sort.key} as key, ${favoriteKey(actor, search)} as is_favorite
    from features ${sort.join} where ${sql.join([condition, ...filters, ...alternative], sql` and `)} ${sort.group}`;
  return sql`
    matching as materialized (${sql.join(textAlternatives(search).map(selectMatches), sql` union `)}),
    counted as (select count(*) as total from matching),
    page as ${selectNamesInOrder(sql`select name from matching order by ${buildOrder(search)} ${pageSlice(search)}`)}`;
}

const selectNamesInOrder = (names: RawBuilder<unknown>) => sql`(
  select name, position from unnest(array(${names})) with ordinality as listed (name, position)
)`;

/**
 * Reads names in index order. Putting favorites first would mean sorting every feature, so the few favorites are read separately,
 * followed by as many other features as the page needs.
 */
function walkIndex(actor: Actor, search: FeatureSearch, where: Expression<unknown>) {
  const selectFrom = (condition: RawBuilder<SqlBool>, favorite: boolean) => sql`
    select name, ${buildSorting(search).key} as key, ${sql.lit(favorite)} as is_favorite
    from features where ${where} and ${condition}`;
  if (!sortsFavoritesFirst(actor, search))
    return sql`
    select name from (${selectFrom(sql`true`, false)}) as walked order by ${buildOrder(search)} ${pageSlice(search)}`;
  return sql`
    select name from (
      select * from (${selectFrom(isInFavorites(actor), true)}) as favorites
      union all
      select * from (
        select * from (${selectFrom(sql`not ${isInFavorites(actor)}`, false)}) as walked
        order by ${orderByKey(search)} limit ${search.limit + search.offset}
      ) as others
    ) as combined order by ${buildOrder(search)} ${pageSlice(search)}`;
}

const pageSlice = ({ limit, offset }: FeatureSearch) => sql`limit ${limit} offset ${offset}`;

/** Only users have favorites, so the option has no effect for other actors. */
const sortsFavoritesFirst = (actor: Actor, { favoritesFirst }: FeatureSearch): boolean =>
  favoritesFirst && actor.kind === 'user';

const isInFavorites = (actor: Actor) => sql<SqlBool>`
  features.name in (select feature_name from favorite_features where user_id = ${actor.userId})`;

const favoriteKey = (actor: Actor, search: FeatureSearch) =>
  sortsFavoritesFirst(actor, search) ? isInFavorites(actor) : sql`false`;

type Sorting = { key: RawBuilder<unknown>; join: RawBuilder<unknown>; group: RawBuilder<unknown> };

/** Uses joins rather than a subquery per feature, which halves the time to sort 10,000 features by environment. */
function buildSorting({ sortBy }: FeatureSearch): Sorting {
  const noClause = sql``;
  if (typeof sortBy === 'object') {
    const join = sql`left join feature_environments as placed
      on placed.feature_name = features.name and placed.environment = ${sortBy.environment}`;
    return { key: sql`placed.enabled`, join, group: noClause };
  }
  if (sortBy === 'lastSeenAt') {
    const join = sql`left join feature_last_seen as used on used.feature_name = features.name`;
    return { key: sql`max(used.seen_at)`, join, group: sql`group by features.name` };
  }
  const column = sortBy === 'createdAt' ? 'created_at' : sortBy;
  return { key: sql.ref(`features.${column}`), join: noClause, group: noClause };
}

const buildOrder = (search: FeatureSearch) =>
  search.favoritesFirst ? sql`is_favorite desc, ${orderByKey(search)}` : orderByKey(search);

/** Sorts names in the same direction as the key, so that an index can be read in both directions. Nulls come last. */
function orderByKey({ sortBy, sortOrder }: FeatureSearch) {
  const direction = sql.raw(sortOrder);
  const mayBeNull = typeof sortBy === 'object' || sortBy === 'lastSeenAt';
  return mayBeNull
    ? sql`key ${direction} nulls last, name ${direction}`
    : sql`key ${direction}, name ${direction}`;
}

function buildConditions(search: FeatureSearch): RawBuilder<unknown>[] {
  return [
    matchesChoice(sql`features.type`, search.type),
    search.state && isInState(search.state),
    matchesChoice(sql`features.created_by_user_id`, search.createdBy),
    search.owner && hasOwner(search.owner),
    search.createdAt && isCreatedIn(search.createdAt),
    search.lifecycle && isAtStage(search.lifecycle),
    search.tag && hasTags(search.tag),
    search.segment && usesSegments(search.segment),
    search.status && hasStatus(search.status),
  ].filter(condition => condition !== undefined);
}

/** Compares a single value with =, because only then does the index return sorted rows. */
function matchesChoice(column: RawBuilder<unknown>, choice: FeatureSearch['project' | 'type' | 'createdBy']) {
  if (!choice) return undefined;
  const { not, values } = choice;
  const comparison = values.length === 1 ? sql`${column} = ${values[0]}` : sql`${column} = any(${values})`;
  return not ? sql`(${comparison}) is not true` : comparison;
}

function isInState({ not, values }: NonNullable<FeatureSearch['state']>) {
  const isMarked = sql`case when features.stale then 'stale' else 'active' end = any(${values})`;
  const matches = values.includes('potentially-stale')
    ? sql`(${isMarked} or exists (
        select from feature_types where id = features.type and ${isPotentiallyStale(new Date())}
      ))`
    : isMarked;
  return not ? sql`not (${matches})` : matches;
}

const isCreatedIn = ({ before, day }: NonNullable<FeatureSearch['createdAt']>) => sql`
  features.created_at ${sql.raw(before ? '<' : '>=')} ${day}::timestamp at time zone 'UTC'`;

/**
 * Returns two alternative conditions: a match in the name or description, or in a tag. Each becomes a separate query, because a
 * single condition with `or` would span two tables and could not use an index.
 */
function textAlternatives({ query = [] }: FeatureSearch): RawBuilder<unknown>[][] {
  if (query.length === 0) return [[]];
  const patterns = query.map(containsPattern);
  return [
    [sql`feature_text(features.name, features.description) ilike any(${patterns})`],
    [
      sql`features.name in (
        select feature_name from tags join feature_tags using (type, value)
        where type || ':' || value ilike any(${patterns})
      )`,
    ],
  ];
}

/** The stage of a feature is the latest stage it has reached. */
function isAtStage({ not, values }: NonNullable<FeatureSearch['lifecycle']>) {
  const rank = (stage: RawBuilder<unknown>) => sql`array_position(${STAGES}::text[], ${stage})`;
  return sql`features.name ${inOperator(not)} (
    select feature_name from feature_lifecycles as reached
    where stage = any(${values}) and not exists (
      select from feature_lifecycles as later
      where later.feature_name = reached.feature_name and ${rank(sql`later.stage`)} > ${rank(sql`reached.stage`)}
    )
  )`;
}

const inOperator = (not: boolean) => sql.raw(not ? 'not in' : 'in');

function hasTags({ not, all, values }: NonNullable<FeatureSearch['tag']>) {
  return sql`features.name ${inOperator(not)} (
    select feature_name from feature_tags
    join unnest(${values.map(tag => tag.type)}::text[], ${values.map(tag => tag.value)}::text[]) as filtered (type, value)
      using (type, value)
    ${havingAll(all, values.length, sql`(type, value)`)}
  )`;
}

/**
 * Selects features that one of the users or groups owns, or that nobody owns. Users and groups are looked up separately, so that
 * each lookup can use its index.
 */
function hasOwner({ not, users, groups, none }: NonNullable<FeatureSearch['owner']>) {
  const isOwned = sql`features.name in (
    select feature_name from feature_owners where user_id = any(${users})
    union all select feature_name from feature_owners where group_id = any(${groups})
  )`;
  const isUnowned = sql`not exists (select from feature_owners where feature_name = features.name)`;
  const matches = none ? sql`(${isOwned} or ${isUnowned})` : isOwned;
  return not ? sql`not ${matches}` : matches;
}

function usesSegments({ not, all, values }: NonNullable<FeatureSearch['segment']>) {
  return sql`features.name ${inOperator(not)} (
    select feature_name from segments
      join feature_strategy_segments on segment_id = segments.id
      join feature_strategies on feature_strategies.id = strategy_id
    where segments.name = any(${values})
    ${havingAll(all, values.length, sql`segments.id`)}
  )`;
}

const havingAll = (all: boolean, count: number, column: RawBuilder<unknown>) =>
  all ? sql`group by feature_name having count(distinct ${column}) = ${count}` : sql``;

const hasStatus = (statuses: NonNullable<FeatureSearch['status']>) => sql`features.name in (
  select feature_name from feature_environments
  join unnest(
    ${statuses.map(status => status.environment)}::text[], ${statuses.map(status => status.enabled)}::boolean[]
  ) as filtered (environment, enabled) using (environment, enabled)
)`;

/** Returns the creators of features in one project, or in all projects the caller may read. */
export async function listFlagCreators(
  db: Reader,
  actor: Actor,
  project?: string,
): Promise<{ id: number; name: string }[]> {
  const condition = project === undefined ? isInReadableProject(actor) : sql`project = ${project}`;
  const { rows } = await sql<{ id: number; name: string }>`
    select creator.id, ${userDisplayName(sql`creator.id`)} as name
    from (
      select distinct created_by_user_id as id from features
      where created_by_user_id is not null and ${condition}
    ) as creator
    order by name, creator.id`.execute(db);
  return rows;
}
