import type { Feature } from './feature.ts';

type Document = { variants?: NamedVariant[]; strategies?: { variants?: NamedVariant[] }[] };
type NamedVariant = { name: string };

/** The name that SDKs report for a flag without a variant. */
const NO_VARIANT = 'disabled';

const names = new WeakMap<Feature, Set<string>>();

/** Returns whether the feature has the variant, either directly or in a strategy. */
export function hasVariant(feature: Feature, variant: string): boolean {
  const variantNames = names.get(feature) ?? namesIn(feature);
  names.set(feature, variantNames);
  return variantNames.has(variant);
}

function namesIn({ text }: Feature): Set<string> {
  const { variants = [], strategies = [] } = JSON.parse(text) as Document;
  const allVariants = [...variants, ...strategies.flatMap(strategy => strategy.variants ?? [])];
  return new Set([NO_VARIANT, ...allVariants.map(({ name }) => name)]);
}
