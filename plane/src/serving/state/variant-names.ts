import type { Feature } from './environment.ts';

type Document = { variants?: Named[]; strategies?: { variants?: Named[] }[] };
type Named = { name: string };

/** SDKs report it for a flag that serves no variant. */
const NO_VARIANT = 'disabled';

const names = new WeakMap<Feature, Set<string>>();

/** Whether the feature has the variant, in the environment or in a strategy. */
export function hasVariant(feature: Feature, variant: string): boolean {
  const known = names.get(feature) ?? namesIn(feature);
  names.set(feature, known);
  return known.has(variant);
}

function namesIn({ text }: Feature): Set<string> {
  const { variants = [], strategies = [] } = JSON.parse(text) as Document;
  const all = [...variants, ...strategies.flatMap(strategy => strategy.variants ?? [])];
  return new Set([NO_VARIANT, ...all.map(({ name }) => name)]);
}
