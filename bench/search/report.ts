import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ProfileName } from '../events/profiles.ts';
import { type Case, casesOf } from './cases.ts';
import { type Goal, goalsOf, growthOf } from './goals.ts';
import { plotLog } from './plot.ts';
import type { Measured } from './run.ts';

/** The measured cases of one log. */
export type Run = {
  profile: ProfileName;
  events: number;
  command: string;
  machine: string;
  date: string;
  cases: Measured[];
};

const SMALL = 1_000_000;
const LARGE = 10_000_000;

/**
 * Writes the results of a run into a JSON file next to the report, keeps the cases of earlier runs that were not measured again,
 * and writes report and plot from the results of all logs.
 */
export function writeReport(file: string, run: Run): void {
  mkdirSync(dirname(file), { recursive: true });
  const base = file.replace(/\.md$/, '');
  const runs = readRuns(base);
  const key = (one: Run) => `${one.profile} ${one.events}`;
  const earlier = runs.find(one => key(one) === key(run));
  const again = new Set(run.cases.map(one => one.name));
  const kept = earlier?.cases.filter(one => !again.has(one.name)) ?? [];
  const order = casesOf(run.profile, run.events).map(one => one.name);
  const cases = [...kept, ...run.cases].toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
  const all = [...runs.filter(one => one !== earlier), { ...run, cases }].toSorted((a, b) =>
    key(a) < key(b) ? -1 : 1,
  );
  writeFileSync(`${base}.json`, `${JSON.stringify(all, roundedNumbers, 2)}\n`);
  writeFileSync(file, markdownOf(all, base.split('/').at(-1) ?? ''));
  writeFileSync(`${base}.svg`, plotOf(all));
}

const roundedNumbers = (_: string, value: unknown) =>
  typeof value === 'number' ? Math.round(value * 100) / 100 : value;

function readRuns(base: string): Run[] {
  try {
    return JSON.parse(readFileSync(`${base}.json`, 'utf8')) as Run[];
  } catch {
    return [];
  }
}

function plotOf(runs: Run[]): string {
  const skewed = runs.filter(run => run.profile === 'skewed');
  const labels = [...new Set(skewed.flatMap(run => run.cases.map(one => one.name)))];
  const colors = ['#2b7bba', '#d9542b', '#3a9a4b', '#7a5195'];
  return plotLog(
    'Event search over HTTP, p95',
    labels,
    skewed
      .toSorted((a, b) => a.events - b.events)
      .map((run, n) => ({
        name: `${run.events.toLocaleString('en')} events`,
        color: colors[n % colors.length] ?? '',
        values: new Map(run.cases.map(one => [one.name, one.p95])),
      })),
  );
}

function markdownOf(runs: Run[], name: string): string {
  return [
    '# Event search, measured',
    'Written by `npm run bench -- --report`. [bench/README.md](../README.md) describes the columns and the goals.',
    `![p95 of each case](${name}.svg)`,
    ...runs.map(run => section(run, runs)),
    '',
  ].join('\n\n');
}

function section(run: Run, runs: Run[]): string {
  const smaller =
    run.events === LARGE
      ? runs.find(one => one.profile === run.profile && one.events === SMALL)?.cases
      : undefined;
  const cases = new Map(casesOf(run.profile, run.events).map(one => [one.name, one]));
  const rows = run.cases.flatMap(measured => {
    const one = cases.get(measured.name);
    return one
      ? [
          rowOf(
            one,
            measured,
            smaller?.find(other => other.name === one.name),
          ),
        ]
      : [];
  });
  const loads = run.cases.map(one => one.load);
  return [
    `## ${run.events.toLocaleString('en')} events, profile \`${run.profile}\``,
    `${run.date}, ${run.machine}, load average ${Math.min(...loads).toFixed(1)} to ${Math.max(...loads).toFixed(1)}.\n\`${run.command}\``,
    [
      '| case | total | HTTP p50 / p95 ms | CPU ms server | PostgreSQL | 16 at once, p95 ms | growth | n | goals |',
    ]
      .concat('|---|--:|--:|--:|--:|--:|--:|--:|---|', rows)
      .join('\n'),
  ].join('\n\n');
}

/** A row of the table, also printed while the bench runs. */
export function rowOf(one: Case, measured: Measured, smaller?: Measured): string {
  const cells = [
    one.name,
    measured.total.toLocaleString('en'),
    `${measured.p50.toFixed(1)} / ${measured.p95.toFixed(1)}`,
    measured.cpuServer.toFixed(1),
    measured.cpuPostgres.toFixed(1),
    measured.atOnceP95?.toFixed(0) ?? '',
    smaller ? growthOf(measured, smaller).toFixed(2) : '',
    String(measured.rounds),
    measured.failure === undefined
      ? verdict(goalsOf(one, measured, smaller))
      : `**failed: ${measured.failure.replaceAll('|', '\\|')}**`,
  ];
  return `| ${cells.join(' | ')} |`;
}

function verdict(goals: Goal[]): string {
  const missed = goals.filter(goal => !goal.met);
  if (missed.length === 0) return 'met';
  return `**not met**: ${missed.map(({ name, limit }) => `${name} ≤ ${Number(limit.toFixed(1))}`).join(', ')}`;
}
