import type { schemas } from '../api/api.gen.ts';

export type Counts = schemas['FeatureCounts'];

/** The time that the page covers: hours of a day, or days of a month. Both in UTC, like the counts. */
export const RANGES = {
  day: { label: '24 hours', slots: 24, slotMs: 3_600_000, hoursBack: 24, unit: 'hour' },
  month: { label: '30 days', slots: 30, slotMs: 86_400_000, hoursBack: 720, unit: 'day' },
} as const;
export type Range = keyof typeof RANGES;

export type Slot = { at: string; yes: number; no: number };
export type EnvironmentUsage = {
  environment: string;
  yes: number;
  no: number;
  slots: Slot[];
  variants: [name: string, count: number][];
};
export type ApplicationUsage = { appName: string; yes: number; no: number; environments: string[] };

/** The counts by environment and slot. `environments` are listed even without counts. */
export function byEnvironment(
  counts: readonly Counts[],
  range: Range,
  environments: readonly string[],
  now = Date.now(),
): EnvironmentUsage[] {
  const { slots, slotMs } = RANGES[range];
  const last = Math.floor(now / slotMs);
  const names = new Set([...environments, ...counts.map(({ environment }) => environment)]);
  return [...names].map(environment => {
    const variants = new Map<string, number>();
    const bars = Array.from({ length: slots }, (_, n): Slot => {
      const at = new Date((last - slots + 1 + n) * slotMs).toISOString();
      return { at, yes: 0, no: 0 };
    });
    for (const count of counts) {
      const bar = bars[Math.floor(Date.parse(count.timestamp) / slotMs) - last + slots - 1];
      if (count.environment !== environment || !bar) continue;
      bar.yes += count.yes;
      bar.no += count.no;
      for (const [name, times] of Object.entries(count.variants))
        variants.set(name, (variants.get(name) ?? 0) + times);
    }
    return {
      environment,
      yes: sum(bars.map(({ yes }) => yes)),
      no: sum(bars.map(({ no }) => no)),
      slots: bars,
      variants: [...variants].toSorted(([, a], [, b]) => b - a),
    };
  });
}

/**
 * The applications that asked for the flag, those with the most requests first. They cover the same slots as the
 * environments, so that both have the same sum. `environments` gives the order of the names.
 */
export function byApplication(
  counts: readonly Counts[],
  range: Range,
  environments: readonly string[],
  now = Date.now(),
): ApplicationUsage[] {
  const { slots, slotMs } = RANGES[range];
  const first = (Math.floor(now / slotMs) - slots + 1) * slotMs;
  const order = (name: string) => (environments.includes(name) ? environments.indexOf(name) : Infinity);
  const found = new Map<string, ApplicationUsage>();
  for (const { appName, environment, yes, no, timestamp } of counts) {
    if (Date.parse(timestamp) < first) continue;
    const one = found.get(appName) ?? { appName, yes: 0, no: 0, environments: [] };
    one.yes += yes;
    one.no += no;
    if (!one.environments.includes(environment)) one.environments.push(environment);
    found.set(appName, one);
  }
  for (const { environments: names } of found.values()) names.sort((a, b) => order(a) - order(b));
  return [...found.values()].toSorted((a, b) => b.yes + b.no - a.yes - a.no);
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** "75 %". A part that is not empty is never 0 %, and one that is not everything is never 100 %. */
export function shareOf(part: number, all: number): string {
  if (all === 0 || part === 0) return '0 %';
  if (part === all) return '100 %';
  return `${Math.min(99, Math.max(1, Math.round((part / all) * 100)))} %`;
}
