import type { Case } from './cases.ts';
import type { Measured } from './run.ts';

const FILTER_P95 = 50;
const PAGE_OF_1_000_P95 = 100;
const FILTER_CPU = 20;
const FEW_HITS = 1_000;
const FEW_HITS_P95 = 100;
const MANY_HITS_P95 = 400;
const CONCURRENT_P95 = 400;

export const HEADER =
  '| case | total | p50 / p95 ms | CPU ms server | PostgreSQL | 16 at a time, p95 ms | n | goals |\n|---|--:|--:|--:|--:|--:|--:|---|';

/** The goals that a case missed. */
export function missedGoals(one: Case, measured: Measured): string[] {
  const isText = one.search.query !== undefined;
  const textP95 = measured.total <= FEW_HITS ? FEW_HITS_P95 : MANY_HITS_P95;
  const filterP95 = one.search.limit === 1_000 ? PAGE_OF_1_000_P95 : FILTER_P95;
  const cpu = measured.cpuServer + measured.cpuPostgres;
  const goals: [string, number, number | undefined][] = [
    ['p95', isText ? textP95 : filterP95, measured.p95],
    ['CPU', FILTER_CPU, one.oneFilter ? cpu : undefined],
    ['16 at a time', CONCURRENT_P95, isText ? undefined : measured.concurrentP95],
  ];
  return goals.flatMap(([name, limit, value]) =>
    value !== undefined && value > limit ? [`${name} ${value.toFixed(0)} > ${limit}`] : [],
  );
}

/** A row of the table. */
export function rowOf(one: Case, measured: Measured): string {
  const missed = missedGoals(one, measured);
  const cells = [
    one.name,
    measured.total.toLocaleString('en'),
    `${measured.p50.toFixed(1)} / ${measured.p95.toFixed(1)}`,
    measured.cpuServer.toFixed(1),
    measured.cpuPostgres.toFixed(1),
    measured.concurrentP95?.toFixed(0) ?? '',
    String(measured.rounds),
    measured.failure === undefined
      ? missed.join(', ') || 'met'
      : `failed: ${measured.failure.replaceAll('|', '\\|')}`,
  ];
  return `| ${cells.join(' | ')} |`;
}
