import { badData } from '../../../../../plane/src/platform/errors.ts';
import { parsePlainDay, parseSearch } from '../../../../../plane/src/platform/http/input/filter.ts';
import type { Db } from '../../../platform/db/database.ts';
import { FORMULA, healthOf } from '../../technical-debt/score.ts';
import type { HealthHistory } from './schema.ts';
import { type Range, readDays } from './store.ts';

const DAY_MS = 86_400_000;
const MAX_DAYS = 366;
const DEFAULT_DAYS = 30;

export async function readHistory(db: Db, project: string, range: Range, at: Date): Promise<HealthHistory> {
  const days = await db.transaction().execute(tx => readDays(tx, project, range, at));
  return {
    project,
    formula: FORMULA,
    days: days.map(day => ({ ...day, health: healthOf(day), technicalDebt: 100 - healthOf(day) })),
  };
}

/** Parses the range of days, or rejects it with every violation. Days in the future are omitted. */
export function parseRange(parameters: Record<string, unknown>, at: Date): Range {
  const today = dayOf(at.getTime());
  const range = parseSearch<Partial<Range>>(parameters, { from: parsePlainDay, to: parsePlainDay }, {});
  const to = range.to === undefined || range.to > today ? today : range.to;
  const from = range.from ?? dayOf(Date.parse(to) - (DEFAULT_DAYS - 1) * DAY_MS);
  if (from > (range.to ?? to)) throw badData([{ message: 'from must not be after to', path: '/query/from' }]);
  if (Date.parse(to) - Date.parse(from) >= MAX_DAYS * DAY_MS)
    throw badData([{ message: `from and to must span at most ${MAX_DAYS} days`, path: '/query/from' }]);
  return { from, to };
}

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);
