import { isDeepStrictEqual } from 'node:util';
import {
  archivedSentence,
  badData,
  exceedsLimit,
  notFound,
  quoteSome,
  rejectWith,
  type Violation,
} from '@halyard/plane/platform/errors.ts';
import type { Change } from '../../record/change.ts';
import { lockRows } from '../feature-rows/store.ts';
import type { Dependency, NewDependency } from './schema.ts';
import { type FeatureFamily, listFamilies, upsertDependencies } from './store.ts';

const MAX_PARENTS = 30;

/** Makes a feature depend on another feature in its project, or changes what the feature requires from a parent it already has. */
export async function addDependency(
  current: Change,
  project: string,
  name: string,
  input: NewDependency,
): Promise<void> {
  const dependency: Dependency = {
    feature: input.feature,
    enabled: input.enabled ?? true,
    variants: [...new Set(input.variants)],
  };
  // Locks both features, so that no other change can archive one or give it a parent before this change ends.
  const names = [...new Set([name, dependency.feature])];
  await lockRows(current.tx, project, names);
  const families = await listFamilies(current.tx, project, names);
  const child = families.find(feature => feature.name === name);
  const parent = families.find(feature => feature.name === dependency.feature);
  if (!child) throw notFound(`Feature "${name}" in project "${project}"`);
  const details = [...findViolations(child, parent, dependency)];
  if (details.length > 0 || !parent) throw badData(details);
  rejectWith([...findObstacles(child, parent)]);
  await attachParents(current, [{ child, dependency }]);
}

/** Adds or changes parents, and records only actual changes. The caller must have locked and checked the features. */
export async function attachParents(
  { tx, record }: Change,
  additions: { child: Pick<FeatureFamily, 'name' | 'project' | 'dependencies'>; dependency: Dependency }[],
): Promise<void> {
  const changes = additions
    .map(({ child, dependency }) => ({
      child,
      dependencyAfter: dependency,
      dependencyBefore: child.dependencies.find(({ feature }) => feature === dependency.feature),
    }))
    .filter(({ dependencyBefore, dependencyAfter }) => !isDeepStrictEqual(dependencyAfter, dependencyBefore));
  if (changes.length === 0) return;
  for (const childChanges of Map.groupBy(changes, change => change.child.name).values()) {
    const addedCount = childChanges.filter(({ dependencyBefore }) => !dependencyBefore).length;
    if (addedCount > 0 && (childChanges[0]?.child.dependencies.length ?? 0) + addedCount > MAX_PARENTS)
      throw exceedsLimit(`A feature can have at most ${MAX_PARENTS} parents.`);
  }
  await upsertDependencies(
    tx,
    changes.map(({ child, dependencyAfter }) => ({ child: child.name, ...dependencyAfter })),
  );
  for (const { child, dependencyBefore, dependencyAfter } of changes) {
    const subject = { project: child.project, featureName: child.name };
    record({
      type: 'feature-dependency-added',
      ...subject,
      data: dependencyAfter,
      preData: dependencyBefore ?? null,
    });
  }
}

function* findViolations(
  child: FeatureFamily,
  parent: FeatureFamily | undefined,
  { feature, enabled, variants }: Dependency,
): Generator<Violation> {
  if (!parent)
    yield {
      message: `feature "${feature}" does not exist in project "${child.project}"`,
      path: '/body/feature',
    };
  else if (parent.name === child.name)
    yield { message: 'a feature cannot depend on itself', path: '/body/feature' };
  if (!enabled && variants.length > 0) {
    yield {
      message: 'variants can be required only of an enabled parent: set enabled to true, or remove variants',
      path: '/body/variants',
    };
  }
}

/**
 * Yields every reason to reject the dependency. Only one level of dependencies is allowed, because SDKs evaluate a feature's
 * parents, but not the parents of those parents.
 */
function* findObstacles(child: FeatureFamily, parent: FeatureFamily): Generator<string> {
  for (const { name, archived } of [child, parent]) if (archived) yield archivedSentence('Feature', [name]);
  if (child.children.length > 0)
    yield `Feature "${child.name}" is the parent of ${quoteSome(child.children)}, and a parent cannot depend on another feature.`;
  if (parent.dependencies.length > 0) {
    const parents = parent.dependencies.map(({ feature }) => feature);
    yield `Feature "${parent.name}" depends on ${quoteSome(parents)}, and a feature that depends on another cannot be a parent.`;
  }
}
