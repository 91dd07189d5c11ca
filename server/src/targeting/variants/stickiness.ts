import type { Violation } from '../../../../plane/src/platform/errors.ts';
import type { StrategyVariant, StrategyVariantInputs, Variant } from './schema.ts';

/**
 * The stickiness of a strategy and of all its variants: the parameter of the strategy or, without one, the stickiness of the
 * first variant. Some SDKs read the parameter and others read the first variant, so both must be the same.
 */
export const strategyStickiness = (
  parameters: Record<string, string> | undefined,
  variants: StrategyVariantInputs,
): string => parameters?.stickiness || variants[0]?.stickiness || 'default';

export const withStickiness = (variants: StrategyVariantInputs, stickiness: string): StrategyVariant[] =>
  variants.map(variant => ({ ...variant, stickiness }));

type Sticky = Pick<Variant, 'stickiness'>;

/** The stickiness of all variants of a feature in an environment. */
export const featureStickiness = (variants: readonly Sticky[]): string =>
  variants.find(({ stickiness }) => stickiness !== undefined)?.stickiness ?? 'default';

/** SDKs use the stickiness of the first variant for all variants. `path` points to the list in the request. */
export function stickinessViolations(variants: readonly Sticky[], path: string): Violation[] {
  const all = featureStickiness(variants);
  return variants.flatMap(({ stickiness = all }, index) =>
    stickiness === all
      ? []
      : [
          {
            message: `stickiness "${stickiness}" differs from "${all}"; all variants must have the same stickiness`,
            path: `${path}/${index}/stickiness`,
          },
        ],
  );
}
