/** What one API token may add. Every visitor to a page can read a frontend token, and report any name with it. */
export const QUOTAS = {
  applications: { perHour: 100, inAll: 1_000 },
  unknownFlags: { perHour: 200, inAll: 1_000 },
  /** Counted by each server. The stored instances of an application are limited too. */
  instances: { perHour: 1_000 },
  /** Names that the flag's variants do not have, counted by each server. SDKs report removed variants for a while. */
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
export type Added = { token: number; lastHour: number; inAll: number };

type Named = { name: string; token: number };

/** Divides new names into those within the quotas of their tokens, the first ones of each token, and the others. */
export function withinQuota<T extends Named>(
  kind: 'applications' | 'unknownFlags',
  names: readonly T[],
  added: readonly Added[],
): { within: T[]; above: T[] } {
  const { perHour, inAll } = QUOTAS[kind];
  const left = new Map(added.map(one => [one.token, Math.min(perHour - one.lastHour, inAll - one.inAll)]));
  const within: T[] = [];
  const above: T[] = [];
  for (const one of names) {
    const own = left.get(one.token) ?? perHour;
    (own > 0 ? within : above).push(one);
    left.set(one.token, own - 1);
  }
  return { within, above };
}

/** The tokens of these entries, without duplicates. */
export const reachedBy = (kind: QuotaKind, above: readonly { token: number }[]): ReachedQuota[] =>
  [...new Set(above.map(({ token }) => token))].map(token => ({ token, kind }));
