import type { QuotaUsage } from '@halyard/plane/counting/quotas.ts';
import { sql } from 'kysely';
import type { Db, Reader, Tx } from '../../platform/db/database.ts';

/** Counts of a feature, or of one of its variants, with ids instead of names. */
export type CountRow = {
  feature: number;
  environment: number;
  application: number;
  /** Milliseconds since 1970. */
  hour: number;
  /** Empty for the feature itself. */
  variant: string;
  yes: number;
  no: number;
};

/** Records that a batch is part of this transaction. Returns false if an earlier transaction wrote the batch. */
export async function claimBatch(tx: Tx, source: string, number: number): Promise<boolean> {
  const { rows } = await sql<{ number: number }>`
    insert into metric_batches (source, number) values (${source}, ${number})
    on conflict (source) do update set number = excluded.number, written_at = now()
    where metric_batches.number < excluded.number
    returning number`.execute(tx);
  return rows.length > 0;
}

/** Assigns ids to features and environments that have none. Unknown names get none. */
export async function assignIds(db: Db, features: string[], environments: string[]): Promise<void> {
  await sql`
    insert into metric_features (name)
    select name from features
    where name = any(${features}) and not exists (select from metric_features as known where known.name = features.name)
    order by name on conflict do nothing`.execute(db);
  await sql`
    insert into metric_environments (name)
    select name from environments
    where name = any(${environments})
      and not exists (select from metric_environments as known where known.name = environments.name)
    order by name on conflict do nothing`.execute(db);
}

export type NameWithId = { name: string; id: number };

export type FeatureWithId = NameWithId & { project: string };

/** Lists the ids and projects of the features that exist, including archived ones. */
export async function listFeatureIds(db: Reader, names: string[]): Promise<FeatureWithId[]> {
  const { rows } = await sql<FeatureWithId>`
    select metric_features.name, metric_features.id, features.project from metric_features join features using (name)
    where name = any(${names})`.execute(db);
  return rows;
}

export async function listEnvironmentIds(db: Reader, names: string[]): Promise<NameWithId[]> {
  const { rows } = await sql<NameWithId>`
    select name, id from metric_environments where name = any(${names})`.execute(db);
  return rows;
}

/**
 * Adds counts to the hours and to the days. Rows can have the same key if tokens of different projects reported the same
 * feature. The rows are locked in the order of their keys.
 */
export async function addCounts(tx: Tx, rows: CountRow[]): Promise<void> {
  const column = <K extends keyof CountRow>(name: K): CountRow[K][] => rows.map(row => row[name]);
  const inputRows = sql`unnest(
      ${column('feature')}::integer[], ${column('environment')}::integer[], ${column('application')}::integer[],
      ${column('hour')}::bigint[], ${column('variant')}::text[], ${column('yes')}::bigint[], ${column('no')}::bigint[]
    ) as given (feature, environment, application, time, variant, yes, no)`;
  await sql`
    insert into metric_hours as kept (feature_id, environment_id, application_id, hour, variant, yes, no)
    select feature, environment, application, to_timestamp(time / 1000), variant, sum(yes), sum(no) from ${inputRows}
    group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, variant collate "C"
    on conflict (feature_id, environment_id, application_id, hour, variant)
      do update set yes = kept.yes + excluded.yes, no = kept.no + excluded.no`.execute(tx);
  await sql`
    insert into metric_days as kept (feature_id, environment_id, application_id, day, variant, yes, no)
    select feature, environment, application, to_timestamp(time / 1000)::date, variant, sum(yes), sum(no) from ${inputRows}
    group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, variant collate "C"
    on conflict (feature_id, environment_id, application_id, day, variant)
      do update set yes = kept.yes + excluded.yes, no = kept.no + excluded.no`.execute(tx);
}

export type LastSeen = Pick<CountRow, 'feature' | 'environment' | 'application'> & { seenAt: number };

/** Records which application requested which feature, at most once an hour for each. */
export async function insertLastSeen(tx: Tx, lastSeen: LastSeen[]): Promise<void> {
  await sql`
    insert into application_features as kept (feature_id, application_id, environment_id, seen_at)
    select feature, application, environment, to_timestamp(max(seen) / 1000.0) from unnest(
      ${lastSeen.map(row => row.feature)}::integer[], ${lastSeen.map(row => row.application)}::integer[],
      ${lastSeen.map(row => row.environment)}::integer[], ${lastSeen.map(row => row.seenAt)}::bigint[]
    ) as given (feature, application, environment, seen)
    group by 1, 2, 3 order by 1, 2, 3
    on conflict (feature_id, application_id, environment_id) do update set seen_at = excluded.seen_at
      where kept.seen_at < excluded.seen_at - interval '1 hour'`.execute(tx);
}

