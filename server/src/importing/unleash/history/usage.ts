import { sql } from 'kysely';
import type { Db, Reader } from '../../../platform/db/database.ts';
import { createDayPartitions, DEFAULT_RETENTION } from '../../../reporting/metrics/partitions.ts';
import { type KindReport, newReport } from '../report.ts';
import { hasTable, readSelect, type Source, textOf } from '../source/source.ts';

// Evaluations per day, so that usage charts begin before the move. All Unleash applications are counted as one, under a separate
// name. SDKs that report to this server never add to its rows, so a repeated import sets the counts instead of adding them twice.

const APPLICATION = 'import from Unleash';

type DayCount = {
  feature: string;
  environment: string;
  day: string;
  variant: string;
  yes: number;
  no: number;
};

/** Each table of counts. Versions before 6 have no table of days. */
const TABLES = [
  { table: 'client_metrics_env', day: 'timestamp::date', counts: `'' as variant, yes, no` },
  { table: 'client_metrics_env_daily', day: 'date', counts: `'' as variant, yes, no` },
  { table: 'client_metrics_env_variants', day: 'timestamp::date', counts: 'variant, count, 0' },
  { table: 'client_metrics_env_variants_daily', day: 'date', counts: 'variant, count, 0' },
];

export async function importUsage(
  db: Db,
  source: Source,
  plan: boolean,
  onBatch: (items: number) => void,
): Promise<KindReport> {
  const report = newReport();
  const parts = TABLES.filter(({ table }) => hasTable(source, table)).map(
    ({ table, day, counts }) =>
      `select '${table}' as source, app_name, feature_name, environment, ${day} as day, ${counts} from ${table}`,
  );
  if (parts.length === 0) return report;
  // Unleash adds up the hours of a day later, so both tables can have them. Some of the hours may be deleted by then.
  const select = `
    select feature_name as feature, environment, day, variant, sum(yes)::bigint as yes, sum(no)::bigint as no
    from (
      select feature_name, environment, day, variant, app_name, max(yes) as yes, max(no) as no
      from (
        select source, feature_name, environment, day, variant, app_name, sum(yes) as yes, sum(no) as no
        from (${parts.join(' union all ')}) as counts (source, app_name, feature_name, environment, day, variant, yes, no)
        where day > current_date - ${DEFAULT_RETENTION.dailyDays} and day <= current_date group by 1, 2, 3, 4, 5, 6
      ) as of_table group by 1, 2, 3, 4, 5
    ) as of_application group by 1, 2, 3, 4 order by 1, 2, 3, 4`;
  for await (const rows of readSelect(source, select)) {
    const counts = rows.map(row => ({
      feature: textOf(row.feature),
      environment: textOf(row.environment),
      day: textOf(row.day),
      variant: textOf(row.variant),
      yes: Number(row.yes),
      no: Number(row.no),
    }));
    const { created, updated } = await (plan ? countHigher(db, counts) : write(db, counts));
    report.created += created;
    report.updated += updated;
    report.unchanged += counts.length - created - updated;
    onBatch(counts.length);
  }
  return report;
}

/** The counts of flags and environments that exist in Halyard. */
const given = (counts: DayCount[]) => sql`(
  select given.* from jsonb_to_recordset(${JSON.stringify(counts)}::jsonb) as given (
    feature text, environment text, day date, variant text, yes bigint, no bigint)
  join features on features.name = given.feature join environments on environments.name = given.environment
)`;

type Written = { created: number; updated: number };

async function countHigher(db: Reader, counts: DayCount[]): Promise<Written> {
  const { rows } = await sql<Written>`
    select count(*) filter (where kept.day is null)::integer as created,
      count(*) filter (where kept.yes < given.yes or kept.no < given.no)::integer as updated
    from ${given(counts)} as given
      left join metric_features on metric_features.name = given.feature
      left join metric_environments on metric_environments.name = given.environment
      left join applications on applications.name = ${APPLICATION}
      left join metric_days as kept on feature_id = metric_features.id and environment_id = metric_environments.id
        and application_id = applications.id and kept.day = given.day and kept.variant = given.variant`.execute(
    db,
  );
  return rows[0] ?? { created: 0, updated: 0 };
}

async function write(db: Db, counts: DayCount[]): Promise<Written> {
  await createDayPartitions(
    db,
    counts.map(({ day }) => day),
  );
  return await db.transaction().execute(async tx => {
    await sql`
      insert into applications (name, description) values (${APPLICATION}, 'Evaluations that Unleash counted before the import')
      on conflict do nothing`.execute(tx);
    await sql`
      insert into metric_features (name) select distinct feature from ${given(counts)} as given
      order by 1 on conflict do nothing`.execute(tx);
    await sql`
      insert into metric_environments (name) select distinct environment from ${given(counts)} as given
      order by 1 on conflict do nothing`.execute(tx);
    const written = await countHigher(tx, counts);
    await sql`
      insert into metric_days as kept (feature_id, environment_id, application_id, day, variant, yes, no)
      select metric_features.id, metric_environments.id, applications.id, day, variant, yes, no
      from ${given(counts)} as given
        join metric_features on metric_features.name = given.feature
        join metric_environments on metric_environments.name = given.environment
        join applications on applications.name = ${APPLICATION}
      order by 1, 2, 3, 4, variant collate "C"
      on conflict (feature_id, environment_id, application_id, day, variant) do update
        set yes = greatest(kept.yes, excluded.yes), no = greatest(kept.no, excluded.no)
        where kept.yes < excluded.yes or kept.no < excluded.no`.execute(tx);
    return written;
  });
}
