import { sql } from 'kysely';
import { advanceAll } from '../../src/flags/lifecycle/advance.ts';
import type { Db, Tx } from '../../src/platform/db/database.ts';
import { makeInstanceRecorder } from '../../src/reporting/applications/record-instances.ts';
import { createMetricPartitions } from '../../src/reporting/metrics/partitions.ts';
import { assignIds } from '../../src/reporting/metrics/store.ts';
import { ENVIRONMENTS } from './flags.ts';

/** The applications in the sample data. Each requests the flags of one project. */
const APPLICATIONS = [
  {
    project: 'payments',
    application: 'checkout-service',
    sdkVersion: 'unleash-client-node:6.10.1',
    instances: 4,
  },
  { project: 'search', application: 'search-api', sdkVersion: 'unleash-client-java:12.0.1', instances: 3 },
  { project: 'mobile', application: 'mobile-app', sdkVersion: 'unleash-js-sdk:3.8.2', instances: 2 },
];
const FRONTEND_APPLICATION = 'mobile-app';
/** No application requests these flags yet. */
const UNSEEN_FLAGS = ['wallet-top-up', 'checkout-express-b2b'];
/** The application stopped using this flag this many days ago. */
const REMOVED_FLAG = { name: 'old-card-form', daysAgo: 12 };
/** The server keeps hourly counts for a week, so the sample data has hourly counts for this many complete days. */
const HOURLY_DAYS = 6;
const DAILY_DAYS = 30;
const DAY_MS = 86_400_000;

const applicationProject = sql`(values ${sql.join(
  APPLICATIONS.map(({ project, application }) => sql`(${project}, ${application})`),
)}) as asking (project, application)`;

/** Records the first requests of the applications. */
export async function startApplications(db: Db): Promise<void> {
  const seenAt = Date.now();
  await makeInstanceRecorder()(
    db,
    APPLICATIONS.flatMap(({ application, sdkVersion, instances }) =>
      ENVIRONMENTS.flatMap(environment =>
        Array.from({ length: environment === 'production' ? instances : 1 }, (_, index) => ({
          token: 0,
          application,
          environment,
          instanceId: `${application}-${environment}-${index + 1}`,
          sdkVersion,
          isFrontend: application === FRONTEND_APPLICATION,
          strategies: undefined,
          seenAt,
        })),
      ),
    ),
  );
}

/** Records that the applications have requested all flags of their projects, which moves new flags to their next stage. */
export async function markFlagsSeen(db: Db): Promise<void> {
  await sql`
    insert into feature_last_seen (feature_name, environment, seen_at)
    select feature_name, environment, now() from feature_environments
    where feature_name <> all(${UNSEEN_FLAGS})
    on conflict (feature_name, environment) do update set seen_at = excluded.seen_at`.execute(db);
  await advanceAll(db);
}

/** Writes what the applications would have reported up to now: 30 days of counts, and when each flag was last seen. */
export async function writeUsage(db: Db): Promise<void> {
  const now = Date.now();
  for (const days of [...Array(HOURLY_DAYS + 1).keys(), DAILY_DAYS / 2, DAILY_DAYS])
    await createMetricPartitions(db, now - days * DAY_MS);
  const { rows } = await sql<{ name: string }>`
    select name from features where name <> all(${UNSEEN_FLAGS})`.execute(db);
  await assignIds(
    db,
    rows.map(({ name }) => name),
    [...ENVIRONMENTS],
  );
  await db.transaction().execute(async tx => {
    await createUsage(tx);
    await writeCounts(tx);
    await writeLastSeen(tx);
  });
}

/**
 * Creates a row for each flag, environment and application, with how often the application evaluates the flag and how often the flag
 * is then enabled.
 */
