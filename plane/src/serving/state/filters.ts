import type { Environment, Feature } from './environment.ts';

/** Filters that a client chooses, within the projects of its token. */
export type Filters = { namePrefix: string; tags: readonly string[] };

export const isFiltered = ({ namePrefix, tags }: Filters): boolean => namePrefix !== '' || tags.length > 0;

const matches = ({ namePrefix, tags }: Filters, feature: Feature): boolean =>
  feature.name.startsWith(namePrefix) && (tags.length === 0 || tags.some(tag => feature.tags.includes(tag)));

/** The features that match, and their parents: without its parent an SDK evaluates a feature as disabled. */
export function select(environment: Environment, features: readonly Feature[], filters: Filters): Feature[] {
  const chosen = new Set(features.filter(feature => matches(filters, feature)));
  const within = new Set(features.map(({ project }) => project));
  // A set also visits what is added while it is visited, so parents of parents are included.
  for (const feature of chosen) {
    for (const name of parentsOf(feature)) {
      const parent = environment.features.get(name);
      if (parent && within.has(parent.project)) chosen.add(parent);
    }
  }
  return features.filter(feature => chosen.has(feature));
}

type Document = { dependencies?: { feature: string }[] };

/** Searches the string first, because parsing all documents of an environment takes 50 times as long. */
export function parentsOf({ text }: Feature): string[] {
  if (!text.includes('"dependencies"')) return [];
  return ((JSON.parse(text) as Document).dependencies ?? []).map(({ feature }) => feature);
}
