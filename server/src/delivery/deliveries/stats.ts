import type { Reader } from '../../platform/db/database.ts';
import { addCounts, computePercentile } from '../sending/durations.ts';
import type { HourCounts } from '../sending/store.ts';
import type { DeliveryCounts, IntegrationStats } from './schema.ts';
import { countOpenDeliveries, listHours } from './store.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const HOURS = 24;
const DAYS = 30;

/** Counts the attempts of an integration in the last 24 hours and 30 days, including the current hour and day. */
export async function readStats(db: Reader, integration: number, now: Date): Promise<IntegrationStats> {
  const firstHour = floorTime(now, HOUR_MS) - (HOURS - 1) * HOUR_MS;
  const firstDay = floorTime(now, DAY_MS) - (DAYS - 1) * DAY_MS;
  const rows = await listHours(db, integration, new Date(firstDay).toISOString());
  const rowsBetween = (start: number, length: number) =>
    rows.filter(({ hour }) => Date.parse(hour) >= start && Date.parse(hour) < start + length);
  const periods = (first: number, count: number, length: number) =>
    Array.from({ length: count }, (_, n) => {
      const start = first + n * length;
      return { start: new Date(start).toISOString(), ...summarize(rowsBetween(start, length)) };
    });
  return {
    ...(await countOpenDeliveries(db, integration)),
    last24Hours: summarize(rowsBetween(firstHour, HOURS * HOUR_MS)),
    hours: periods(firstHour, HOURS, HOUR_MS),
    last30Days: summarize(rowsBetween(firstDay, DAYS * DAY_MS)),
    days: periods(firstDay, DAYS, DAY_MS),
  };
}

const floorTime = (time: Date, length: number): number => Math.floor(time.getTime() / length) * length;

function summarize(rows: HourCounts[]): DeliveryCounts {
  const sum = (name: 'delivered' | 'deliveredFirst' | 'failed' | 'retried') =>
    rows.reduce((total, row) => total + row[name], 0);
  const durations = rows.reduce<number[]>((all, row) => addCounts(all, row.durations), []);
  const [delivered, failed] = [sum('delivered'), sum('failed')];
  return {
    delivered,
    deliveredFirst: sum('deliveredFirst'),
    failed,
    retried: sum('retried'),
    successRate: delivered + failed === 0 ? null : delivered / (delivered + failed),
    p50Ms: computePercentile(durations, 0.5),
    p95Ms: computePercentile(durations, 0.95),
  };
}
