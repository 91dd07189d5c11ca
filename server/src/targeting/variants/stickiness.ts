import type { Violation } from '@halyard/plane/platform/errors.ts';
import type { StrategyVariant, StrategyVariantInputs, Variant } from './schema.ts';

/**
 * Returns the stickiness of a strategy and of all its variants: the parameter of the strategy or, without a parameter, the
 * stickiness of the first variant. Some SDKs read the parameter and others read the first variant, so both must be the same.
 */
export const getStrategyStickiness = (
  parameters: Record<string, string> | undefined,
  variants: StrategyVariantInputs,
): string => parameters?.stickiness || variants[0]?.stickiness || 'default';

export const withStickiness = (variants: StrategyVariantInputs, stickiness: string): StrategyVariant[] =>
  variants.map(variant => ({ ...variant, stickiness }));

type StickyVariant = Pick<Variant, 'stickiness'>;

/** Returns the stickiness of all variants of a feature in an environment. */
export const getFeatureStickiness = (variants: readonly StickyVariant[]): string =>
  variants.find(({ stickiness }) => stickiness !== undefined)?.stickiness ?? 'default';

/**
 * Requires the same stickiness for all variants, because SDKs use the stickiness of the first variant. `path` points to the list in
 * the request.
 */
export function findStickinessViolations(variants: readonly StickyVariant[], path: string): Violation[] {
  const sharedStickiness = getFeatureStickiness(variants);
  return variants.flatMap(({ stickiness = sharedStickiness }, index) =>
    stickiness === sharedStickiness
      ? []
      : [
          {
            message: `stickiness "${stickiness}" differs from "${sharedStickiness}"; all variants must have the same stickiness`,
            path: `${path}/${index}/stickiness`,
          },
        ],
  );
}