export type SeenFeature = { feature: string; environment: string; application: string; seenAt: number };

export type ReportedFeature = SeenFeature & { token: number };

/**
 * Records when features were last seen, at most once a minute for each environment, and the last day of each result. Returns the
 * names of the features whose rows changed. `variant` is the last variant, and `variant_changed_on` is the last day on which it
 * changed.
 */
export async function updateLastSeen(
  tx: Tx,
  lastSeen: (SeenFeature & Pick<CountRow, 'hour' | 'variant' | 'yes' | 'no'>)[],
): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    insert into feature_last_seen as kept
      (feature_name, environment, seen_at, first_seen_on, enabled_on, disabled_on, variant, variant_changed_on)
    select feature, environment, to_timestamp(max(seen) / 1000.0), min(day),
      max(day) filter (where variant = '' and yes > 0), max(day) filter (where no > 0),
      max(variant) filter (where variant <> '' and yes > 0),
      case when count(distinct variant) filter (where variant <> '' and yes > 0) > 1 then max(day) end
    from (
      select *, to_timestamp(hour / 1000)::date as day from unnest(
        ${lastSeen.map(row => row.feature)}::text[], ${lastSeen.map(row => row.environment)}::text[],
        ${lastSeen.map(row => row.seenAt)}::bigint[], ${lastSeen.map(row => row.hour)}::bigint[],
        ${lastSeen.map(row => row.variant)}::text[], ${lastSeen.map(row => row.yes)}::bigint[],
        ${lastSeen.map(row => row.no)}::bigint[]
      ) as listed (feature, environment, seen, hour, variant, yes, no)
    ) as given
    group by 1, 2 order by 1, 2
    on conflict (feature_name, environment) do update
      set seen_at = greatest(kept.seen_at, excluded.seen_at),
        enabled_on = greatest(kept.enabled_on, excluded.enabled_on),
        disabled_on = greatest(kept.disabled_on, excluded.disabled_on),
        variant = coalesce(excluded.variant, kept.variant),
        variant_changed_on = greatest(kept.variant_changed_on, excluded.variant_changed_on, ${CHANGED_ON})
      where kept.seen_at < excluded.seen_at - interval '1 minute'
        or excluded.enabled_on > coalesce(kept.enabled_on, '-infinity')
        or excluded.disabled_on > coalesce(kept.disabled_on, '-infinity')
        or greatest(excluded.variant_changed_on, ${CHANGED_ON}) > coalesce(kept.variant_changed_on, '-infinity')
        or (excluded.variant is not null and kept.variant is null)
    returning feature_name as name`.execute(tx);
  return [...new Set(rows.map(row => row.name))];
}

/** The day of the new row if its variant differs from the stored one. */
const CHANGED_ON = sql`case when excluded.variant <> kept.variant then excluded.seen_at::date end`;

/** Returns the list positions of the names that are not stored yet. */
export async function listNewUnknownFlags(db: Reader, lastSeen: SeenFeature[]): Promise<Set<number>> {
  const { rows } = await sql<{ place: number }>`
    select (place - 1)::integer as place from unnest(
      ${lastSeen.map(row => row.feature)}::text[], ${lastSeen.map(row => row.application)}::text[],
      ${lastSeen.map(row => row.environment)}::text[]
    ) with ordinality as given (feature, application, environment, place)
    where not exists (
      select from unknown_flags as known
      where known.name = feature and known.application = given.application and known.environment = given.environment
    )`.execute(db);
  return new Set(rows.map(({ place }) => place));
}

/** Counts the unknown flag names that these tokens have added. */
export async function countUnknownFlags(db: Reader, tokens: number[]): Promise<QuotaUsage[]> {
  const { rows } = await sql<QuotaUsage>`
    select token_id as token, count(*) as "inAll",
      count(*) filter (where created_at > now() - interval '1 hour') as "lastHour"
    from unknown_flags where token_id = any(${tokens}) and token_id is not null
    group by token_id`.execute(db);
  return rows;
}

/** Stores unknown flag names, up to `max` rows in total. Returns how many were not stored. */
export async function insertUnknownFlags(tx: Tx, lastSeen: ReportedFeature[], max: number): Promise<number> {
  const { rows } = await sql<{ left: number }>`
    with given as (
      select feature, application, environment, to_timestamp(max(seen) / 1000.0) as seen_at, min(token) as token
      from unnest(
        ${lastSeen.map(row => row.feature)}::text[], ${lastSeen.map(row => row.application)}::text[],
        ${lastSeen.map(row => row.environment)}::text[], ${lastSeen.map(row => row.seenAt)}::bigint[],
        ${lastSeen.map(row => row.token)}::integer[]
      ) as listed (feature, application, environment, seen, token)
      group by 1, 2, 3
    ), fitting as (
      select given.* from given left join unknown_flags as known
        on known.name = feature and known.application = given.application and known.environment = given.environment
      order by known.name is null, feature, given.application, given.environment
      limit greatest(${max} - (select count(*) from unknown_flags), 0) + (
        select count(*) from given join unknown_flags as known
          on known.name = feature and known.application = given.application and known.environment = given.environment)
    ), added as (
      insert into unknown_flags as kept (name, application, environment, seen_at, token_id)
      select feature, application, environment, seen_at, token from fitting order by 1, 2, 3
      on conflict (name, application, environment) do update set seen_at = greatest(kept.seen_at, excluded.seen_at)
      returning 1
    )
    select (select count(*) from given) - (select count(*) from added) as left`.execute(tx);
  return rows[0]?.left ?? 0;
}

/**
 * Deletes rows that are no longer read, up to `limit` from each table. Skips rows that a flush has locked. Returns the number of
 * deleted rows.
 */
export async function deleteUnusedRows(tx: Tx, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with batches as (
      delete from metric_batches where source in (
        select source from metric_batches where written_at < now() - interval '7 days'
        order by source limit ${limit} for update skip locked
      ) returning 1
    ), unseen as (
      delete from feature_last_seen where (feature_name, environment) in (
        select feature_name, environment from feature_last_seen
        where not exists (select from features where name = feature_name)
        order by feature_name, environment limit ${limit} for update skip locked
      ) returning 1
    ), unknown as (
      delete from unknown_flags where (name, application, environment) in (
        select name, application, environment from unknown_flags where seen_at < now() - interval '7 days'
        order by name, application, environment limit ${limit} for update skip locked
      ) returning 1
    ), instances as (
      delete from application_instances where (application_id, environment, instance_id) in (
        select application_id, environment, instance_id from application_instances
        where seen_at < now() - interval '2 days'
        order by application_id, environment, instance_id limit ${limit} for update skip locked
      ) returning 1
    ), lastSeen as (
      delete from application_features where (feature_id, application_id, environment_id) in (
        select feature_id, application_id, environment_id from application_features
        where seen_at < now() - interval '90 days'
        order by feature_id, application_id, environment_id limit ${limit} for update skip locked
      ) returning 1
    )
    select (select count(*) from batches) + (select count(*) from unseen) + (select count(*) from unknown)
      + (select count(*) from instances) + (select count(*) from lastSeen) as count`.execute(tx);
  return rows[0]?.count ?? 0;
}

