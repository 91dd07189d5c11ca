import { isDeepStrictEqual } from 'node:util';
import {
  archivedSentence,
  badData,
  exceedsLimit,
  notFound,
  rejectWith,
  some,
  type Violation,
} from '../../../../plane/src/platform/errors.ts';
import type { Change } from '../../record/change.ts';
import { lockRows } from '../feature-rows/store.ts';
import type { Dependency, NewDependency } from './schema.ts';
import { type FeatureFamily, listFamilies, upsertDependencies } from './store.ts';

const MAX_PARENTS = 30;

/** Makes a feature depend on a second feature of its project, or changes what it requires from a parent. */
export async function addDependency(
  current: Change,
  project: string,
  name: string,
  input: NewDependency,
): Promise<void> {
  const after: Dependency = {
    feature: input.feature,
    enabled: input.enabled ?? true,
    variants: [...new Set(input.variants)],
  };
  // Both features are locked, so that no other change can archive one of them or give it a parent meanwhile.
  const names = [...new Set([name, after.feature])];
  await lockRows(current.tx, project, names);
  const found = await listFamilies(current.tx, project, names);
  const child = found.find(feature => feature.name === name);
  const parent = found.find(feature => feature.name === after.feature);
  if (!child) throw notFound(`Feature "${name}" in project "${project}"`);
  const details = [...violations(child, parent, after)];
  if (details.length > 0 || !parent) throw badData(details);
  rejectWith([...obstacles(child, parent)]);
  await attachParents(current, [{ child, dependency: after }]);
}

/** Part of a change that locked and checked the features. Records only real changes. */
export async function attachParents(
  { tx, record }: Change,
  wanted: { child: Pick<FeatureFamily, 'name' | 'project' | 'dependencies'>; dependency: Dependency }[],
): Promise<void> {
  const changing = wanted
    .map(({ child, dependency }) => ({
      child,
      after: dependency,
      before: child.dependencies.find(({ feature }) => feature === dependency.feature),
    }))
    .filter(({ before, after }) => !isDeepStrictEqual(after, before));
  if (changing.length === 0) return;
  for (const ofChild of Map.groupBy(changing, one => one.child.name).values()) {
    const added = ofChild.filter(({ before }) => !before).length;
    if (added > 0 && (ofChild[0]?.child.dependencies.length ?? 0) + added > MAX_PARENTS)
      throw exceedsLimit(`A feature can have at most ${MAX_PARENTS} parents.`);
  }
  await upsertDependencies(
    tx,
    changing.map(({ child, after }) => ({ child: child.name, ...after })),
  );
  for (const { child, before, after } of changing) {
    const about = { project: child.project, featureName: child.name };
    record({ type: 'feature-dependency-added', ...about, data: after, preData: before ?? null });
  }
}

function* violations(
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
      message: 'variants require a parent that must be enabled: set enabled to true, or remove variants',
      path: '/body/variants',
    };
  }
}

/** Dependencies have one level: SDKs evaluate a parent, but not the parents of a parent. */
function* obstacles(child: FeatureFamily, parent: FeatureFamily): Generator<string> {
  for (const { name, archived } of [child, parent]) if (archived) yield archivedSentence('Feature', [name]);
  if (child.children.length > 0) {
    yield `Feature "${child.name}" is the parent of ${some(child.children)}, and a parent cannot depend on another feature.`;
  }
  if (parent.dependencies.length > 0) {
    const parents = parent.dependencies.map(({ feature }) => feature);
    yield `Feature "${parent.name}" depends on ${some(parents)}, and a feature that depends on another cannot be a parent.`;
  }
}
