import {
  type BucketSource,
  computeRolloutBucket,
  findSource,
  findSourceIn,
  makeRandomSource,
} from './buckets.ts';
import type { Context } from './context.ts';

/** A user is in the rollout if their bucket is not above the threshold. */
export type Rollout = BucketSource & {
  groupId: string | null;
  /** A bucket from 1 to 100. Null if the context has no value for the stickiness. */
  bucket: number | null;
  /** Percentage of the rollout. Null if it is not a number. */
  threshold: number | null;
};

type Parameters = Record<string, string>;

const parseThreshold = (percentage: string | undefined): number | null => {
  const threshold = Number(percentage);
  return Number.isNaN(threshold) ? null : threshold;
};

export const isWithin = ({ bucket, threshold }: Pick<Rollout, 'bucket' | 'threshold'>): boolean =>
  bucket !== null && threshold !== null && bucket <= threshold;

export function evaluateFlexibleRollout(
  { groupId, rollout, stickiness }: Parameters,
  context: Context,
): Rollout {
  const toggle = Object.hasOwn(context, 'featureToggle') ? context.featureToggle : undefined;
  return placeInBucket(
    findFlexibleSource(stickiness || 'default', context),
    groupId || String(toggle || ''),
    parseThreshold(rollout),
  );
}

function findFlexibleSource(stickiness: string, context: Context): BucketSource {
  const drawSource = () => makeRandomSource(stickiness, Math.round(Math.random() * 10_000) + 1);
  if (stickiness === 'random') return drawSource();
  if (stickiness === 'default') return findSourceIn(context, ['userId', 'sessionId']) ?? drawSource();
  return findSource(context, stickiness) ?? makeMissingSource(stickiness);
}

/** Evaluates the strategies gradualRolloutUserId and gradualRolloutSessionId. */
export function evaluateRolloutByField(parameters: Parameters, context: Context, field: string): Rollout {
  const source = findSourceIn(context, [field]);
  return placeInBucket(
    source ? { ...source, stickiness: field } : makeMissingSource(field),
    parameters.groupId || '',
    parseThreshold(parameters.percentage),
  );
}

/** Evaluates the strategy gradualRolloutRandom, which picks the bucket at random. */
export function evaluateRandomRollout({ percentage }: Parameters): Rollout {
  const bucket = Math.floor(Math.random() * 100) + 1;
  return {
    ...makeRandomSource('random', bucket),
    groupId: null,
    bucket,
    threshold: parseThreshold(percentage),
  };
}

const makeMissingSource = (stickiness: string): BucketSource => ({
  stickiness,
  stickinessField: null,
  stickinessValue: null,
  random: false,
});

const placeInBucket = (source: BucketSource, groupId: string, threshold: number | null): Rollout => ({
  ...source,
  groupId,
  bucket: source.stickinessValue === null ? null : computeRolloutBucket(groupId, source.stickinessValue),
  threshold,
});
