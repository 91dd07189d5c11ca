import { OTHER_APPLICATIONS, OTHER_FLAGS, OTHER_INSTANCES, OTHER_VARIANTS, QUOTAS } from './quotas.ts';
import { hourOf } from './read-body.ts';

/**
 * Limits for what a process keeps in memory until it is written. A key is a feature or a variant of an application in an hour.
 */
export type MergeLimits = {
  /** Keys per token, so that one token cannot use up the memory of the others. */
  keysPerToken: number;
  keys: number;
  /**
   * Names per token. The excess is counted under one name, because every visitor to a page can invent names, and writing them
   * would keep the database busy.
   */
  applicationsPerToken: number;
  unknownFlagsPerToken: number;
  /** Per hour, because these names are stored. The database enforces further quotas for the other kinds. */
  unknownVariantsPerToken: number;
  instancesPerToken: number;
  instances: number;
};

export const MERGE_LIMITS: MergeLimits = {
  keysPerToken: 100_000,
  keys: 200_000,
  applicationsPerToken: 1_000,
  unknownFlagsPerToken: 1_000,
  unknownVariantsPerToken: QUOTAS.unknownVariants.perHour,
  instancesPerToken: 2_000,
  instances: 20_000,
};

/** Whether an environment has the feature, and the feature the variant. */
export type IsKnown = (environment: string, feature: string, variant?: string) => boolean;

/** The counts of one feature. `seenAt` is when an SDK last evaluated it, in milliseconds since 1970. */
export type Counts = { yes: number; no: number; seenAt: number; variants: Map<string, number> | undefined };

/**
 * The features that an application evaluated within an hour, as reported with tokens for these projects (undefined: all). Hours
 * are counted from 1970.
 */
export type Bucket = {
  readonly environment: string;
  readonly application: string;
  readonly projects: readonly string[] | undefined;
  /** The token that reported it. */
  readonly token: number;
  readonly hour: number;
  readonly features: Map<string, Counts>;
};

export type Instance = {
  /** The token that reported it first. */
  token: number;
  environment: string;
  application: string;
  instanceId: string;
  sdkVersion: string | null;
  isFrontend: boolean;
  /** The strategies that the SDK implements, if it reported them. */
  strategies: string[] | undefined;
  seenAt: number;
};

export type Taken = {
  buckets: Bucket[];
  instances: Instance[];
  /** The tokens that reported more unknown variants than they may. */
  aboveVariants: number[];
};

/** The feature that the counts belong to. */
export type Place = Pick<Bucket, 'environment' | 'application'> & { feature: string };

/** The token that reports something, with an environment. */
export type Reporter = { id: number; environment: string | null; projects: readonly string[] | undefined };

export type Merged = {
  /** The bucket, or undefined if there is no room for another one. */
  bucket: (token: Reporter, application: string, hour: number) => Bucket | undefined;
  /** The counts of a feature, or undefined if there is no room for another key. */
  counts: (token: number, bucket: Bucket, feature: string) => Counts | undefined;
  /** Returns whether there was room for the variant of the feature. */
  countVariant: (token: number, place: Place, counts: Counts, variant: string, count: number) => boolean;
  /** Returns whether there was room for the instance. */
  see: (instance: Instance) => boolean;
  /** Returns everything and starts empty. */
  take: () => Taken;
  /** Returns everything and keeps it. */
  peek: () => Taken;
  readonly keys: number;
};

/** Half of what the others have left, so that something remains for the next token. */
const share = (left: number): number => Math.ceil(left / 2);

