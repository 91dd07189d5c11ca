import { randomBytes } from 'node:crypto';
import { loadavg } from 'node:os';
import { readOptions } from '../server/src/platform/command-line.ts';
import { createDatabase, dropDatabase, urlOf } from '../server/src/test/database.ts';

type Setting = readonly [value: string | number | boolean, meaning: string];
type Widened<T> = T extends number ? number : T extends boolean ? boolean : string;

/** Reads the options of this program. Each setting has a meaning and a default, which also determines its type. */
export function readSettings<const T extends Record<string, Setting>>(
  run: string,
  does: string,
  settings: T,
): { [K in keyof T]: Widened<T[K][0]> } {
  const entries = Object.entries(settings);
  const options = Object.fromEntries(
    entries.map(([name, [value, meaning]]) => [
      name,
      typeof value === 'boolean'
        ? ({ type: 'boolean', default: value, meaning } as const)
        : ({ type: 'string', default: String(value), meaning } as const),
    ]),
  );
  const given: Record<string, unknown> = readOptions({ run, does, options });
  const read = entries.map(([name, [value]]) => [
    name,
    typeof value === 'number' ? Number(given[name]) : given[name],
  ]);
  return Object.fromEntries(read) as { [K in keyof T]: Widened<T[K][0]> };
}

export type Campaign = {
  /** Records that a guarantee was violated. */
  fail: (problem: string) => void;
  /** Runs at the end, the last one first, however the campaign ends. */
  atEnd: (stop: () => unknown) => void;
};

const MAX_PRINTED = 30;

/** Runs the work, stops everything that was started, prints the problems, and exits with 1 if there are any. */
export async function runCampaign(work: (campaign: Campaign) => Promise<void>): Promise<never> {
  const problems: string[] = [];
  const stops: (() => unknown)[] = [];
  // Each start of a server adds listeners.
  process.setMaxListeners(0);
  try {
    const fail = (problem: string) => {
      problems.push(problem);
      if (problems.length <= MAX_PRINTED) console.error(`PROBLEM: ${problem}`);
    };
    await work({ fail, atEnd: stop => void stops.push(stop) });
  } finally {
    for (const stop of stops.toReversed()) await stop();
  }
  console.log(problems.length === 0 ? 'no problem found' : `${problems.length} problems found`);
  process.exit(problems.length === 0 ? 0 : 1);
}

/** An empty database that is dropped at the end. */
export async function makeDatabase(name: string, { atEnd }: Pick<Campaign, 'atEnd'>): Promise<URL> {
  const database = `halyard_${name}_${randomBytes(4).toString('hex')}`;
  await createDatabase(database);
  atEnd(() => dropDatabase(database));
  return new URL(urlOf(database));
}

/** The load of this machine. Measured times are meaningless without it. */
export const load = (): string => `load ${loadavg()[0]?.toFixed(1)}`;

export function count(counts: Map<string, number>, what: string, by = 1): void {
  counts.set(what, (counts.get(what) ?? 0) + by);
}

/** `3 × 200, 1 × 503` */
export const listed = (counts: ReadonlyMap<string, number>): string =>
  [...counts].map(([what, times]) => `${times} × ${what}`).join(', ');
