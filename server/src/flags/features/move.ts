import { requireInProject } from '../../access/guard.ts';
import { mayName } from '../../access/visibility.ts';
import type { Tx } from '../../platform/db/database.ts';
import { invalidOperation, rejectForAll, some } from '../../platform/errors.ts';
import type { Change } from '../../record/change.ts';
import { fieldsOfOtherProjects } from '../../targeting/context/other-projects.ts';
import { listUnusableSegments } from '../../targeting/segments/violations.ts';
import type { FeatureEnvironment } from '../feature-environments/schema.ts';
import { asStrategyData } from '../feature-environments/strategies.ts';
import { lockActiveFeature } from '../feature-rows/lock.ts';
import { admissionErrors } from './admission.ts';
import type { FeatureState } from './schema.ts';
import { listStates } from './state/store.ts';
import { lockEnvironmentsOf, lockProjectsOfMove, moveTo } from './store.ts';

/** Gives a feature to another project, with all it has; what would change for its users is refused. */
export async function moveFeature(
  { tx, actor, record }: Change,
  project: string,
  name: string,
  target: string,
): Promise<void> {
  await requireInProject(tx, actor, target, ['MOVE_FEATURE_TOGGLE']);
  await lockProjectsOfMove(tx, project, target);
  const admission = target === project ? [] : await admissionErrors(tx, target, [name]);
  const there = await lockEnvironmentsOf(tx, target);
  await lockActiveFeature(tx, project, name);
  if (target === project) return;
  const [feature] = await listStates(tx, project, [name]);
  if (!feature) throw new Error(`Feature ${name} was locked but not found`);

  const staying = feature.environments.filter(environment => there.includes(environment.name));
  const leaving = feature.environments.filter(environment => !there.includes(environment.name));
  const joining = there.filter(place => staying.every(environment => environment.name !== place));
  const reasons = [
    ...enabledElsewhere(leaving, target),
    ...(await foreignParts(tx, staying, target)),
    ...ties(feature),
  ];
  rejectForAll('The move', [...admission, ...reasons.map(invalidOperation)]);

  const named = await mayName(tx, target, [project]);
  await moveTo(tx, name, target, { leaving: leaving.map(environment => environment.name), joining });
  record({
    type: 'feature-project-change',
    project: target,
    featureName: name,
    data: {
      ...(named(project) ? { oldProject: project } : {}),
      newProject: target,
      addedEnvironments: joining,
    },
    preData: { removedEnvironments: leaving.map(asEnvironmentData) },
  });
}

function enabledElsewhere(leaving: FeatureEnvironment[], target: string): string[] {
  const on = leaving.filter(({ enabled }) => enabled).map(({ name }) => name);
  return on.length === 0
    ? []
    : [`It is on in ${some(on)}, which project ${target} does not have. Switch it off there first.`];
}

/** A restriction that the other project does not know would have to be dropped, and more users would get the feature. */
async function foreignParts(tx: Tx, environments: FeatureEnvironment[], target: string): Promise<string[]> {
  const strategies = environments.flatMap(environment => environment.strategies);
  const ids = [...new Set(strategies.flatMap(({ segments }) => segments))].toSorted((a, b) => a - b);
  const segments = await listUnusableSegments(tx, target, ids);
  const fields = await fieldsOfOtherProjects(tx, target, contextFieldsIn(environments));
  return [
    ...(segments.length > 0 ? [`It uses segments of another project: ${some(segments.map(String))}.`] : []),
    ...(fields.length > 0 ? [`It uses context fields of another project: ${some(fields)}.`] : []),
  ];
}

/** Every context field that decides who gets what: in constraints, as stickiness, in overrides. */
function contextFieldsIn(environments: FeatureEnvironment[]): string[] {
  const strategies = environments.flatMap(environment => environment.strategies);
  const variants = environments.flatMap(environment => environment.variants);
  const names = [
    ...strategies.flatMap(strategy => strategy.constraints.map(({ contextName }) => contextName)),
    ...strategies.map(strategy => strategy.parameters.stickiness),
    ...[...variants, ...strategies.flatMap(strategy => strategy.variants)].map(
      ({ stickiness }) => stickiness,
    ),
    ...variants.flatMap(({ overrides = [] }) => overrides.map(({ contextName }) => contextName)),
  ];
  return [...new Set(names)].filter(name => name !== undefined);
}

function ties({ dependencies, children }: FeatureState): string[] {
  const parents = dependencies.map(({ feature }) => feature);
  return [
    ...(parents.length > 0 ? [`It depends on ${some(parents)}. Remove the dependency first.`] : []),
    ...(children.length > 0 ? [`It is the parent of ${some(children)}. Remove the dependency first.`] : []),
  ];
}

const asEnvironmentData = ({ name, enabled, variants, strategies }: FeatureEnvironment) => ({
  name,
  enabled,
  variants,
  strategies: strategies.map(asStrategyData),
});