/** Adds up what SDKs report, so that the database gets one row where SDKs sent thousands of counts. */
export function makeMerged(limits: MergeLimits, isKnown: IsKnown): Merged {
  let buckets = new Map<string, Bucket>();
  let instances = new Map<string, Instance>();
  let keysOfTokens = new Map<number, number>();
  let applicationsOfTokens = new Map<number, Set<string>>();
  let unknownFlagsOfTokens = new Map<number, number>();
  let instancesOfTokens = new Map<number, number>();
  let aboveVariants = new Set<number>();
  let variantsOfTokens = new Map<number, Set<string>>();
  let variantsHour = 0;
  let keys = 0;

  const hasRoom = (token: number): boolean => {
    const own = keysOfTokens.get(token) ?? 0;
    if (own >= Math.min(limits.keysPerToken, share(limits.keys - keys + own))) return false;
    keysOfTokens.set(token, own + 1);
    keys++;
    return true;
  };

  /** The name under which an application is counted. */
  const applicationOf = (token: number, name: string): string => {
    const own = applicationsOfTokens.get(token) ?? new Set();
    if (own.has(name)) return name;
    if (own.size >= limits.applicationsPerToken) return OTHER_APPLICATIONS;
    applicationsOfTokens.set(token, own.add(name));
    return name;
  };

  /** The name under which a feature without counts is counted. */
  const featureOf = (token: number, environment: string, name: string): string => {
    if (isKnown(environment, name)) return name;
    const own = unknownFlagsOfTokens.get(token) ?? 0;
    if (own >= limits.unknownFlagsPerToken) return OTHER_FLAGS;
    unknownFlagsOfTokens.set(token, own + 1);
    return name;
  };

  /** The name under which a variant without counts is counted. */
  const variantOf = (token: number, { environment, application, feature }: Place, name: string): string => {
    if (isKnown(environment, feature, name)) return name;
    const hour = hourOf(Date.now());
    if (hour !== variantsHour) variantsOfTokens = new Map();
    variantsHour = hour;
    const own = variantsOfTokens.get(token) ?? new Set();
    const key = `${application}\n${feature}\n${name}`;
    if (own.has(key)) return name;
    if (own.size >= limits.unknownVariantsPerToken) {
      aboveVariants.add(token);
      return OTHER_VARIANTS;
    }
    variantsOfTokens.set(token, own.add(key));
    return name;
  };

  const isAboveInstances = (token: number): boolean =>
    (instancesOfTokens.get(token) ?? 0) >= limits.instancesPerToken;

  const hasRoomForInstance = (token: number): boolean => {
    const own = instancesOfTokens.get(token) ?? 0;
    if (own >= share(limits.instances - instances.size + own)) return false;
    instancesOfTokens.set(token, own + 1);
    return true;
  };

  const peek = (): Taken => ({
    buckets: [...buckets.values()],
    instances: [...instances.values()],
    aboveVariants: [...aboveVariants],
  });

  return {
    bucket: ({ id, environment, projects }, name, hour) => {
      const application = applicationOf(id, name);
      const key = `${hour}\n${id}\n${environment}\n${projects?.join() ?? '*'}\n${application}`;
      const known = buckets.get(key);
      if (known) return known;
      if (!hasRoom(id)) return undefined;
      const bucket: Bucket = {
        environment: environment ?? '',
        application,
        projects,
        token: id,
        hour,
        features: new Map(),
      };
      buckets.set(key, bucket);
      return bucket;
    },
    counts: (token, { environment, features }, name) => {
      const own = features.get(name);
      if (own) return own;
      const feature = featureOf(token, environment, name);
      const known = features.get(feature);
      if (known) return known;
      if (!hasRoom(token)) return undefined;
      const counts: Counts = { yes: 0, no: 0, seenAt: 0, variants: undefined };
      features.set(feature, counts);
      return counts;
    },
    countVariant: (token, place, counts, name, count) => {
      counts.variants ??= new Map();
      const variant = counts.variants.has(name) ? name : variantOf(token, place, name);
      const before = counts.variants.get(variant);
      if (before === undefined && !hasRoom(token)) return false;
      counts.variants.set(variant, (before ?? 0) + count);
      return true;
    },
    see: reported => {
      const application = applicationOf(reported.token, reported.application);
      let instance = { ...reported, application };
      let key = keyOf(instance);
      if (!instances.has(key) && isAboveInstances(reported.token)) {
        instance = { ...instance, instanceId: OTHER_INSTANCES };
        key = keyOf(instance);
      }
      const known = instances.get(key);
      if (!known && !hasRoomForInstance(instance.token)) return false;
      instances.set(key, known ? newer(known, instance) : instance);
      return true;
    },
    take: () => {
      const taken = peek();
      buckets = new Map();
      instances = new Map();
      keysOfTokens = new Map();
      applicationsOfTokens = new Map();
      unknownFlagsOfTokens = new Map();
      instancesOfTokens = new Map();
      aboveVariants = new Set();
      keys = 0;
      return taken;
    },
    peek,
    get keys() {
      return keys;
    },
  };
}

const keyOf = ({ environment, application, instanceId }: Instance): string =>
  `${environment}\n${application}\n${instanceId}`;

/** Metrics name neither the strategies nor, without a header, the version, so the values from the registration are kept. */
const newer = (before: Instance, after: Instance): Instance => ({
  ...after,
  token: before.token,
  sdkVersion: after.sdkVersion ?? before.sdkVersion,
  strategies: after.strategies ?? before.strategies,
  seenAt: Math.max(before.seenAt, after.seenAt),
});
