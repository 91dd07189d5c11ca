import { isDeepStrictEqual } from 'node:util';
import { ApiError, notFound } from '@halyard/plane/platform/errors.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import type { Dependency } from '../dependencies/schema.ts';
import type { FeatureEnvironment, FeatureStrategy } from '../feature-environments/schema.ts';
import { readFeature } from '../features/read.ts';
import type { FeatureState } from '../features/schema.ts';
import { listReadableStates } from '../features/state/store.ts';
import type { Difference, Drift } from './schema.ts';
import { listOrigins } from './store.ts';

/** Returns the differences between a copy and its source, in the parts that cloning copies. */
export async function readDrift(db: Reader, actor: Actor, project: string, name: string): Promise<Drift> {
  const copy = await readFeature(db, actor, project, name);
  const [source] = copy.clonedFrom ? await listReadableStates(db, actor, [copy.clonedFrom.feature]) : [];
  if (!copy.clonedFrom) throw new ApiError('NotFoundError', `Feature "${name}" is not a copy.`);
  // A feature newer than the copy cannot be its source. It reuses the name of a source that was deleted.
  if (!source || source.createdAt > copy.createdAt) throw notFound(`The source of feature "${name}"`);
  const origins = await listOrigins(
    db,
    copy.dependencies.map(({ feature }) => feature),
  );
  const differences = [...compare(source, copy, origins)];
  return {
    feature: name,
    project,
    source: { project: source.project, feature: source.name, archived: source.archived },
    inSync: differences.length === 0,
    differences,
  };
}

/**
 * Compares a copy with its source. `origins` maps each of the copy's parents to the feature that the parent was cloned from, so
 * that a child cloned together with its parent does not count as a difference.
 */
export function* compare(
  source: FeatureState,
  copy: FeatureState,
  origins: Map<string, string>,
): Generator<Difference> {
  for (const part of ['type', 'description', 'impressionData'] as const) {
    if (source[part] !== copy[part])
      yield { part, environment: null, kind: 'changed', source: source[part], copy: copy[part] };
  }
  yield* compareEnvironments(source, copy);
  yield* compareLists('tags', source.tags, copy.tags, isDeepStrictEqual);
  const isSameParent = (a: Dependency, b: Dependency) =>
    isDeepStrictEqual(a, b) || isDeepStrictEqual(a, { ...b, feature: origins.get(b.feature) ?? b.feature });
  yield* compareLists('dependencies', source.dependencies, copy.dependencies, isSameParent);
}

function* compareEnvironments(source: FeatureState, copy: FeatureState): Generator<Difference> {
  const copyEnvironments = new Map(copy.environments.map(environment => [environment.name, environment]));
  const sourceNames = new Set(source.environments.map(({ name }) => name));
  for (const sourceEnvironment of source.environments) {
    const copyEnvironment = copyEnvironments.get(sourceEnvironment.name);
    if (copyEnvironment) {
      yield* compareStrategies(sourceEnvironment, copyEnvironment);
      if (!isDeepStrictEqual(sourceEnvironment.variants, copyEnvironment.variants))
        yield {
          part: 'variants',
          environment: sourceEnvironment.name,
          kind: 'changed',
          source: sourceEnvironment.variants,
          copy: copyEnvironment.variants,
        };
    } else if (hasContent(sourceEnvironment))
      yield { part: 'environment', environment: sourceEnvironment.name, kind: 'only-in-source' };
  }
  for (const copyEnvironment of copy.environments) {
    if (!sourceNames.has(copyEnvironment.name) && hasContent(copyEnvironment))
      yield { part: 'environment', environment: copyEnvironment.name, kind: 'only-in-copy' };
  }
}

const hasContent = ({ strategies, variants }: FeatureEnvironment): boolean =>
  strategies.length + variants.length > 0;

/** Pairs strategies first by equal content and then by type. Ids cannot pair them, because copied strategies have new ids. */
function* compareStrategies(
  sourceEnvironment: FeatureEnvironment,
  copyEnvironment: FeatureEnvironment,
): Generator<Difference> {
  const location = { part: 'strategies', environment: sourceEnvironment.name };
  const { pairs, onlyInSource, onlyInCopy } = pairUp(
    sourceEnvironment.strategies,
    copyEnvironment.strategies,
  );
  for (const [source, copy] of pairs)
    if (!hasSameContent(source, copy)) yield { ...location, kind: 'changed', source, copy };
  for (const source of onlyInSource) yield { ...location, kind: 'only-in-source', source };
  for (const copy of onlyInCopy) yield { ...location, kind: 'only-in-copy', copy };
  const positions = pairs
    .toSorted(([a], [b]) => sourceEnvironment.strategies.indexOf(a) - sourceEnvironment.strategies.indexOf(b))
    .map(([, copy]) => copyEnvironment.strategies.indexOf(copy));
  if (positions.some((position, index) => position < (positions[index - 1] ?? 0)))
    yield { ...location, kind: 'order' };
}

function pairUp(sources: FeatureStrategy[], copies: FeatureStrategy[]) {
  const pairs: [FeatureStrategy, FeatureStrategy][] = [];
  const onlyInCopy = [...copies];
  /** Pairs each source with the first copy that matches. The filter keeps the sources that have no match. */
  const keepUnpaired = (matches: (source: FeatureStrategy, copy: FeatureStrategy) => boolean) => {
    return (source: FeatureStrategy): boolean => {
      const index = onlyInCopy.findIndex(copy => matches(source, copy));
      const [copy] = index === -1 ? [] : onlyInCopy.splice(index, 1);
      if (copy) pairs.push([source, copy]);
      return copy === undefined;
    };
  };
  const onlyInSource = sources
    .filter(keepUnpaired(hasSameContent))
    .filter(keepUnpaired((source, copy) => source.name === copy.name));
  return { pairs, onlyInSource, onlyInCopy };
}

function hasSameContent(source: FeatureStrategy, copy: FeatureStrategy): boolean {
  return (
    isDeepStrictEqual(getStrategyContent(source), getStrategyContent(copy)) ||
    isDeepStrictEqual(withoutOwnGroupId(source), withoutOwnGroupId(copy))
  );
}

const getStrategyContent = ({ id: _, featureName: __, sortOrder: ___, ...content }: FeatureStrategy) =>
  content;

/** Drops a groupId that equals the feature name, because a copied rollout uses the name of the copy instead. */
function withoutOwnGroupId(strategy: FeatureStrategy) {
  const { groupId, ...parameters } = strategy.parameters;
  const content = getStrategyContent(strategy);
  return groupId === strategy.featureName ? { ...content, parameters } : content;
}

function* compareLists<T>(
  part: string,
  source: T[],
  copy: T[],
  isSame: (sourceItem: T, copyItem: T) => boolean,
): Generator<Difference> {
  for (const sourceItem of source)
    if (!copy.some(copyItem => isSame(sourceItem, copyItem)))
      yield { part, environment: null, kind: 'only-in-source', source: sourceItem };
  for (const copyItem of copy)
    if (!source.some(sourceItem => isSame(sourceItem, copyItem)))
      yield { part, environment: null, kind: 'only-in-copy', copy: copyItem };
}
