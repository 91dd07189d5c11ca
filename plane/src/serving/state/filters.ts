import type { Environment } from './environment.ts';
import type { Feature } from './feature.ts';

/** The filters that a client sends, which apply within its token's projects. */
export type Filters = { namePrefix: string; tags: readonly string[] };

export const isFiltered = ({ namePrefix, tags }: Filters): boolean => namePrefix !== '' || tags.length > 0;

const matches = ({ namePrefix, tags }: Filters, feature: Feature): boolean =>
  feature.name.startsWith(namePrefix) && (tags.length === 0 || tags.some(tag => feature.tags.includes(tag)));

/** Returns the matching features and their parents, because an SDK evaluates a feature as disabled if its parent is missing. */
export function select(environment: Environment, features: readonly Feature[], filters: Filters): Feature[] {
  const selectedFeatures = new Set(features.filter(feature => matches(filters, feature)));
  const projects = new Set(features.map(({ project }) => project));
  // The loop also visits parents that it adds to the set, so the parents of parents are included.
  for (const feature of selectedFeatures) {
    for (const name of listParents(feature)) {
      const parent = environment.features.get(name);
      if (parent && projects.has(parent.project)) selectedFeatures.add(parent);
    }
  }
  return features.filter(feature => selectedFeatures.has(feature));
}

type Document = { dependencies?: { feature: string }[] };

/** Searches the string first, because parsing all documents of an environment takes 50 times as long. */
export function listParents({ text }: Feature): string[] {
  if (!text.includes('"dependencies"')) return [];
  return ((JSON.parse(text) as Document).dependencies ?? []).map(({ feature }) => feature);
}
