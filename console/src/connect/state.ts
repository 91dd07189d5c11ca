import type { Schemas } from '../api/client.ts';

export type TokenApplication = Schemas['ApiTokenApplication'];
type SeenFlag = Pick<Schemas['ApplicationFeature'], 'name' | 'environments' | 'lastSeenAt'>;

export type Connection = {
  state: 'waiting' | 'used' | 'registered' | 'evaluated';
  application?: TokenApplication;
  /** The flag that the application evaluated last. */
  flag?: string;
  seenAt?: string;
};

/** The server updates the time of a flag's last evaluation at most once an hour. */
const PRECISION_MS = 3_600_000;

/** Derives the state of a token's first connection. Flags that were evaluated before the token existed do not count. */
export function deriveConnection(
  { environment, createdAt }: { environment: string | null; createdAt: string },
  application: TokenApplication | undefined,
  seenFlags: readonly SeenFlag[],
  seenAt: string | undefined,
): Connection {
  if (!application) return seenAt === undefined ? { state: 'waiting' } : { state: 'used', seenAt };
  const startMs = Date.parse(createdAt) - PRECISION_MS;
  const [lastFlag] = seenFlags
    .filter(
      flag =>
        Date.parse(flag.lastSeenAt) >= startMs &&
        (environment === null || flag.environments.includes(environment)),
    )
    .toSorted((seenFlag, other) => other.lastSeenAt.localeCompare(seenFlag.lastSeenAt));
  return lastFlag === undefined
    ? { state: 'registered', application }
    : { state: 'evaluated', application, flag: lastFlag.name };
}

/** Formats "unleash-node-sdk:6.12.1" as "unleash-node-sdk 6.12.1". */
export const formatSdk = (sdkVersion: string | null): string | undefined => sdkVersion?.replace(':', ' ');
