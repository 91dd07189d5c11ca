import { badData } from '@halyard/plane/platform/errors.ts';
import { parsePlainDay, parseSearch } from '@halyard/plane/platform/http/input/filter.ts';
import type { Db } from '../../../platform/db/database.ts';
import { computeHealth, FORMULA } from '../../technical-debt/score.ts';
import type { HealthHistory } from './schema.ts';
import { type Range, readDays } from './store.ts';

const DAY_MS = 86_400_000;
const MAX_DAYS = 366;
const DEFAULT_DAYS = 30;

export async function readHistory(db: Db, project: string, range: Range, now: Date): Promise<HealthHistory> {
  const days = await db.transaction().execute(tx => readDays(tx, project, range, now));
  return {
    project,
    formula: FORMULA,
    days: days.map(day => ({ ...day, health: computeHealth(day), technicalDebt: 100 - computeHealth(day) })),
  };
}

/** Parses the range of days, or rejects it and lists every violation. Shortens a range that ends in the future to end today. */
export function parseRange(parameters: Record<string, unknown>, now: Date): Range {
  const today = formatDay(now.getTime());
  const range = parseSearch<Partial<Range>>(parameters, { from: parsePlainDay, to: parsePlainDay }, {});
  const lastDay = range.to === undefined || range.to > today ? today : range.to;
  const firstDay = range.from ?? formatDay(Date.parse(lastDay) - (DEFAULT_DAYS - 1) * DAY_MS);
  if (firstDay > (range.to ?? lastDay))
    throw badData([{ message: 'from must not be after to', path: '/query/from' }]);
  if (Date.parse(lastDay) - Date.parse(firstDay) >= MAX_DAYS * DAY_MS)
    throw badData([{ message: `from and to must span at most ${MAX_DAYS} days`, path: '/query/from' }]);
  return { from: firstDay, to: lastDay };
}

const formatDay = (time: number): string => new Date(time).toISOString().slice(0, 10);
