/** What one API token may add. Every visitor to a page can read its frontend token and report any name with it. */
export const QUOTAS = {
  applications: { perHour: 100, inAll: 1_000 },
  unknownFlags: { perHour: 200, inAll: 1_000 },
  /** Each server counts its own. The stored instances of an application are limited too. */
  instances: { perHour: 1_000 },
  /** Names of variants that the flag does not have, because SDKs report removed variants for a while. Each server counts its own. */
  unknownVariants: { perHour: 200 },
} as const;

export type QuotaKind = keyof typeof QUOTAS;

/** A token that exceeded its quota. */
export type ReachedQuota = { token: number; kind: QuotaKind };

/** Names under which everything above a quota is counted. No flag can have such a name. */
export const OTHER_APPLICATIONS = '(other applications)';
export const OTHER_FLAGS = '(other flags)';
export const OTHER_INSTANCES = '(other instances)';
export const OTHER_VARIANTS = '(other variants)';

/** How many names a token has added, in the last hour and in total. */
export type QuotaUsage = { token: number; lastHour: number; inAll: number };

type NamedEntry = { name: string; token: number };

/** Splits new names into the first ones of each token, up to its quota, and the rest. */
export function splitByQuota<T extends NamedEntry>(
  kind: 'applications' | 'unknownFlags',
  names: readonly T[],
  added: readonly QuotaUsage[],
): { within: T[]; above: T[] } {
  const { perHour, inAll } = QUOTAS[kind];
  const remaining = new Map(
    added.map(usage => [usage.token, Math.min(perHour - usage.lastHour, inAll - usage.inAll)]),
  );
  const within: T[] = [];
  const above: T[] = [];
  for (const entry of names) {
    const allowance = remaining.get(entry.token) ?? perHour;
    (allowance > 0 ? within : above).push(entry);
    remaining.set(entry.token, allowance - 1);
  }
  return { within, above };
}

/** Returns the tokens of these entries, without duplicates. */
export const reachedQuotas = (kind: QuotaKind, above: readonly { token: number }[]): ReachedQuota[] =>
  [...new Set(above.map(({ token }) => token))].map(token => ({ token, kind }));
