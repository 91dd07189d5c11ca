import { sql } from 'kysely';
import type { Db, Reader } from '../../../platform/db/database.ts';
import { createMonthlyPartitions, DEFAULT_RETENTION } from '../../../reporting/metrics/partitions.ts';
import { createReport, type KindReport } from '../report.ts';
import { hasTable, readSelectInBatches, type Source, toText } from '../source/source.ts';
import type { UsageOptions } from './last-uses.ts';

// Imports daily evaluation counts, so that usage charts include the time before the move. All Unleash applications are counted as
// one, under a separate name that SDKs never report, so a repeated import can set the counts instead of adding to them.
const APPLICATION = 'import from Unleash';

type DayCount = {
  feature: string;
  environment: string;
  day: string;
  variant: string;
  yes: number;
  no: number;
  /** Whether this is a plan and the import would create the flag. */
  willExist: boolean;
};

/** The tables with counts. Versions before 6 have no tables with daily counts. */
const TABLES = [
  { table: 'client_metrics_env', day: 'timestamp::date', counts: `'' as variant, yes, no` },
  { table: 'client_metrics_env_daily', day: 'date', counts: `'' as variant, yes, no` },
  { table: 'client_metrics_env_variants', day: 'timestamp::date', counts: 'variant, count, 0' },
  { table: 'client_metrics_env_variants_daily', day: 'date', counts: 'variant, count, 0' },
];

export async function importUsage(
  db: Db,
  source: Source,
  { plan, willExist }: UsageOptions,
  onBatch: (items: number) => void,
): Promise<KindReport> {
  const report = createReport();
  const parts = TABLES.filter(({ table }) => hasTable(source, table)).map(
    ({ table, day, counts }) =>
      `select '${table}' as source, app_name, feature_name, environment, ${day} as day, ${counts} from ${table}`,
  );
  if (parts.length === 0) return report;
  // Unleash later sums hourly counts into daily ones and deletes old hours. The same evaluations can therefore be in both tables, and
  // the larger count is right.
  const select = `
    select feature_name as feature, environment, day, variant, sum(yes)::bigint as yes, sum(no)::bigint as no,
      exists (select from features where name = per_application.feature_name)
        and exists (select from environments where name = per_application.environment) as in_source
    from (
      select feature_name, environment, day, variant, app_name, max(yes) as yes, max(no) as no
      from (
        select source, feature_name, environment, day, variant, app_name, sum(yes) as yes, sum(no) as no
        from (${parts.join(' union all ')}) as counts (source, app_name, feature_name, environment, day, variant, yes, no)
        where day > current_date - ${DEFAULT_RETENTION.dailyDays} and day <= current_date group by 1, 2, 3, 4, 5, 6
      ) as per_table group by 1, 2, 3, 4, 5
    ) as per_application group by 1, 2, 3, 4 order by 1, 2, 3, 4`;
  for await (const rows of readSelectInBatches(source, select)) {
    const counts = rows.map(row => ({
      feature: toText(row.feature),
      environment: toText(row.environment),
      day: toText(row.day),
      variant: toText(row.variant),
      yes: Number(row.yes),
      no: Number(row.no),
      willExist: plan && willExist(toText(row.feature)) && row.in_source === true,
    }));
    const { created, updated, unchanged } = await (plan ? countWrites(db, counts) : writeCounts(db, counts));
    report.created += created;
    report.updated += updated;
    report.unchanged += unchanged;
    onBatch(counts.length);
  }
  return report;
}

/** Selects the counts of flags and environments that exist in Halyard, or that a plan would create. */
const selectKnownCounts = (counts: DayCount[]) => sql`(
  select given.* from jsonb_to_recordset(${JSON.stringify(counts)}::jsonb) as given (
    feature text, environment text, day date, variant text, yes bigint, no bigint, "willExist" boolean)
  left join features on features.name = given.feature left join environments on environments.name = given.environment
  where (features.name is not null and environments.name is not null) or "willExist"
)`;

type WriteCounts = { created: number; updated: number; unchanged: number };

async function countWrites(db: Reader, counts: DayCount[]): Promise<WriteCounts> {
  const { rows } = await sql<WriteCounts>`
    select count(*) filter (where kept.day is null)::integer as created,
      count(*) filter (where kept.yes < given.yes or kept.no < given.no)::integer as updated,
      count(*) filter (where kept.yes >= given.yes and kept.no >= given.no)::integer as unchanged
    from ${selectKnownCounts(counts)} as given
      left join metric_features on metric_features.name = given.feature
      left join metric_environments on metric_environments.name = given.environment
      left join applications on applications.name = ${APPLICATION}
      left join metric_days as kept on feature_id = metric_features.id and environment_id = metric_environments.id
        and application_id = applications.id and kept.day = given.day
        and kept.variant = given.variant`.execute(db);
  return rows[0] ?? { created: 0, updated: 0, unchanged: 0 };
}

async function writeCounts(db: Db, counts: DayCount[]): Promise<WriteCounts> {
  await createMonthlyPartitions(
    db,
    counts.map(({ day }) => day),
  );
  return await db.transaction().execute(async tx => {
    await sql`
      insert into applications (name, description) values (${APPLICATION}, 'Evaluations that Unleash counted before the import')
      on conflict do nothing`.execute(tx);
    await sql`
      insert into metric_features (name) select distinct feature from ${selectKnownCounts(counts)} as given
      order by 1 on conflict do nothing`.execute(tx);
    await sql`
      insert into metric_environments (name) select distinct environment from ${selectKnownCounts(counts)} as given
      order by 1 on conflict do nothing`.execute(tx);
    const writes = await countWrites(tx, counts);
    await sql`
      insert into metric_days as kept (feature_id, environment_id, application_id, day, variant, yes, no)
      select metric_features.id, metric_environments.id, applications.id, day, variant, yes, no
      from ${selectKnownCounts(counts)} as given
        join metric_features on metric_features.name = given.feature
        join metric_environments on metric_environments.name = given.environment
        join applications on applications.name = ${APPLICATION}
      order by 1, 2, 3, 4, variant collate "C"
      on conflict (feature_id, environment_id, application_id, day, variant) do update
        set yes = greatest(kept.yes, excluded.yes), no = greatest(kept.no, excluded.no)
        where kept.yes < excluded.yes or kept.no < excluded.no`.execute(tx);
    return writes;
  });
}
