import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import { type KindReport, newReport } from '../report.ts';
import { hasTable, readSelect, type Source, textOf, timeOf } from '../source/source.ts';

// When SDKs last asked for a flag, so that health and lifecycle know it from the first day. The later time wins, so it can be
// repeated without comparing it with earlier imports.

type LastUse = {
  feature: string;
  environment: string;
  seenAt: string;
  firstSeenOn: string;
  enabledOn: string | null;
  disabledOn: string | null;
};

/** Each table that records uses: by hour, by day, and the last use overall. */
const PARTS = [
  {
    needs: ['client_metrics_env', 'timestamp'],
    select: `select feature_name, environment, timestamp as at, yes > 0 as enabled, no > 0 as disabled from client_metrics_env`,
  },
  {
    needs: ['client_metrics_env_daily', 'date'],
    select: `select feature_name, environment, date::timestamptz, yes > 0, no > 0 from client_metrics_env_daily`,
  },
  {
    needs: ['last_seen_at_metrics', 'last_seen_at'],
    select: `select feature_name, environment, last_seen_at, false, false from last_seen_at_metrics`,
  },
  {
    needs: ['feature_environments', 'last_seen_at'],
    select: `select feature_name, environment, last_seen_at, false, false from feature_environments where last_seen_at is not null`,
  },
];

export async function importLastUses(
  db: Db,
  source: Source,
  plan: boolean,
  onBatch: (items: number) => void,
): Promise<KindReport> {
  const report = newReport();
  const parts = PARTS.filter(
    ({ needs: [table = '', column = ''] }) =>
      hasTable(source, table) && source.columns.get(table)?.has(column),
  );
  const select = `
    select feature_name as feature, environment, max(at) as seen_at, min(at)::date as first_seen_on,
      max(at::date) filter (where enabled) as enabled_on, max(at::date) filter (where disabled) as disabled_on
    from (${parts.map(part => part.select).join(' union all ')}) as uses
    group by 1, 2 order by 1, 2`;
  for await (const rows of readSelect(source, select)) {
    const uses = rows.flatMap((row): LastUse[] => {
      const seenAt = timeOf(row.seen_at);
      if (seenAt === null) return [];
      return [
        {
          feature: textOf(row.feature),
          environment: textOf(row.environment),
          seenAt,
          firstSeenOn: textOf(row.first_seen_on),
          enabledOn: textOf(row.enabled_on) || null,
          disabledOn: textOf(row.disabled_on) || null,
        },
      ];
    });
    const { created, updated } = await (plan ? countLater(db, uses) : write(db, uses));
    report.created += created;
    report.updated += updated;
    report.unchanged += uses.length - created - updated;
    onBatch(uses.length);
  }
  return report;
}

/** The uses of flags and environments that exist in Halyard. */
const given = (uses: LastUse[]) => sql`(
  select given.* from jsonb_to_recordset(${JSON.stringify(uses)}::jsonb) as given (
    feature text, environment text, "seenAt" timestamptz, "firstSeenOn" date, "enabledOn" date, "disabledOn" date)
  join feature_environments as here on here.feature_name = given.feature and here.environment = given.environment
)`;

const IS_LATER = sql`(
  kept.seen_at < given."seenAt" or kept.first_seen_on > given."firstSeenOn"
  or coalesce(kept.enabled_on, '-infinity') < given."enabledOn"
  or coalesce(kept.disabled_on, '-infinity') < given."disabledOn")`;

type Counts = { created: number; updated: number };

async function countLater(db: Db, uses: LastUse[]): Promise<Counts> {
  const { rows } = await sql<Counts>`
    select count(*) filter (where kept.feature_name is null)::integer as created,
      count(*) filter (where ${IS_LATER})::integer as updated
    from ${given(uses)} as given left join feature_last_seen as kept
      on kept.feature_name = given.feature and kept.environment = given.environment`.execute(db);
  return rows[0] ?? { created: 0, updated: 0 };
}

async function write(db: Db, uses: LastUse[]): Promise<Counts> {
  const { rows } = await sql<Counts>`
    with written as (
      insert into feature_last_seen as kept (feature_name, environment, seen_at, first_seen_on, enabled_on, disabled_on)
      select feature, environment, "seenAt", "firstSeenOn", "enabledOn", "disabledOn" from ${given(uses)} as given
      order by 1, 2
      on conflict (feature_name, environment) do update
        set seen_at = greatest(kept.seen_at, excluded.seen_at),
          first_seen_on = least(kept.first_seen_on, excluded.first_seen_on),
          enabled_on = greatest(kept.enabled_on, excluded.enabled_on),
          disabled_on = greatest(kept.disabled_on, excluded.disabled_on)
        where kept.seen_at < excluded.seen_at or kept.first_seen_on > excluded.first_seen_on
          or coalesce(kept.enabled_on, '-infinity') < excluded.enabled_on
          or coalesce(kept.disabled_on, '-infinity') < excluded.disabled_on
      returning xmax = 0 as is_new
    )
    select count(*) filter (where is_new)::integer as created, count(*) filter (where not is_new)::integer as updated
    from written`.execute(db);
  return rows[0] ?? { created: 0, updated: 0 };
}
