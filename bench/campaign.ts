import { randomBytes } from 'node:crypto';
import { loadavg } from 'node:os';
import { readOptions } from '../server/src/platform/command-line.ts';
import { createDatabase, dropDatabase, getDatabaseUrl } from '../server/src/test/database.ts';

type Setting = readonly [value: string | number | boolean, meaning: string];
type Widened<T> = T extends number ? number : T extends boolean ? boolean : string;

/** Reads this program's command-line options. Each setting has a description and a default, which also determines its type. */
export function readSettings<const T extends Record<string, Setting>>(
  run: string,
  does: string,
  settings: T,
): { [K in keyof T]: Widened<T[K][0]> } {
  const entries = Object.entries(settings);
  const definitions = Object.fromEntries(
    entries.map(([name, [value, meaning]]) => [
      name,
      typeof value === 'boolean'
        ? ({ type: 'boolean', default: value, meaning } as const)
        : ({ type: 'string', default: String(value), meaning } as const),
    ]),
  );
  const options: Record<string, unknown> = readOptions({ run, does, options: definitions });
  const values = entries.map(([name, [value]]) => [
    name,
    typeof value === 'number' ? Number(options[name]) : options[name],
  ]);
  return Object.fromEntries(values) as { [K in keyof T]: Widened<T[K][0]> };
}

export type Campaign = {
  /** Records that a guarantee was violated. */
  fail: (problem: string) => void;
  /** Registers a cleanup function. All of them run in reverse order, however the campaign ends. */
  atEnd: (cleanup: () => unknown) => void;
};

const MAX_PRINTED_PROBLEMS = 30;

/** Runs the work, stops everything that it started, prints the problems, and exits with status 1 if there were any. */
export async function runCampaign(work: (campaign: Campaign) => Promise<void>): Promise<never> {
  const problems: string[] = [];
  const cleanups: (() => unknown)[] = [];
  // Each server adds listeners to this process, which would exceed the default limit.
  process.setMaxListeners(0);
  try {
    const fail = (problem: string) => {
      problems.push(problem);
      if (problems.length <= MAX_PRINTED_PROBLEMS) console.error(`PROBLEM: ${problem}`);
    };
    await work({ fail, atEnd: cleanup => void cleanups.push(cleanup) });
  } finally {
    for (const cleanup of cleanups.toReversed()) await cleanup();
  }
  console.log(problems.length === 0 ? 'no problems found' : `${problems.length} problems found`);
  process.exit(problems.length === 0 ? 0 : 1);
}

/** Creates an empty database that is dropped at the end. */
export async function makeDatabase(name: string, { atEnd }: Pick<Campaign, 'atEnd'>): Promise<URL> {
  const database = `halyard_${name}_${randomBytes(4).toString('hex')}`;
  await createDatabase(database);
  atEnd(() => dropDatabase(database));
  return new URL(getDatabaseUrl(database));
}

/** Formats this machine's load average, which readers need to interpret the measured times. */
export const loadAverage = (): string => `load ${loadavg()[0]?.toFixed(1)}`;

export function count(counts: Map<string, number>, key: string, amount = 1): void {
  counts.set(key, (counts.get(key) ?? 0) + amount);
}

/** Formats counts, for example as `3 × 200, 1 × 503`. */
export const formatCounts = (counts: ReadonlyMap<string, number>): string =>
  [...counts].map(([key, times]) => `${times} × ${key}`).join(', ');
