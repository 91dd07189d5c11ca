import type { schemas } from '../api/api.gen.ts';

export type Counts = schemas['FeatureCounts'];

/** The time ranges on the page: the last 24 hours or the last 30 days, in UTC like the counts. */
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

/** Sums the counts by environment and slot. `environments` are listed even without counts. */
export function groupByEnvironment(
  counts: readonly Counts[],
  range: Range,
  environments: readonly string[],
  now = Date.now(),
): EnvironmentUsage[] {
  const { slots, slotMs } = RANGES[range];
  const lastSlot = Math.floor(now / slotMs);
  const names = new Set([...environments, ...counts.map(({ environment }) => environment)]);
  return [...names].map(environment => {
    const variants = new Map<string, number>();
    const bars = Array.from({ length: slots }, (_, index): Slot => {
      const slotStart = new Date((lastSlot - slots + 1 + index) * slotMs).toISOString();
      return { at: slotStart, yes: 0, no: 0 };
    });
    for (const count of counts) {
      const bar = bars[Math.floor(Date.parse(count.timestamp) / slotMs) - lastSlot + slots - 1];
      if (count.environment !== environment || !bar) continue;
      bar.yes += count.yes;
      bar.no += count.no;
      for (const [name, variantCount] of Object.entries(count.variants))
        variants.set(name, (variants.get(name) ?? 0) + variantCount);
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
 * Sums the counts by application, with the most requests first. The slots are the same as for the environments, so that both
 * have the same total. `environments` determines the order of the names.
 */
export function groupByApplication(
  counts: readonly Counts[],
  range: Range,
  environments: readonly string[],
  now = Date.now(),
): ApplicationUsage[] {
  const { slots, slotMs } = RANGES[range];
  const startMs = (Math.floor(now / slotMs) - slots + 1) * slotMs;
  const getPosition = (name: string) => (environments.includes(name) ? environments.indexOf(name) : Infinity);
  const applications = new Map<string, ApplicationUsage>();
  for (const { appName, environment, yes, no, timestamp } of counts) {
    if (Date.parse(timestamp) < startMs) continue;
    const usage = applications.get(appName) ?? { appName, yes: 0, no: 0, environments: [] };
    usage.yes += yes;
    usage.no += no;
    if (!usage.environments.includes(environment)) usage.environments.push(environment);
    applications.set(appName, usage);
  }
  for (const { environments: names } of applications.values())
    names.sort((a, b) => getPosition(a) - getPosition(b));
  return [...applications.values()].toSorted((a, b) => b.yes + b.no - a.yes - a.no);
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Formats a share as "75 %". A non-empty part is never 0 %, and an incomplete part is never 100 %. */
export function formatShare(part: number, total: number): string {
  if (total === 0 || part === 0) return '0 %';
  if (part === total) return '100 %';
  return `${Math.min(99, Math.max(1, Math.round((part / total) * 100)))} %`;
}
