import {
  type BucketSource,
  computeVariantBucket,
  findSource,
  findSourceIn,
  makeRandomSource,
} from './buckets.ts';
import { type Context, getContextValue } from './context.ts';
import type { Variant } from './document.ts';

type Range = { name: string; from: number; to: number };

/** How a user's variant was chosen: by an override, or by the range that contains the user's bucket. */
export type VariantSelection = BucketSource & {
  /** Where the variants come from: the strategy that matched, or the flag. */
  source: 'strategy' | 'feature';
  groupId: string;
  override: { variant: string; contextName: string; value: string } | null;
  totalWeight: number;
  /** A bucket from 1 to the total weight. Null if an override applies or no variant has a weight. */
  bucket: number | null;
  ranges: Range[];
  /** Null if no variant was chosen. */
  name: string | null;
};

const DEFAULT_FIELDS = ['userId', 'sessionId', 'remoteAddress'];

export function selectVariant(
  source: VariantSelection['source'],
  variants: readonly Variant[],
  { groupId, stickiness }: { groupId: string; stickiness: string | undefined },
  context: Context,
): VariantSelection {
  const bucketSource = findBucketSource(stickiness || 'default', context);
  const ranges = computeRanges(variants);
  const totalWeight = ranges.at(-1)?.to ?? 0;
  const override = totalWeight > 0 ? findOverride(variants, context) : null;
  const bucket =
    totalWeight > 0 && override === null
      ? computeVariantBucket(groupId, bucketSource.stickinessValue ?? '', totalWeight)
      : null;
  const name = override?.variant ?? findBucketVariant(ranges, bucket);
  return { source, groupId, ...bucketSource, override, totalWeight, bucket, ranges, name };
}

export const findBucketVariant = (ranges: readonly Range[], bucket: number | null): string | null =>
  ranges.find(({ from, to }) => bucket !== null && bucket >= from && bucket <= to)?.name ?? null;

function findBucketSource(stickiness: string, context: Context): BucketSource {
  const contextSource =
    stickiness === 'default' ? findSourceIn(context, DEFAULT_FIELDS) : findSource(context, stickiness);
  return contextSource ?? makeRandomSource(stickiness, Math.round(Math.random() * 100_000));
}

function computeRanges(variants: readonly Variant[]): Range[] {
  let end = 0;
  return variants
    .filter(({ weight }) => weight > 0)
    .map(({ name, weight }) => {
      end += weight;
      return { name, from: end - weight + 1, to: end };
    });
}

function findOverride(variants: readonly Variant[], context: Context): VariantSelection['override'] {
  for (const { name, overrides = [] } of variants) {
    for (const { contextName, values } of overrides) {
      const value = getContextValue(context, contextName);
      if (value !== undefined && values.includes(value)) return { variant: name, contextName, value };
    }
  }
  return null;
}
