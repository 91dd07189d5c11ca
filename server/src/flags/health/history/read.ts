import type { Db } from '../../../platform/db/database.ts';
import { badData } from '../../../platform/errors.ts';
import { parsePlainDay, parseSearch } from '../../../platform/http/filter.ts';
import { FORMULA, healthOf } from '../../technical-debt/score.ts';
import type { HealthHistory } from './schema.ts';
import { type Range, readDays } from './store.ts';

const DAY_MS = 86_400_000;
const MOST_DAYS = 366;
const USUAL_DAYS = 30;

export async function readHistory(db: Db, project: string, range: Range, at: Date): Promise<HealthHistory> {
  const days = await db.transaction().execute(tx => readDays(tx, project, range, at));
  return {
    project,
    formula: FORMULA,
    days: days.map(day => ({ ...day, health: healthOf(day), technicalDebt: 100 - healthOf(day) })),
  };
}

/** Reads the range of days, or refuses with every violation. A day that has not come yet is left out. */
export function parseRange(parameters: Record<string, unknown>, at: Date): Range {
  const today = dayOf(at.getTime());
  const asked = parseSearch<Partial<Range>>(parameters, { from: parsePlainDay, to: parsePlainDay }, {});
  const to = asked.to === undefined || asked.to > today ? today : asked.to;
  const from = asked.from ?? dayOf(Date.parse(to) - (USUAL_DAYS - 1) * DAY_MS);
  if (from > (asked.to ?? to)) throw badData([{ message: 'from is after to', path: '/query/from' }]);
  if (Date.parse(to) - Date.parse(from) >= MOST_DAYS * DAY_MS)
    throw badData([{ message: `from and to must span ${MOST_DAYS} days at most`, path: '/query/from' }]);
  return { from, to };
}

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);
