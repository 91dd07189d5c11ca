import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import { createReport, type KindReport } from '../report.ts';
import { hasTable, parseTime, readSelectInBatches, type Source, toText } from '../source/source.ts';

// Imports when SDKs last requested a flag, so that health and lifecycle are right from the first day. The later time wins, so the
// import can be repeated without checking what earlier imports wrote.

type LastUse = {
  feature: string;
  environment: string;
  seenAt: string;
  firstSeenOn: string;
  enabledOn: string | null;
  disabledOn: string | null;
  /** Whether this is a plan and the import would create the flag. */
  willExist: boolean;
};

/** The tables that record uses by hour or by day, and those that record only the last use. */
const USAGE_TABLES = [
  {
    requires: ['client_metrics_env', 'timestamp'],
    select: `select feature_name, environment, timestamp as at, yes > 0 as enabled, no > 0 as disabled from client_metrics_env`,
  },
  {
    requires: ['client_metrics_env_daily', 'date'],
    select: `select feature_name, environment, date::timestamptz, yes > 0, no > 0 from client_metrics_env_daily`,
  },
  {
    requires: ['last_seen_at_metrics', 'last_seen_at'],
    select: `select feature_name, environment, last_seen_at, false, false from last_seen_at_metrics`,
  },
  {
    requires: ['feature_environments', 'last_seen_at'],
    select: `select feature_name, environment, last_seen_at, false, false from feature_environments where last_seen_at is not null`,
  },
];

/** A plan counts what an import would write, including the uses of flags that it would create. */
export type UsageOptions = { plan: boolean; willExist: (feature: string) => boolean };

export async function importLastUses(
  db: Db,
  source: Source,
  { plan, willExist }: UsageOptions,
  onBatch: (items: number) => void,
): Promise<KindReport> {
  const report = createReport();
  const parts = USAGE_TABLES.filter(
    ({ requires: [table = '', column = ''] }) =>
      hasTable(source, table) && source.columns.get(table)?.has(column),
  );
  const select = `
    select uses.*, exists (select from feature_environments as its
      where its.feature_name = uses.feature and its.environment = uses.environment) as in_source
    from (select feature_name as feature, environment, max(at) as seen_at, min(at)::date as first_seen_on,
      max(at::date) filter (where enabled) as enabled_on, max(at::date) filter (where disabled) as disabled_on
    from (${parts.map(part => part.select).join(' union all ')}) as all_uses
      group by 1, 2) as uses
    order by 1, 2`;
  for await (const rows of readSelectInBatches(source, select)) {
    const uses = rows.flatMap((row): LastUse[] => {
      const seenAt = parseTime(row.seen_at);
      if (seenAt === null) return [];
      return [
        {
          feature: toText(row.feature),
          environment: toText(row.environment),
          seenAt,
          firstSeenOn: toText(row.first_seen_on),
          enabledOn: toText(row.enabled_on) || null,
          disabledOn: toText(row.disabled_on) || null,
          willExist: plan && willExist(toText(row.feature)) && row.in_source === true,
        },
      ];
    });
    const { created, updated, unchanged } = await (plan ? countLaterUses(db, uses) : writeUses(db, uses));
    report.created += created;
    report.updated += updated;
    report.unchanged += unchanged;
    onBatch(uses.length);
  }
  return report;
}

/** Selects the uses of flags and environments that exist in Halyard, or that a plan would create. */
const selectKnownUses = (uses: LastUse[]) => sql`(
  select given.* from jsonb_to_recordset(${JSON.stringify(uses)}::jsonb) as given (
    feature text, environment text, "seenAt" timestamptz, "firstSeenOn" date, "enabledOn" date, "disabledOn" date,
    "willExist" boolean)
  left join feature_environments as here on here.feature_name = given.feature and here.environment = given.environment
  where here.feature_name is not null or "willExist"
)`;

const IS_LATER = sql`(
  kept.seen_at < given."seenAt" or kept.first_seen_on > given."firstSeenOn"
  or coalesce(kept.enabled_on, '-infinity') < given."enabledOn"
  or coalesce(kept.disabled_on, '-infinity') < given."disabledOn")`;

type Counts = { created: number; updated: number; unchanged: number };

async function countLaterUses(db: Db, uses: LastUse[]): Promise<Counts> {
  const { rows } = await sql<Counts>`
    select count(*) filter (where kept.feature_name is null)::integer as created,
      count(*) filter (where kept.feature_name is not null and ${IS_LATER})::integer as updated,
      count(*) filter (where kept.feature_name is not null and ${IS_LATER} is not true)::integer as unchanged
    from ${selectKnownUses(uses)} as given left join feature_last_seen as kept
      on kept.feature_name = given.feature and kept.environment = given.environment`.execute(db);
  return rows[0] ?? { created: 0, updated: 0, unchanged: 0 };
}

async function writeUses(db: Db, uses: LastUse[]): Promise<Counts> {
  const { rows } = await sql<Counts>`
    with given as (select * from ${selectKnownUses(uses)} as known), written as (
      insert into feature_last_seen as kept (feature_name, environment, seen_at, first_seen_on, enabled_on, disabled_on)
      select feature, environment, "seenAt", "firstSeenOn", "enabledOn", "disabledOn" from given
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
    select count(*) filter (where is_new)::integer as created, count(*) filter (where not is_new)::integer as updated,
      ((select count(*) from given) - count(*))::integer as unchanged
    from written`.execute(db);
  return rows[0] ?? { created: 0, updated: 0, unchanged: 0 };
}
