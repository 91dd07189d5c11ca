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

/** The server notes evaluations to the hour. */
const PRECISION_MS = 3_600_000;

export function connectionOf(
  { environment, createdAt }: { environment: string | null; createdAt: string },
  application: TokenApplication | undefined,
  seenFlags: readonly SeenFlag[],
  seenAt: string | undefined,
): Connection {
  if (!application) return seenAt === undefined ? { state: 'waiting' } : { state: 'used', seenAt };
  const since = Date.parse(createdAt) - PRECISION_MS;
  const [newest] = seenFlags
    .filter(
      flag =>
        Date.parse(flag.lastSeenAt) >= since &&
        (environment === null || flag.environments.includes(environment)),
    )
    .toSorted((one, other) => other.lastSeenAt.localeCompare(one.lastSeenAt));
  return newest === undefined
    ? { state: 'registered', application }
    : { state: 'evaluated', application, flag: newest.name };
}

/** "unleash-node-sdk:6.12.1" becomes "unleash-node-sdk 6.12.1". */
export const sdkOf = (sdkVersion: string | null): string | undefined => sdkVersion?.replace(':', ' ');
