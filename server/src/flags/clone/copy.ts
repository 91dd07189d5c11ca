import type { FeatureEnvironment, PlannedStrategy } from '../feature-environments/schema.ts';
import type { Feature } from '../features/schema.ts';
import type { LeftOut, Part, PlannedCopy } from './schema.ts';

export type Choice = {
  replaceGroupId: boolean;
  include: readonly Part[];
  /** undefined: each its own */
  environments: { from: string; to: string }[] | undefined;
};

/** The project that receives copies, and the names by which sources of this clone go there. */
export type Receiving = { project: string; environments: string[]; nameOf: Map<string, string> };

/** What a copy of the source is made of. A parent that is cloned in the same request is replaced by its copy. */
export function copyOf(source: Feature, name: string, receiving: Receiving, choice: Choice): PlannedCopy {
  const takes = (part: Part) => choice.include.includes(part);
  const environments = pairs(source, receiving, choice).flatMap(({ from, to }) => {
    const here = source.environments.find(environment => environment.name === from);
    const strategies = here && takes('strategies') ? here.strategies.map(plannedAs(name, choice)) : [];
    const variants = here && takes('variants') ? here.variants : [];
    return strategies.length + variants.length === 0 ? [] : [{ name: to, from, strategies, variants }];
  });
  const { type, description, impressionData } = source;
  return {
    source: { project: source.project, feature: source.name },
    name,
    project: receiving.project,
    type,
    ...(description === undefined ? {} : { description }),
    impressionData,
    environments,
    tags: takes('tags') ? source.tags : [],
    dependencies: takes('dependencies')
      ? source.dependencies.map(parent => ({
          ...parent,
          feature: receiving.nameOf.get(parent.feature) ?? parent.feature,
        }))
      : [],
    leftOut: [...leftOut(source, receiving, choice)],
  };
}

const pairs = (source: Feature, receiving: Receiving, { environments }: Choice) =>
  environments ??
  source.environments
    .filter(({ name }) => receiving.environments.includes(name))
    .map(({ name }) => ({ from: name, to: name }));

const plannedAs =
  (name: string, { replaceGroupId }: Choice) =>
  ({ id, featureName: _, ...content }: FeatureEnvironment['strategies'][number]): PlannedStrategy => ({
    copyOf: id,
    ...content,
    parameters:
      replaceGroupId && 'groupId' in content.parameters
        ? { ...content.parameters, groupId: name }
        : content.parameters,
  });

/** Only what the source has: a list of all that no copy ever has would tell nothing. */
function* leftOut(source: Feature, receiving: Receiving, choice: Choice): Generator<LeftOut> {
  const taken = new Set(pairs(source, receiving, choice).map(({ from }) => from));
  for (const { name, strategies, variants } of source.environments) {
    if (taken.has(name) || strategies.length + variants.length === 0) continue;
    const why = choice.environments
      ? 'The request does not name this environment.'
      : `Project ${receiving.project} does not have this environment.`;
    yield { part: 'environment', environment: name, why };
  }
  for (const part of ['strategies', 'variants', 'tags', 'dependencies'] as const) {
    if (!choice.include.includes(part) && has(source, part))
      yield { part, environment: null, why: 'The request does not include this.' };
  }
  for (const { name, enabled } of source.environments)
    if (enabled) yield { part: 'enabled', environment: name, why: 'A copy is off until it is switched on.' };
  if (source.stale) yield { part: 'stale', environment: null, why: 'A copy is new.' };
  if (source.links.length > 0) yield { part: 'links', environment: null, why: 'Links are about the source.' };
  if (source.children.length > 0)
    yield { part: 'children', environment: null, why: 'Children go on depending on the source.' };
}

const has = (source: Feature, part: Part): boolean =>
  part === 'tags' || part === 'dependencies'
    ? source[part].length > 0
    : source.environments.some(environment => environment[part].length > 0);
