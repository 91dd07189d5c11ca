import type { Db } from '../../platform/db/database.ts';
import { addPartition, dropPartition, listPartitions, type Partition } from './store.ts';

/** How long counts are stored, in days. */
export type Retention = { hourlyDays: number; dailyDays: number };

export const DEFAULT_RETENTION: Retention = { hourlyDays: 7, dailyDays: 400 };

const DAY_MS = 86_400_000;
/** Partitions are created this many days ahead, so there is still one for new counts if the job fails. */
const DAYS_AHEAD = 3;

const formatDate = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** Describes the metric_hours partition for one day. */
function buildHoursPartition(time: number): Partition {
  const start = formatDate(time);
  const end = formatDate(Date.parse(start) + DAY_MS);
  return { table: 'metric_hours', name: `metric_hours_${start.replaceAll('-', '')}`, from: start, to: end };
}

/** Describes the metric_days partition for one month. */
function buildDaysPartition(time: number): Partition {
  const date = new Date(time);
  const firstOfMonth = (months: number): string =>
    formatDate(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1));
  const start = firstOfMonth(0);
  return {
    table: 'metric_days',
    name: `metric_days_${start.slice(0, 7).replace('-', '')}`,
    from: start,
    to: firstOfMonth(1),
  };
}

/** Returns the partitions needed from now on, including yesterday's for late counts. */
function listNeededPartitions(now: number): Partition[] {
  const times = Array.from({ length: DAYS_AHEAD + 2 }, (_, day) => now + (day - 1) * DAY_MS);
  const partitions = times.flatMap(time => [buildHoursPartition(time), buildDaysPartition(time)]);
  return [...new Map(partitions.map(partition => [partition.name, partition])).values()];
}

/** Creates the missing partitions. Returns their names. */
export const createMetricPartitions = (db: Db, now = Date.now()): Promise<string[]> =>
  createMissingPartitions(db, listNeededPartitions(now));

/** Creates the monthly partitions for counts on these days, such as `2026-11-15`. */
export async function createMonthlyPartitions(db: Db, days: string[]): Promise<void> {
  const needed = days.map(day => buildDaysPartition(Date.parse(day)));
  await createMissingPartitions(db, [
    ...new Map(needed.map(partition => [partition.name, partition])).values(),
  ]);
}

async function createMissingPartitions(db: Db, needed: Partition[]): Promise<string[]> {
  const existingNames = new Set(await listPartitions(db));
  const addedNames: string[] = [];
  for (const partition of needed) {
    if (existingNames.has(partition.name)) continue;
    if (await db.transaction().execute(tx => addPartition(tx, partition))) addedNames.push(partition.name);
  }
  return addedNames;
}

/** Drops the partitions whose newest row is older than the retention. Returns their names. */
export async function dropMetricPartitions(
  db: Db,
  retention: Retention,
  now = Date.now(),
): Promise<string[]> {
  const oldestKeptHoursPartition = buildHoursPartition(now - retention.hourlyDays * DAY_MS).name;
  const oldestKeptDaysPartition = buildDaysPartition(now - retention.dailyDays * DAY_MS).name;
  const outdatedNames = (await listPartitions(db)).filter(
    name => name < (name.startsWith('metric_hours') ? oldestKeptHoursPartition : oldestKeptDaysPartition),
  );
  for (const name of outdatedNames) await db.transaction().execute(tx => dropPartition(tx, name));
  return outdatedNames;
}
