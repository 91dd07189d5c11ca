import { OTHER_APPLICATIONS, OTHER_FLAGS, OTHER_INSTANCES, OTHER_VARIANTS, QUOTAS } from './quotas.ts';
import { toHour } from './read-body.ts';

/**
 * Limits on what a process keeps in memory until it is written. A key is a feature or variant that one application evaluated in
 * one hour.
 */
export type MergeLimits = {
  /** Keys per token, so that one token cannot use up the memory of the others. */
  keysPerToken: number;
  keys: number;
  /**
   * Names per token. Names above the limit are counted under one name, because every visitor to a page can invent names, and
   * writing them all would keep the database busy.
   */
  applicationsPerToken: number;
  unknownFlagsPerToken: number;
  /** Per hour rather than per write, because these names are stored and, unlike the others, have no quota in the database. */
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

/** Whether the environment has the feature, and the feature has the variant. */
export type IsKnown = (environment: string, feature: string, variant?: string) => boolean;

/** The counts of one feature. `seenAt` is when an SDK last evaluated it, in milliseconds since 1970. */
export type Counts = { yes: number; no: number; seenAt: number; variants: Map<string, number> | undefined };

/**
 * The features that an application evaluated within an hour, as reported with one token for `projects` (undefined: all). Hours
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

export type CountBatch = {
  buckets: Bucket[];
  instances: Instance[];
  /** The tokens that reported more unknown variants than their quota allows. */
  tokensAboveVariantQuota: number[];
};

/** The feature that the counts belong to. */
export type ReportedFeature = Pick<Bucket, 'environment' | 'application'> & { feature: string };

/** The token that a report is sent with. */
export type Reporter = { id: number; environment: string | null; projects: readonly string[] | undefined };

export type CountAccumulator = {
  /** The bucket, or undefined if there is no room for another one. */
  bucket: (token: Reporter, application: string, hour: number) => Bucket | undefined;
  /** The counts of a feature, or undefined if there is no room for another key. */
  counts: (token: number, bucket: Bucket, feature: string) => Counts | undefined;
  /** Returns whether there was room for the variant of the feature. */
  countVariant: (
    token: number,
    reportedFeature: ReportedFeature,
    counts: Counts,
    variant: string,
    count: number,
  ) => boolean;
  /** Returns whether there was room for the instance. */
  addInstance: (instance: Instance) => boolean;
  /** Returns everything and removes it. */
  take: () => CountBatch;
  /** Returns everything without removing it. */
  peek: () => CountBatch;
  readonly keys: number;
};

/** Returns half of what the other tokens have left, so that something remains for the next token. */
const fairShare = (remaining: number): number => Math.ceil(remaining / 2);

