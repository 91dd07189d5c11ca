import type { Db } from '../../platform/db/database.ts';
import { addPartition, dropPartition, listPartitions, type Partition } from './store.ts';

/** How long counts are stored, in days. */
export type Retention = { hourlyDays: number; dailyDays: number };

export const DEFAULT_RETENTION: Retention = { hourlyDays: 7, dailyDays: 400 };

const DAY_MS = 86_400_000;
/** A server that is stopped for a while, or a job that fails, must not leave counts without a partition. */
const DAYS_AHEAD = 3;

const dateText = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** The partition of the hours of a day. */
function dayPartition(time: number): Partition {
  const from = dateText(time);
  const to = dateText(Date.parse(from) + DAY_MS);
  return { table: 'metric_hours', name: `metric_hours_${from.replaceAll('-', '')}`, from, to };
}

/** The partition of the days of a month. */
function monthPartition(time: number): Partition {
  const date = new Date(time);
  const first = (months: number): string =>
    dateText(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1));
  const from = first(0);
  return {
    table: 'metric_days',
    name: `metric_days_${from.slice(0, 7).replace('-', '')}`,
    from,
    to: first(1),
  };
}

/** The partitions that counts can need from now on. Late counts are from yesterday. */
function partitionsAround(now: number): Partition[] {
  const times = Array.from({ length: DAYS_AHEAD + 2 }, (_, day) => now + (day - 1) * DAY_MS);
  const found = times.flatMap(time => [dayPartition(time), monthPartition(time)]);
  return [...new Map(found.map(partition => [partition.name, partition])).values()];
}

/** Creates the partitions that are missing. Returns their names. */
export const createMetricPartitions = (db: Db, now = Date.now()): Promise<string[]> =>
  createMissing(db, partitionsAround(now));

/** Creates the partitions for counts of these days, such as `2026-11-15`. */
export async function createDayPartitions(db: Db, days: string[]): Promise<void> {
  const needed = days.map(day => monthPartition(Date.parse(day)));
  await createMissing(db, [...new Map(needed.map(partition => [partition.name, partition])).values()]);
}

async function createMissing(db: Db, needed: Partition[]): Promise<string[]> {
  const present = new Set(await listPartitions(db));
  const added: string[] = [];
  for (const partition of needed) {
    if (present.has(partition.name)) continue;
    if (await db.transaction().execute(tx => addPartition(tx, partition))) added.push(partition.name);
  }
  return added;
}

/** Drops the partitions whose newest row is older than the retention. Returns their names. */
export async function dropMetricPartitions(
  db: Db,
  retention: Retention,
  now = Date.now(),
): Promise<string[]> {
  const firstHours = dayPartition(now - retention.hourlyDays * DAY_MS).name;
  const firstDays = monthPartition(now - retention.dailyDays * DAY_MS).name;
  const old = (await listPartitions(db)).filter(
    name => name < (name.startsWith('metric_hours') ? firstHours : firstDays),
  );
  for (const name of old) {
    await db.transaction().execute(tx => dropPartition(tx, name));
  }
  return old;
}
