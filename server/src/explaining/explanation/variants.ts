import { drawn, firstValue, namedValue, type Sticky, variantBucket } from './buckets.ts';
import { type Context, contextValue } from './context.ts';
import type { Variant } from './document.ts';

type Range = { name: string; from: number; to: number };

/** How the variant of a user was chosen: by an override, or by the range that contains the bucket of the user. */
export type VariantSelection = Sticky & {
  /** The variants of the strategy that matched, or those of the flag. */
  source: 'strategy' | 'feature';
  groupId: string;
  override: { variant: string; contextName: string; value: string } | null;
  totalWeight: number;
  /** 1 to the total weight. Null: an override or no weight. */
  bucket: number | null;
  ranges: Range[];
  /** Null: no variant was chosen. */
  name: string | null;
};

const FIELDS = ['userId', 'sessionId', 'remoteAddress'];

export function selectVariant(
  source: VariantSelection['source'],
  variants: readonly Variant[],
  { groupId, stickiness }: { groupId: string; stickiness: string | undefined },
  context: Context,
): VariantSelection {
  const sticky = stickyFor(stickiness || 'default', context);
  const ranges = rangesOf(variants);
  const totalWeight = ranges.at(-1)?.to ?? 0;
  const override = totalWeight > 0 ? findOverride(variants, context) : null;
  const bucket =
    totalWeight > 0 && override === null
      ? variantBucket(groupId, sticky.stickinessValue ?? '', totalWeight)
      : null;
  const name = override?.variant ?? variantOfBucket(ranges, bucket);
  return { source, groupId, ...sticky, override, totalWeight, bucket, ranges, name };
}

export const variantOfBucket = (ranges: readonly Range[], bucket: number | null): string | null =>
  ranges.find(({ from, to }) => bucket !== null && bucket >= from && bucket <= to)?.name ?? null;

function stickyFor(stickiness: string, context: Context): Sticky {
  const found = stickiness === 'default' ? firstValue(context, FIELDS) : namedValue(context, stickiness);
  return found ?? drawn(stickiness, Math.round(Math.random() * 100_000));
}

function rangesOf(variants: readonly Variant[]): Range[] {
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
      const value = contextValue(context, contextName);
      if (value !== undefined && values.includes(value)) return { variant: name, contextName, value };
    }
  }
  return null;
}