/** Adds up what SDKs report, so that the database gets one row where SDKs sent thousands of counts. */
export function makeCountAccumulator(limits: MergeLimits, isKnown: IsKnown): CountAccumulator {
  let buckets = new Map<string, Bucket>();
  let instances = new Map<string, Instance>();
  let keysByToken = new Map<number, number>();
  let applicationsByToken = new Map<number, Set<string>>();
  let unknownFlagsByToken = new Map<number, number>();
  let instancesByToken = new Map<number, number>();
  let tokensAboveVariantQuota = new Set<number>();
  let variantsByToken = new Map<number, Set<string>>();
  let variantsHour = 0;
  let keyCount = 0;

  const hasRoom = (token: number): boolean => {
    const ownKeys = keysByToken.get(token) ?? 0;
    if (ownKeys >= Math.min(limits.keysPerToken, fairShare(limits.keys - keyCount + ownKeys))) return false;
    keysByToken.set(token, ownKeys + 1);
    keyCount++;
    return true;
  };

  /** Returns the name under which an application is counted. */
  const countedApplication = (token: number, name: string): string => {
    const ownApplications = applicationsByToken.get(token) ?? new Set();
    if (ownApplications.has(name)) return name;
    if (ownApplications.size >= limits.applicationsPerToken) return OTHER_APPLICATIONS;
    applicationsByToken.set(token, ownApplications.add(name));
    return name;
  };

  /** Returns the name under which a feature that has no counts yet is counted. */
  const countedFeature = (token: number, environment: string, name: string): string => {
    if (isKnown(environment, name)) return name;
    const ownFlags = unknownFlagsByToken.get(token) ?? 0;
    if (ownFlags >= limits.unknownFlagsPerToken) return OTHER_FLAGS;
    unknownFlagsByToken.set(token, ownFlags + 1);
    return name;
  };

  /** Returns the name under which a variant that has no counts yet is counted. */
  const countedVariant = (
    token: number,
    { environment, application, feature }: ReportedFeature,
    name: string,
  ): string => {
    if (isKnown(environment, feature, name)) return name;
    const hour = toHour(Date.now());
    if (hour !== variantsHour) variantsByToken = new Map();
    variantsHour = hour;
    const ownVariants = variantsByToken.get(token) ?? new Set();
    const key = `${application}\n${feature}\n${name}`;
    if (ownVariants.has(key)) return name;
    if (ownVariants.size >= limits.unknownVariantsPerToken) {
      tokensAboveVariantQuota.add(token);
      return OTHER_VARIANTS;
    }
    variantsByToken.set(token, ownVariants.add(key));
    return name;
  };

  const isAtInstanceLimit = (token: number): boolean =>
    (instancesByToken.get(token) ?? 0) >= limits.instancesPerToken;

  const hasRoomForInstance = (token: number): boolean => {
    const ownInstances = instancesByToken.get(token) ?? 0;
    if (ownInstances >= fairShare(limits.instances - instances.size + ownInstances)) return false;
    instancesByToken.set(token, ownInstances + 1);
    return true;
  };

  const peek = (): CountBatch => ({
    buckets: [...buckets.values()],
    instances: [...instances.values()],
    tokensAboveVariantQuota: [...tokensAboveVariantQuota],
  });

  return {
    bucket: ({ id, environment, projects }, name, hour) => {
      const application = countedApplication(id, name);
      const key = `${hour}\n${id}\n${environment}\n${projects?.join() ?? '*'}\n${application}`;
      const existing = buckets.get(key);
      if (existing) return existing;
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
      const countsOfName = features.get(name);
      if (countsOfName) return countsOfName;
      const feature = countedFeature(token, environment, name);
      const existing = features.get(feature);
      if (existing) return existing;
      if (!hasRoom(token)) return undefined;
      const counts: Counts = { yes: 0, no: 0, seenAt: 0, variants: undefined };
      features.set(feature, counts);
      return counts;
    },
    countVariant: (token, reportedFeature, counts, name, count) => {
      counts.variants ??= new Map();
      const variant = counts.variants.has(name) ? name : countedVariant(token, reportedFeature, name);
      const countBefore = counts.variants.get(variant);
      if (countBefore === undefined && !hasRoom(token)) return false;
      counts.variants.set(variant, (countBefore ?? 0) + count);
      return true;
    },
    addInstance: reportedInstance => {
      const application = countedApplication(reportedInstance.token, reportedInstance.application);
      let instance = { ...reportedInstance, application };
      let key = getInstanceKey(instance);
      if (!instances.has(key) && isAtInstanceLimit(reportedInstance.token)) {
        instance = { ...instance, instanceId: OTHER_INSTANCES };
        key = getInstanceKey(instance);
      }
      const existing = instances.get(key);
      if (!existing && !hasRoomForInstance(instance.token)) return false;
      instances.set(key, existing ? mergeInstances(existing, instance) : instance);
      return true;
    },
    take: () => {
      const batch = peek();
      buckets = new Map();
      instances = new Map();
      keysByToken = new Map();
      applicationsByToken = new Map();
      unknownFlagsByToken = new Map();
      instancesByToken = new Map();
      tokensAboveVariantQuota = new Set();
      keyCount = 0;
      return batch;
    },
    peek,
    get keys() {
      return keyCount;
    },
  };
}

const getInstanceKey = ({ environment, application, instanceId }: Instance): string =>
  `${environment}\n${application}\n${instanceId}`;

/** Metrics contain no strategies and often no version, so the values from the registration are kept. */
const mergeInstances = (earlier: Instance, later: Instance): Instance => ({
  ...later,
  token: earlier.token,
  sdkVersion: later.sdkVersion ?? earlier.sdkVersion,
  strategies: later.strategies ?? earlier.strategies,
  seenAt: Math.max(earlier.seenAt, later.seenAt),
});
