import type { Case } from './cases.ts';
import type { Measured } from './run.ts';

const FILTER_P95 = 50;
const FILTER_CPU = 20;
const FEW_HITS = 1_000;
const FEW_HITS_P95 = 100;
const MANY_HITS_P95 = 400;
const AT_ONCE_P95 = 400;
const GROWTH = 2;

export type Goal = { name: string; limit: number; measured: number; met: boolean };

const goal = (name: string, limit: number, measured: number): Goal => ({
  name,
  limit,
  measured,
  met: measured <= limit,
});

export const cpuOf = (one: Measured): number => one.cpuServer + one.cpuPostgres;

/** The goals of a case. `smaller` is the same case at a tenth of the events. */
export function goalsOf(one: Case, measured: Measured, smaller?: Measured): Goal[] {
  const isText = one.search.query !== undefined;
  const textP95 = measured.total <= FEW_HITS ? FEW_HITS_P95 : MANY_HITS_P95;
  const goals = [goal('p95', isText ? textP95 : FILTER_P95, measured.p95)];
  if (one.oneFilter) goals.push(goal('CPU', FILTER_CPU, cpuOf(measured)));
  if (measured.atOnceP95 !== undefined && !isText) {
    goals.push(goal('16 at once', AT_ONCE_P95, measured.atOnceP95));
  }
  if (one.unleash) goals.push(goal('Unleash', one.unleash.cpuMs / one.unleash.times, cpuOf(measured)));
  // A tick of /proc is 10 ms: below 1 ms per request the ratio says nothing.
  if (smaller && !isText) goals.push(goal('growth', GROWTH, growthOf(measured, smaller)));
  return goals;
}

export const growthOf = (measured: Measured, smaller: Measured): number =>
  cpuOf(measured) / Math.max(1, cpuOf(smaller));
