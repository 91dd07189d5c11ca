import type { Case } from './cases.ts';
import type { Measurement } from './run.ts';

const FILTER_P95_MS = 50;
const PAGE_OF_1_000_P95_MS = 100;
const FILTER_CPU_MS = 20;
const MAX_FEW_HITS = 1_000;
const FEW_HITS_P95_MS = 100;
const MANY_HITS_P95_MS = 400;
const CONCURRENT_P95_MS = 400;

export const HEADER =
  '| case | total | p50 / p95 ms | CPU ms server | PostgreSQL | 16 at a time, p95 ms | n | goals |\n|---|--:|--:|--:|--:|--:|--:|---|';

/** Returns the goals that a case missed. */
export function findMissedGoals(benchCase: Case, measurement: Measurement): string[] {
  const isText = benchCase.search.query !== undefined;
  const textP95 = measurement.total <= MAX_FEW_HITS ? FEW_HITS_P95_MS : MANY_HITS_P95_MS;
  const filterP95 = benchCase.search.limit === 1_000 ? PAGE_OF_1_000_P95_MS : FILTER_P95_MS;
  const cpu = measurement.cpuServer + measurement.cpuPostgres;
  const goals: [string, number, number | undefined][] = [
    ['p95', isText ? textP95 : filterP95, measurement.p95],
    ['CPU', FILTER_CPU_MS, benchCase.hasOneFilter ? cpu : undefined],
    ['16 at a time', CONCURRENT_P95_MS, isText ? undefined : measurement.concurrentP95],
  ];
  return goals.flatMap(([name, limit, value]) =>
    value !== undefined && value > limit ? [`${name} ${value.toFixed(0)} > ${limit}`] : [],
  );
}

/** Formats a row of the table. */
export function formatRow(benchCase: Case, measurement: Measurement): string {
  const missed = findMissedGoals(benchCase, measurement);
  const cells = [
    benchCase.name,
    measurement.total.toLocaleString('en'),
    `${measurement.p50.toFixed(1)} / ${measurement.p95.toFixed(1)}`,
    measurement.cpuServer.toFixed(1),
    measurement.cpuPostgres.toFixed(1),
    measurement.concurrentP95?.toFixed(0) ?? '',
    String(measurement.rounds),
    measurement.failure === undefined
      ? missed.join(', ') || 'met'
      : `failed: ${measurement.failure.replaceAll('|', '\\|')}`,
  ];
  return `| ${cells.join(' | ')} |`;
}
