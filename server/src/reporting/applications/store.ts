import type { Instance } from '@halyard/plane/counting/merged.ts';
import type { QuotaUsage } from '@halyard/plane/counting/quotas.ts';
import { type RawBuilder, sql } from 'kysely';
import { isInReadableProject } from '../../access/store.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Db, Reader, Tx, WithNulls } from '../../platform/db/database.ts';
import { iso } from '../../platform/db/iso.ts';
import { containsPattern } from '../../platform/db/like.ts';
import { selectInstancesBehind } from './behind/store.ts';
import type {
  ApiTokenUse,
  Application,
  ApplicationDetails,
  ApplicationEnvironment,
  ApplicationFields,
  ApplicationInstance,
  ProjectApplication,
  UnknownFlag,
} from './schema.ts';
import type { ApplicationSearch, ProjectApplicationSearch } from './search-query.ts';

/** The maximum number of stored instances per application. They are a sample of the instances that run. */
export const MAX_INSTANCES = 1_000;
const MAX_SHOWN_INSTANCES = 100;
const MAX_SHOWN_FEATURES = 1_000;
const MAX_APPLICATIONS_PER_TOKEN = 10;

/** Lists the names that no application has yet. */
export async function listUnannounced(db: Reader, names: string[]): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from unnest(${names}::text[]) as given (name)
    where not exists (select from applications where applications.name = given.name)
    order by name`.execute(db);
  return rows.map(row => row.name);
}

/** Counts the applications that these tokens have added. */
export async function countApplications(db: Reader, tokens: number[]): Promise<QuotaUsage[]> {
  const { rows } = await sql<QuotaUsage>`
    select token_id as token, count(*) as "inAll",
      count(*) filter (where created_at > now() - interval '1 hour') as "lastHour"
    from applications where token_id = any(${tokens}) and token_id is not null group by token_id`.execute(db);
  return rows;
}

/** Records when applications were last seen, to the hour. Skips those that a change has locked. */
export async function markSeen(db: Db, names: string[]): Promise<void> {
  await sql`
    update applications set reported_at = now() where id in (
      select id from applications where name = any(${names}) and reported_at < now() - interval '1 hour'
      order by id for no key update skip locked
    )`.execute(db);
}

/** Locks applications that were not seen for this many days and that nobody described, until the transaction ends. */
export async function lockIdleApplications(
  tx: Tx,
  days: number,
  limit: number,
): Promise<{ id: number; name: string }[]> {
  const { rows } = await sql<{ id: number; name: string }>`
    select id, name from applications
    where reported_at < now() - make_interval(days => ${days})
      and coalesce(description, url, icon, color) is null
    order by id limit ${limit} for update skip locked`.execute(tx);
  return rows;
}

/** Inserts applications in the order of their names, up to `max` in total, and returns those that were new. */
export async function insertApplications(
  tx: Tx,
  newApplications: { name: string; token: number }[],
  max: number,
): Promise<{ name: string; createdAt: string }[]> {
  const { rows } = await sql<{ name: string; createdAt: string }>`
    insert into applications (name, token_id)
    select name, token from (
      select name, token from unnest(
        ${newApplications.map(({ name }) => name)}::text[], ${newApplications.map(({ token }) => token)}::integer[]
      ) as given (name, token)
      order by name limit greatest(${max} - (select count(*) from applications), 0)
    ) as fitting
    order by name on conflict (name) do nothing
    returning name, created_at as "createdAt"`.execute(tx);
  return rows;
}

/** Returns the ids of the applications, and keeps them from being deleted until the transaction ends. */
export async function lockApplicationIds(tx: Tx, names: string[]): Promise<{ name: string; id: number }[]> {
  const { rows } = await sql<{ name: string; id: number }>`
    select name, id from applications where name = any(${names}) order by name for key share`.execute(tx);
  return rows;
}

export type SeenInstance = Instance;

/** Returns the list positions of the instances that are not stored yet. */
export async function listNewInstances(db: Reader, instances: SeenInstance[]): Promise<Set<number>> {
  const { rows } = await sql<{ place: number }>`
    select (place - 1)::integer as place from unnest(
      ${instances.map(({ application }) => application)}::text[],
      ${instances.map(({ environment }) => environment)}::text[],
      ${instances.map(({ instanceId }) => instanceId)}::text[]
    ) with ordinality as given (application, environment, instance_id, place)
    where not exists (
      select from application_instances as known join applications on applications.id = known.application_id
      where applications.name = given.application and known.environment = given.environment
        and known.instance_id = given.instance_id
    )`.execute(db);
  return new Set(rows.map(({ place }) => place));
}

/**
 * Updates known instances, at most once a minute each, and adds new ones while the application's sample has room. The creation time
 * of an application is when it was first seen.
 */
export async function upsertInstances(db: Db, instances: SeenInstance[]): Promise<void> {
  const inputRows = sql`jsonb_to_recordset(${JSON.stringify(instances)}::jsonb) as given (
    application text, environment text, "instanceId" text, "sdkVersion" text, "isFrontend" boolean, strategies jsonb,
    "seenAt" bigint, token integer)`;
  await sql`
    insert into application_instances as kept
      (application_id, environment, instance_id, sdk_version, is_frontend, created_at, seen_at, token_id)
    select id, environment, "instanceId", "sdkVersion", "isFrontend", to_timestamp("seenAt" / 1000.0),
      to_timestamp("seenAt" / 1000.0), token
    from (
      select applications.id, given.*, known.instance_id is not null as is_known,
        row_number() over (partition by applications.id, known.instance_id is not null order by "instanceId") as place,
        (select count(*) from application_instances as counted where counted.application_id = applications.id) as present
      from ${inputRows} join applications on applications.name = given.application
        left join application_instances as known on known.application_id = applications.id
          and known.environment = given.environment and known.instance_id = "instanceId"
    ) as candidate
    where is_known or place <= ${MAX_INSTANCES} - present
    order by id, environment, "instanceId"
    on conflict (application_id, environment, instance_id) do update
      set seen_at = excluded.seen_at, sdk_version = coalesce(excluded.sdk_version, kept.sdk_version),
        is_frontend = excluded.is_frontend, token_id = excluded.token_id
      where kept.seen_at < excluded.seen_at - interval '1 minute'
        or kept.token_id is distinct from excluded.token_id
        or excluded.sdk_version
          is distinct from coalesce(kept.sdk_version, excluded.sdk_version)`.execute(db);
  await sql`
    update applications set strategies = coalesce(fresh.strategies, applications.strategies),
      created_at = least(applications.created_at, fresh.seen_at)
    from (
      select locked.id, fitting.strategies, fitting.seen_at from (
        select application, to_timestamp(min("seenAt") / 1000.0) as seen_at, case when count(strategies) > 0 then array(
          select distinct strategy from jsonb_array_elements_text(
            jsonb_agg(strategies) filter (where strategies is not null) -> 0
          ) as strategy order by strategy
        ) end as strategies
        from ${inputRows} group by application
      ) as fitting join (
        select id, name from applications where name = any(${instances.map(({ application }) => application)})
        order by name for no key update
      ) as locked on locked.name = fitting.application
    ) as fresh
    where applications.id = fresh.id
      and (applications.strategies <> fresh.strategies or applications.created_at > fresh.seen_at)`.execute(
    db,
  );
}

/** Joins `application_features` with `metric_features`, limited to features whose project the caller can read. */
const seenFeatures = (actor: Actor) => sql`
  application_features as sight
    join metric_features on metric_features.id = sight.feature_id
    join metric_environments on metric_environments.id = sight.environment_id
    join features on features.name = metric_features.name and ${isInReadableProject(actor)}`;

/**
 * Whether the caller can read a project whose features the application requested. If the application requested no feature, its
 * projects are unknown, so everyone can see it.
 */
export const isVisibleApplication = (actor: Actor) =>
  actor.isAdmin
    ? sql`true`
    : sql`(
  exists (select from ${seenFeatures(actor)} where sight.application_id = applications.id)
    or not exists (
      select from application_features as sight
        join metric_features on metric_features.id = sight.feature_id
        join features on features.name = metric_features.name
      where sight.application_id = applications.id
    )
)`;

const LAST_SEEN = sql`(
  select max(seen_at) from application_instances where application_id = applications.id
)`;

const APPLICATION = sql`
  applications.name as "appName", applications.created_at as "createdAt", applications.description, applications.url,
  applications.icon, applications.color, applications.strategies, ${LAST_SEEN} as "lastSeenAt"`;

const selectUsage = (actor: Actor) => sql`coalesce((
  select jsonb_agg(jsonb_build_object('project', project, 'environments', environments) order by project)
  from (
    select project, array_agg(distinct metric_environments.name order by metric_environments.name) as environments
    from ${seenFeatures(actor)} where sight.application_id = applications.id group by project
  ) as used
), '[]') as usage`;

/** Removes null values, because responses omit missing fields. */
const omitNulls = <T extends object>(row: WithNulls<T>): T =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as T;

/** Reads a page of applications and their total. */
export async function searchApplications(
  db: Reader,
  actor: Actor,
  { query, project, sortBy, sortOrder, limit, offset }: ApplicationSearch,
): Promise<{ applications: Application[]; total: number }> {
  const conditions = [
    isVisibleApplication(actor),
    query === undefined ? sql`true` : sql`applications.name ilike ${containsPattern(query)}`,
    project === undefined
      ? sql`true`
      : sql`exists (
      select from ${seenFeatures(actor)} where sight.application_id = applications.id and features.project = ${project}
    )`,
  ];
  const key = sortBy === 'lastSeenAt' ? LAST_SEEN : SORT_COLUMNS[sortBy];
  const { rows } = await sql<{ total: number; applications: WithNulls<Application>[] }>`
    with matching as materialized (
      select id, ${key} as key from applications where ${sql.join(conditions, sql` and `)}
    ), page as (
      select * from matching order by key ${sql.raw(sortOrder)} nulls last, id limit ${limit} offset ${offset}
    ), behind as materialized (
      select application, count(*) as instances from (${selectInstancesBehind()}) as late group by application
    )
    select (select count(*) from matching) as total, coalesce((
      select jsonb_agg(to_jsonb(found) - 'key' - 'id' order by found.key ${sql.raw(sortOrder)} nulls last, found.id)
      from (
        select page.key, page.id, applications.name as "appName", ${iso(sql`applications.created_at`)} as "createdAt",
          applications.description, applications.url, applications.icon, applications.color, applications.strategies,
          ${iso(LAST_SEEN)} as "lastSeenAt", ${selectUsage(actor)}, coalesce(behind.instances, 0) as "instancesBehind"
        from page join applications using (id) left join behind on behind.application = applications.name
      ) as found
    ), '[]') as applications`.execute(db);
  const { total, applications } = rows[0] ?? { total: 0, applications: [] };
  return { total, applications: applications.map(row => omitNulls(row)) };
}

const SORT_COLUMNS: Record<'appName' | 'createdAt', RawBuilder<unknown>> = {
  appName: sql`applications.name`,
  createdAt: sql`applications.created_at`,
};

/** Reads a page of the applications that requested features of a project, and their total. */
export async function searchProjectApplications(
  db: Reader,
  project: string,
  { query, sortOrder, limit, offset }: ProjectApplicationSearch,
): Promise<{ applications: ProjectApplication[]; total: number }> {
  const nameCondition =
    query === undefined ? sql`true` : sql`applications.name ilike ${containsPattern(query)}`;
  const { rows } = await sql<{ applications: ProjectApplication[]; total: number }>`
    with matching as materialized (
      select applications.id, applications.name,
        array_agg(distinct metric_environments.name order by metric_environments.name) as environments
      from features join metric_features on metric_features.name = features.name
        join application_features as sight on sight.feature_id = metric_features.id
        join metric_environments on metric_environments.id = sight.environment_id
        join applications on applications.id = sight.application_id
      where features.project = ${project} and ${nameCondition}
      group by applications.id
    ), page as (
      select * from matching order by name ${sql.raw(sortOrder)} limit ${limit} offset ${offset}
    )
    select (select count(*) from matching) as total, coalesce((
      select jsonb_agg(jsonb_build_object(
        'name', name, 'environments', environments, 'instances', instances.ids, 'sdks', instances.sdks
      ) order by name ${sql.raw(sortOrder)})
      from page cross join lateral (
        with newest as materialized (
          select instance_id, sdk_version from application_instances
          where application_id = page.id and environment = any(page.environments)
          order by seen_at desc, instance_id limit ${MAX_SHOWN_INSTANCES}
        )
        select array(select distinct instance_id from newest order by instance_id) as ids, coalesce((
          select jsonb_agg(jsonb_build_object('name', sdk, 'versions', versions) order by sdk)
          from (
            select split_part(sdk_version, ':', 1) as sdk, coalesce(
              array_agg(distinct split_part(sdk_version, ':', 2)) filter (where split_part(sdk_version, ':', 2) <> ''), '{}'
            ) as versions
            from newest where sdk_version is not null group by 1
          ) as used
        ), '[]') as sdks
      ) as instances
    ), '[]') as applications`.execute(db);
  return rows[0] ?? { total: 0, applications: [] };
}

/** Finds an application with its newest instances and the features it requested, limited to those the actor can read. */
export async function findApplication(
  db: Reader,
  actor: Actor,
  name: string,
): Promise<ApplicationDetails | undefined> {
  const { rows } = await sql<WithNulls<ApplicationDetails>>`
    select ${APPLICATION}, ${selectUsage(actor)},
      coalesce((
        select jsonb_agg(${INSTANCE} order by seen_at desc, instance_id) from (
          select * from application_instances where application_id = applications.id
          order by seen_at desc, instance_id limit ${MAX_SHOWN_INSTANCES}
        ) as shown
      ), '[]') as instances,
      coalesce((
        select jsonb_agg(jsonb_build_object(
          'name', name, 'project', project, 'type', type, 'stale', stale, 'archived', archived,
          'environments', environments, 'lastSeenAt', ${iso(sql`seen_at`)}
        ) order by name)
        from (
          select features.name, project, type, stale, archived_at is not null as archived, max(sight.seen_at) as seen_at,
            array_agg(metric_environments.name order by metric_environments.name) as environments
          from ${seenFeatures(actor)} where sight.application_id = applications.id
          group by features.name order by features.name limit ${MAX_SHOWN_FEATURES}
        ) as seen
      ), '[]') as "seenToggles"
    from applications where applications.name = ${name} and ${isVisibleApplication(actor)}`.execute(db);
  return rows[0] && omitNulls(rows[0]);
}

const INSTANCE = sql`jsonb_build_object(
  'instanceId', instance_id, 'environment', environment, 'sdkVersion', sdk_version, 'createdAt', ${iso(sql`created_at`)},
  'lastSeen', ${iso(sql`seen_at`)}
)`;

export type OverviewParts = {
  projects: string[];
  featureCount: number;
  environments: ApplicationEnvironment[];
  missingStrategies: string[];
};

/** Finds an application's instances and SDKs in each environment, and those of its projects that the actor can read. */
export async function findOverview(
  db: Reader,
  actor: Actor,
  name: string,
): Promise<OverviewParts | undefined> {
  const sdks = (condition: RawBuilder<unknown>) => sql`coalesce(
    jsonb_agg(distinct sdk_version order by sdk_version) filter (where sdk_version is not null and ${condition}), '[]')`;
  const { rows } = await sql<OverviewParts>`
    with behind as materialized (${selectInstancesBehind(sql`late.application = ${name}`)})
    select
      array(
        select distinct project from ${seenFeatures(actor)} where sight.application_id = applications.id order by project
      ) as projects,
      (
        select count(distinct features.name) from ${seenFeatures(actor)} where sight.application_id = applications.id
      ) as "featureCount",
      coalesce((
        select jsonb_agg(jsonb_build_object(
          'name', environment, 'instanceCount', instances, 'sdks', sdks, 'frontendSdks', frontend,
          'backendSdks', backend, 'lastSeen', ${iso(sql`seen_at`)},
          'issues', jsonb_build_object('missingFeatures', array(
            select unknown_flags.name from unknown_flags
            where unknown_flags.application = applications.name and unknown_flags.environment = summary.environment
            order by unknown_flags.name limit ${MAX_SHOWN_INSTANCES}
          ), 'outdatedSdks', '[]'::jsonb, 'instancesBehind', coalesce((
            select jsonb_agg(jsonb_build_object(
              'instanceId', instance, 'revision', revision, 'since', ${iso(sql`published_at`)}, 'lastSeen', ${iso(sql`seen_at`)}
            ) order by published_at, instance)
            from (
              select * from behind where behind.environment = summary.environment
              order by published_at, instance limit ${MAX_SHOWN_INSTANCES}
            ) as shown
          ), '[]'))
        ) order by environment)
        from (
          select environment, count(*) as instances, max(seen_at) as seen_at, ${sdks(sql`true`)} as sdks,
            ${sdks(sql`is_frontend`)} as frontend, ${sdks(sql`not is_frontend`)} as backend
          from application_instances where application_id = applications.id group by environment
        ) as summary
      ), '[]') as environments,
      array(
        select strategy from unnest(applications.strategies) as strategy
        where not exists (select from strategies where strategies.name = strategy) order by strategy
      ) as "missingStrategies"
    from applications where applications.name = ${name} and ${isVisibleApplication(actor)}`.execute(db);
  return rows[0];
}

/** Lists the newest instances of an application in an environment. */
export async function listInstances(
  db: Reader,
  actor: Actor,
  name: string,
  environment: string,
): Promise<Omit<ApplicationInstance, 'environment' | 'createdAt'>[]> {
  const { rows } = await sql<Omit<ApplicationInstance, 'environment' | 'createdAt'>>`
    select instance_id as "instanceId", sdk_version as "sdkVersion", application_instances.seen_at as "lastSeen"
    from application_instances join applications on applications.id = application_id
    where applications.name = ${name} and environment = ${environment} and ${isVisibleApplication(actor)}
    order by application_instances.seen_at desc, instance_id limit ${MAX_SHOWN_INSTANCES}`.execute(db);
  return rows;
}

export async function applicationExists(db: Reader, actor: Actor, name: string): Promise<boolean> {
  const { rows } = await sql<{ present: boolean }>`
    select exists (select from applications where name = ${name} and ${isVisibleApplication(actor)}) as present`.execute(
    db,
  );
  return rows[0]?.present === true;
}

/**
 * Lists the applications that used each token, most recently seen first, limited to those the actor can see. `token` selects one
 * token.
 */
export async function listTokenApplications(
  db: Reader,
  actor: Actor,
  token?: number,
): Promise<ApiTokenUse[]> {
  const { rows } = await sql<ApiTokenUse>`
    select coalesce(token_id, 0) as id, jsonb_agg(jsonb_build_object(
      'appName', name, 'environment', environment, 'sdkVersion', sdk_version, 'instances', instances,
      'lastSeen', ${iso(sql`seen_at`)}
    ) order by place) as applications
    from (
      select used.*, row_number() over (partition by token_id order by seen_at desc, name) as place
      from (
        select application_instances.token_id, applications.name, environment, count(*) as instances,
          max(application_instances.seen_at) as seen_at,
          (array_agg(sdk_version order by application_instances.seen_at desc))[1] as sdk_version
        from application_instances join applications on applications.id = application_id
        where ${token === undefined ? sql`application_instances.token_id is not null` : sql`application_instances.token_id = ${token}`}
          and ${isVisibleApplication(actor)}
        group by application_instances.token_id, applications.id, environment
      ) as used
    ) as ranked
    where place <= ${MAX_APPLICATIONS_PER_TOKEN} group by token_id order by token_id`.execute(db);
  return rows;
}

/** Lists names that applications requested but that no feature has, most recently seen first. */
export async function listUnknownFlags(db: Reader, actor: Actor, limit: number): Promise<UnknownFlag[]> {
  const { rows } = await sql<UnknownFlag>`
    select name, max(seen_at) as "lastSeenAt", jsonb_agg(jsonb_build_object(
      'appName', application, 'environments', environments) order by application) as reports
    from (
      select name, application, max(seen_at) as seen_at, jsonb_agg(jsonb_build_object(
        'environment', environment, 'seenAt', ${iso(sql`seen_at`)}) order by environment) as environments
      from unknown_flags
      where not exists (select from features where features.name = unknown_flags.name)
        and not exists (
          select from applications where applications.name = unknown_flags.application and not ${isVisibleApplication(actor)}
        )
      group by name, application
    ) as reported
    group by name order by max(seen_at) desc, name limit ${limit}`.execute(db);
  return rows;
}

/** Locks the application until the transaction ends, and returns the fields that users set. */
export async function lockApplication(
  tx: Tx,
  actor: Actor,
  name: string,
): Promise<(Record<keyof ApplicationFields, string | null> & { id: number }) | undefined> {
  const { rows } = await sql<Record<keyof ApplicationFields, string | null> & { id: number }>`
    select id, description, url, icon, color from applications
    where name = ${name} and ${isVisibleApplication(actor)} for update`.execute(tx);
  return rows[0];
}

export async function updateApplicationRow(
  tx: Tx,
  id: number,
  { description, url, icon, color }: Record<keyof ApplicationFields, string | null>,
): Promise<void> {
  await tx.updateTable('applications').set({ description, url, icon, color }).where('id', '=', id).execute();
}

export async function deleteApplication(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('applications').where('id', '=', id).execute();
}
