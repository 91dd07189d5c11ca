import { drawn, firstValue, namedValue, rolloutBucket, type Sticky } from './buckets.ts';
import type { Context } from './context.ts';

/** A user is in the rollout if the bucket is not above the threshold. */
export type Rollout = Sticky & {
  groupId: string | null;
  /** 1 to 100. Null: the context has no value for the stickiness. */
  bucket: number | null;
  /** Percentage of the rollout. Null: it is not a number. */
  threshold: number | null;
};

type Parameters = Record<string, string>;

const thresholdOf = (percentage: string | undefined): number | null => {
  const threshold = Number(percentage);
  return Number.isNaN(threshold) ? null : threshold;
};

export const isWithin = ({ bucket, threshold }: Pick<Rollout, 'bucket' | 'threshold'>): boolean =>
  bucket !== null && threshold !== null && bucket <= threshold;

export function flexibleRollout({ groupId, rollout, stickiness }: Parameters, context: Context): Rollout {
  const toggle = Object.hasOwn(context, 'featureToggle') ? context.featureToggle : undefined;
  return placed(
    flexibleValue(stickiness || 'default', context),
    groupId || String(toggle || ''),
    thresholdOf(rollout),
  );
}

function flexibleValue(stickiness: string, context: Context): Sticky {
  const random = () => drawn(stickiness, Math.round(Math.random() * 10_000) + 1);
  if (stickiness === 'random') return random();
  if (stickiness === 'default') return firstValue(context, ['userId', 'sessionId']) ?? random();
  return namedValue(context, stickiness) ?? missing(stickiness);
}

/** The strategies gradualRolloutUserId and gradualRolloutSessionId. */
export function rolloutByField(parameters: Parameters, context: Context, field: string): Rollout {
  const sticky = firstValue(context, [field]);
  return placed(
    sticky ? { ...sticky, stickiness: field } : missing(field),
    parameters.groupId || '',
    thresholdOf(parameters.percentage),
  );
}

/** The strategy gradualRolloutRandom, which picks the bucket at random. */
export function randomRollout({ percentage }: Parameters): Rollout {
  const bucket = Math.floor(Math.random() * 100) + 1;
  return { ...drawn('random', bucket), groupId: null, bucket, threshold: thresholdOf(percentage) };
}

const missing = (stickiness: string): Sticky => ({
  stickiness,
  stickinessField: null,
  stickinessValue: null,
  random: false,
});

const placed = (sticky: Sticky, groupId: string, threshold: number | null): Rollout => ({
  ...sticky,
  groupId,
  bucket: sticky.stickinessValue === null ? null : rolloutBucket(groupId, sticky.stickinessValue),
  threshold,
});