/** A partition of `metric_hours` or `metric_days`, for the days from `from` up to, but not including, `to`. */
export type Partition = { table: 'metric_hours' | 'metric_days'; name: string; from: string; to: string };

export async function listPartitions(db: Reader): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select inhrelid::regclass::text as name from pg_inherits
    where inhparent in ('metric_hours'::regclass, 'metric_days'::regclass) order by name`.execute(db);
  return rows.map(row => row.name);
}

/**
 * Uses `attach partition` instead of `create table … partition of`, which blocks every reader and writer. Returns false if the
 * partition exists.
 */
export async function addPartition(tx: Tx, { table, name, from, to }: Partition): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(hashtext('metric partitions'))`.execute(tx);
  const { rows } = await sql<{ present: boolean }>`
    select to_regclass(${name}) is not null as present`.execute(tx);
  if (rows[0]?.present) return false;
  // Counts of the current hour are updated constantly, so pages leave room for new versions of their rows.
  await sql`create table ${sql.id(name)} (like ${sql.id(table)}) with (fillfactor = 80)`.execute(tx);
  await sql`alter table ${sql.id(table)} attach partition ${sql.id(name)}
    for values from (${sql.lit(from)}) to (${sql.lit(to)})`.execute(tx);
  return true;
}

/** Waits at most 200 ms for statements that use the table, because all later statements wait for this one in the meantime. */
export async function dropPartition(tx: Tx, name: string): Promise<void> {
  await sql`set local lock_timeout = '200ms'`.execute(tx);
  await sql`drop table if exists ${sql.id(name)}`.execute(tx);
}

/** Finds the name of a token, for the log. */
export async function findTokenName(db: Reader, id: number): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`
    select name from api_tokens where id = ${id}`.execute(db);
  return rows[0]?.name;
}
