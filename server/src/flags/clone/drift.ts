import { isDeepStrictEqual } from 'node:util';
import { ApiError, notFound } from '../../../../plane/src/platform/errors.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import type { Dependency } from '../dependencies/schema.ts';
import type { FeatureEnvironment, FeatureStrategy } from '../feature-environments/schema.ts';
import { readFeature } from '../features/read.ts';
import type { FeatureState } from '../features/schema.ts';
import { listReadableStates } from '../features/state/store.ts';
import type { Difference, Drift } from './schema.ts';
import { listOrigins } from './store.ts';

/** The differences between a copy and its source, in the parts that cloning copies. */
export async function readDrift(db: Reader, actor: Actor, project: string, name: string): Promise<Drift> {
  const copy = await readFeature(db, actor, project, name);
  const [source] = copy.clonedFrom ? await listReadableStates(db, actor, [copy.clonedFrom.feature]) : [];
  if (!copy.clonedFrom) throw new ApiError('NotFoundError', `Feature "${name}" is not a copy.`);
  // A feature that is newer than the copy merely has the same name as the deleted source.
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

/** `originOf` maps a parent of the copy to its own source, so that a parent and a child cloned together do not differ. */
export function* compare(
  source: FeatureState,
  copy: FeatureState,
  originOf: Map<string, string>,
): Generator<Difference> {
  for (const part of ['type', 'description', 'impressionData'] as const) {
    if (source[part] !== copy[part])
      yield { part, environment: null, kind: 'changed', source: source[part], copy: copy[part] };
  }
  yield* environmentDifferences(source, copy);
  yield* listDifferences('tags', source.tags, copy.tags, isDeepStrictEqual);
  const sameParent = (one: Dependency, other: Dependency) =>
    isDeepStrictEqual(one, other) ||
    isDeepStrictEqual(one, { ...other, feature: originOf.get(other.feature) ?? other.feature });
  yield* listDifferences('dependencies', source.dependencies, copy.dependencies, sameParent);
}

function* environmentDifferences(source: FeatureState, copy: FeatureState): Generator<Difference> {
  const inCopy = new Map(copy.environments.map(environment => [environment.name, environment]));
  const inSource = new Set(source.environments.map(({ name }) => name));
  for (const here of source.environments) {
    const there = inCopy.get(here.name);
    if (there) {
      yield* strategyDifferences(here, there);
      if (!isDeepStrictEqual(here.variants, there.variants))
        yield {
          part: 'variants',
          environment: here.name,
          kind: 'changed',
          source: here.variants,
          copy: there.variants,
        };
    } else if (hasContent(here))
      yield { part: 'environment', environment: here.name, kind: 'only-in-source' };
  }
  for (const there of copy.environments) {
    if (!inSource.has(there.name) && hasContent(there))
      yield { part: 'environment', environment: there.name, kind: 'only-in-copy' };
  }
}

const hasContent = ({ strategies, variants }: FeatureEnvironment): boolean =>
  strategies.length + variants.length > 0;

/** Strategies of a copy have different ids, so they are paired by equal content first, then by type. */
function* strategyDifferences(here: FeatureEnvironment, there: FeatureEnvironment): Generator<Difference> {
  const at = { part: 'strategies', environment: here.name };
  const { pairs, onlyInSource, onlyInCopy } = pairUp(here.strategies, there.strategies);
  for (const [source, copy] of pairs)
    if (!sameContent(source, copy)) yield { ...at, kind: 'changed', source, copy };
  for (const source of onlyInSource) yield { ...at, kind: 'only-in-source', source };
  for (const copy of onlyInCopy) yield { ...at, kind: 'only-in-copy', copy };
  const positions = pairs
    .toSorted(([a], [b]) => here.strategies.indexOf(a) - here.strategies.indexOf(b))
    .map(([, copy]) => there.strategies.indexOf(copy));
  if (positions.some((position, index) => position < (positions[index - 1] ?? 0)))
    yield { ...at, kind: 'order' };
}

function pairUp(sources: FeatureStrategy[], copies: FeatureStrategy[]) {
  const pairs: [FeatureStrategy, FeatureStrategy][] = [];
  const onlyInCopy = [...copies];
  const unpaired = (matches: (source: FeatureStrategy, copy: FeatureStrategy) => boolean) => {
    return (source: FeatureStrategy): boolean => {
      const found = onlyInCopy.findIndex(copy => matches(source, copy));
      const [copy] = found === -1 ? [] : onlyInCopy.splice(found, 1);
      if (copy) pairs.push([source, copy]);
      return copy === undefined;
    };
  };
  const onlyInSource = sources
    .filter(unpaired(sameContent))
    .filter(unpaired((source, copy) => source.name === copy.name));
  return { pairs, onlyInSource, onlyInCopy };
}

function sameContent(source: FeatureStrategy, copy: FeatureStrategy): boolean {
  return (
    isDeepStrictEqual(contentOf(source), contentOf(copy)) ||
    isDeepStrictEqual(withoutOwnGroup(source), withoutOwnGroup(copy))
  );
}

const contentOf = ({ id: _, featureName: __, sortOrder: ___, ...content }: FeatureStrategy) => content;

/** A rollout that uses the name of its own feature as groupId equals one in the copy that uses the name of the copy. */
function withoutOwnGroup(strategy: FeatureStrategy) {
  const { groupId, ...parameters } = strategy.parameters;
  const content = contentOf(strategy);
  return groupId === strategy.featureName ? { ...content, parameters } : content;
}

function* listDifferences<T>(
  part: string,
  source: T[],
  copy: T[],
  same: (one: T, other: T) => boolean,
): Generator<Difference> {
  for (const one of source)
    if (!copy.some(other => same(one, other)))
      yield { part, environment: null, kind: 'only-in-source', source: one };
  for (const other of copy)
    if (!source.some(one => same(one, other)))
      yield { part, environment: null, kind: 'only-in-copy', copy: other };
}