async function createUsage(tx: Tx): Promise<void> {
  await sql`
    create temporary table asked on commit drop as
    select features.name, features.created_at, here.environment, here.switched_at, asking.application,
      metric_features.id as feature_id, metric_environments.id as environment_id, applications.id as application_id,
      case when here.enabled and not is_blocked then coalesce(rollout, 100) / 100 else 0 end as share,
      (40 + abs(hashtext(features.name)) % 400) * case here.environment when 'production' then 25 else 1 end as per_hour,
      case when features.name = ${REMOVED_FLAG.name} then now() - ${REMOVED_FLAG.daysAgo} * interval '1 day'
        else now() - interval '4 minutes' end as seen_at,
      features.name = 'checkout-express' and here.environment = 'production' as has_variants
    from features
      join feature_environments as here on here.feature_name = features.name
      join ${applicationProject} on asking.project = features.project
      join applications on applications.name = asking.application
      join metric_features on metric_features.name = features.name
      join metric_environments on metric_environments.name = here.environment,
      lateral (
        select min((parameters ->> 'rollout')::numeric) as rollout from feature_strategies as strategy
        where strategy.feature_name = features.name and strategy.environment = here.environment and not disabled
      ) as strategies,
      lateral (
        select exists (
          select from feature_dependencies as dependency
            join feature_environments as parent on parent.feature_name = dependency.parent
          where child = features.name and parent.environment = here.environment and not parent.enabled
        ) as is_blocked
      ) as dependencies
    where features.name <> all(${UNSEEN_FLAGS})`.execute(tx);
}

async function writeCounts(tx: Tx): Promise<void> {
  // More evaluations during the day than at night, with noise that is the same in every run.
  const evaluations = (time: ReturnType<typeof sql>, hours: number) => sql`
    per_hour * ${hours} * (0.3 + 0.7 * (1 + sin((extract(hour from ${time}) - 8) / 12 * pi())) / 2)
      * (0.85 + abs(hashtext(name || ${time}::text)) % 100 * 0.003)`;
  const counts = (time: ReturnType<typeof sql>, hours: number) => sql`
    lateral (select round(${evaluations(time, hours)})::bigint as asks) as asked_then,
    lateral (select case when ${time} >= switched_at then round(asks * share)::bigint else 0 end as yes) as enabled_then,
    lateral (
      select '' as variant, yes, asks - yes as no
      union all select 'one-tap', round(yes * 0.52)::bigint, 0 where has_variants and yes > 0
      union all select 'two-step', yes - round(yes * 0.52)::bigint, 0 where has_variants and yes > 0
    ) as counted`;
  await sql`
    insert into metric_hours (feature_id, environment_id, application_id, hour, variant, yes, no)
    select feature_id, environment_id, application_id, hour, counted.variant, counted.yes, counted.no
    from asked, generate_series(
        date_trunc('day', now()) - ${HOURLY_DAYS} * interval '1 day', seen_at, interval '1 hour'
      ) as hour, ${counts(sql`hour`, 1)}
    where hour >= created_at`.execute(tx);
  await sql`
    insert into metric_days (feature_id, environment_id, application_id, day, variant, yes, no)
    select feature_id, environment_id, application_id, hour::date, variant, sum(yes), sum(no) from metric_hours
    group by 1, 2, 3, 4, 5`.execute(tx);
  await sql`
    insert into metric_days (feature_id, environment_id, application_id, day, variant, yes, no)
    select feature_id, environment_id, application_id, noon::date, counted.variant, counted.yes, counted.no
    from asked, generate_series(
        date_trunc('day', now()) - ${DAILY_DAYS} * interval '1 day' + interval '12 hours',
        least(seen_at, date_trunc('day', now()) - ${HOURLY_DAYS} * interval '1 day'), interval '1 day'
      ) as noon, ${counts(sql`noon`, 16)}
    where noon >= created_at`.execute(tx);
}

async function writeLastSeen(tx: Tx): Promise<void> {
  await sql`
    insert into application_features (feature_id, application_id, environment_id, seen_at)
    select feature_id, application_id, environment_id, seen_at from asked`.execute(tx);
  await sql`delete from feature_last_seen`.execute(tx);
  await sql`
    insert into feature_last_seen
      (feature_name, environment, seen_at, first_seen_on, enabled_on, disabled_on, variant, variant_changed_on)
    select name, environment, seen_at, greatest(created_at, now() - ${DAILY_DAYS} * interval '1 day')::date,
      case when share > 0 then seen_at::date end, case when share < 1 then seen_at::date end,
      case when has_variants and share > 0 then 'one-tap' end, case when has_variants and share > 0 then seen_at::date end
    from asked`.execute(tx);
  await sql`
    update application_instances set seen_at = now() - interval '1 minute', created_at = now() - interval '2 days'`.execute(
    tx,
  );
  // As if the checkout's code had a typo in the flag name.
  await sql`
    insert into unknown_flags (name, application, environment, created_at, seen_at)
    values ('checkout-expres', 'checkout-service', 'production', now() - interval '2 days', now() - interval '7 minutes')`.execute(
    tx,
  );
}
