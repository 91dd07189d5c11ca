import type { FeatureEnvironment, PlannedStrategy } from '../feature-environments/schema.ts';
import type { FeatureState } from '../features/schema.ts';
import type { OmittedPart, Part, PlannedCopy } from './schema.ts';

export type CloneOptions = {
  replaceGroupId: boolean;
  include: readonly Part[];
  /** If undefined, each environment maps to itself. */
  environments: { from: string; to: string }[] | undefined;
};

/** The target project and its environments. `copyNames` maps each source to the name of its copy. */
export type Target = { project: string; environments: string[]; copyNames: Map<string, string> };

/** Plans a copy of the source. A parent that is cloned in the same request is replaced with its copy. */
export function planCopy(
  source: FeatureState,
  name: string,
  target: Target,
  options: CloneOptions,
): PlannedCopy {
  const includesPart = (part: Part) => options.include.includes(part);
  const environments = pairEnvironments(source, target, options).flatMap(({ from, to }) => {
    const sourceEnvironment = source.environments.find(environment => environment.name === from);
    const strategies =
      sourceEnvironment && includesPart('strategies')
        ? sourceEnvironment.strategies.map(planStrategy(name, options))
        : [];
    const variants = sourceEnvironment && includesPart('variants') ? sourceEnvironment.variants : [];
    return strategies.length + variants.length === 0 ? [] : [{ name: to, from, strategies, variants }];
  });
  const { type, description, impressionData } = source;
  return {
    source: { project: source.project, feature: source.name },
    name,
    project: target.project,
    type,
    ...(description === undefined ? {} : { description }),
    impressionData,
    environments,
    tags: includesPart('tags') ? source.tags : [],
    dependencies: includesPart('dependencies')
      ? source.dependencies.map(parent => ({
          ...parent,
          feature: target.copyNames.get(parent.feature) ?? parent.feature,
        }))
      : [],
    omitted: [...listOmittedParts(source, target, options)],
  };
}

const pairEnvironments = (source: FeatureState, target: Target, { environments }: CloneOptions) =>
  environments ??
  source.environments
    .filter(({ name }) => target.environments.includes(name))
    .map(({ name }) => ({ from: name, to: name }));

const planStrategy =
  (name: string, { replaceGroupId }: CloneOptions) =>
  ({ id, featureName: _, ...content }: FeatureEnvironment['strategies'][number]): PlannedStrategy => ({
    copyOf: id,
    ...content,
    parameters:
      replaceGroupId && 'groupId' in content.parameters
        ? { ...content.parameters, groupId: name }
        : content.parameters,
  });

/** Lists the parts that the source has but the copy does not. */
function* listOmittedParts(
  source: FeatureState,
  target: Target,
  options: CloneOptions,
): Generator<OmittedPart> {
  const copiedEnvironments = new Set(pairEnvironments(source, target, options).map(({ from }) => from));
  for (const { name, strategies, variants } of source.environments) {
    if (copiedEnvironments.has(name) || strategies.length + variants.length === 0) continue;
    const reason = options.environments
      ? 'The request does not map this environment.'
      : `Project "${target.project}" does not have this environment.`;
    yield { part: 'environment', environment: name, reason };
  }
  for (const part of ['strategies', 'variants', 'tags', 'dependencies'] as const) {
    if (!options.include.includes(part) && hasPart(source, part))
      yield { part, environment: null, reason: 'The request does not include this part.' };
  }
  for (const { name, enabled } of source.environments)
    if (enabled)
      yield { part: 'enabled', environment: name, reason: 'A copy is disabled in every environment.' };
  if (source.stale) yield { part: 'stale', environment: null, reason: 'A copy is not stale.' };
  if (source.links.length > 0) yield { part: 'links', environment: null, reason: 'Links are not copied.' };
  if (source.children.length > 0)
    yield { part: 'children', environment: null, reason: 'Children keep depending on the source.' };
}

const hasPart = (source: FeatureState, part: Part): boolean =>
  part === 'tags' || part === 'dependencies'
    ? source[part].length > 0
    : source.environments.some(environment => environment[part].length > 0);
