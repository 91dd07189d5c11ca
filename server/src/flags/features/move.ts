import { invalidOperation, rejectForAll, some } from '../../../../plane/src/platform/errors.ts';
import { requireInProject } from '../../access/guard.ts';
import { mayName } from '../../access/visibility.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Change } from '../../record/change.ts';
import { commentRequired, isSilent } from '../../record/comment.ts';
import { fieldsOfOtherProjects } from '../../targeting/context/other-projects.ts';
import { listUnusableSegments } from '../../targeting/segments/violations.ts';
import { contextFieldsIn } from '../feature-environments/context-fields.ts';
import type { FeatureEnvironment } from '../feature-environments/schema.ts';
import { asStrategyData } from '../feature-environments/strategies.ts';
import { lockActiveFeature } from '../feature-rows/lock.ts';
import { projectRuleErrors } from './project-rules.ts';
import type { FeatureState } from './schema.ts';
import { listStates } from './state/store.ts';
import { lockEnvironmentsForMove, lockProjectsOfMove, requiresComment, updateProject } from './store.ts';

/** Moves a feature to a different project. Rejects the move, with every reason, if users would get a different result there. */
export async function moveFeature(
  { tx, actor, record }: Change,
  project: string,
  name: string,
  target: string,
): Promise<void> {
  await requireInProject(tx, actor, target, ['MOVE_FEATURE_TOGGLE']);
  await lockProjectsOfMove(tx, project, target);
  const ruleErrors = target === project ? [] : await projectRuleErrors(tx, target, [name]);
  const targetEnvironments = await lockEnvironmentsForMove(tx, target);
  await lockActiveFeature(tx, project, name);
  if (target === project) return;
  const [feature] = await listStates(tx, project, [name]);
  if (!feature) throw new Error(`Feature ${name} was locked but not found`);

  const kept = feature.environments.filter(environment => targetEnvironments.includes(environment.name));
  const removed = feature.environments.filter(environment => !targetEnvironments.includes(environment.name));
  const added = targetEnvironments.filter(name => kept.every(environment => environment.name !== name));
  const reasons = [
    ...enabledElsewhere(name, removed, target),
    ...(await foreignParts(tx, name, kept, target)),
    ...familyReasons(feature),
  ];
  rejectForAll('The move', [...ruleErrors, ...reasons.map(invalidOperation)]);

  // The event belongs to the target project, so `change()` requires a comment only if that project does.
  if (isSilent(actor) && (await requiresComment(tx, project))) throw commentRequired(project);
  const named = await mayName(tx, target, [project]);
  await updateProject(tx, name, target, {
    removed: removed.map(({ name: environment }) => environment),
    added,
  });
  record({
    type: 'feature-project-change',
    project: target,
    featureName: name,
    data: {
      ...(named(project) ? { oldProject: project } : {}),
      newProject: target,
      addedEnvironments: added,
    },
    ...(named(project) ? { preData: { removedEnvironments: removed.map(asEnvironmentData) } } : {}),
  });
}

function enabledElsewhere(name: string, removed: FeatureEnvironment[], target: string): string[] {
  const enabled = removed.filter(environment => environment.enabled).map(environment => environment.name);
  if (enabled.length === 0) return [];
  const where = `${enabled.length === 1 ? 'environment' : 'environments'} ${some(enabled)}`;
  return [
    `Feature "${name}" is enabled in ${where}, which project "${target}" does not have. Disable it there first.`,
  ];
}

/** Segments and context fields that the target project cannot use. Without them more users would get the feature. */
async function foreignParts(
  tx: Tx,
  name: string,
  environments: FeatureEnvironment[],
  target: string,
): Promise<string[]> {
  const strategies = environments.flatMap(environment => environment.strategies);
  const ids = [...new Set(strategies.flatMap(({ segments }) => segments))].toSorted((a, b) => a - b);
  const segments = await listUnusableSegments(tx, target, ids);
  const fields = await fieldsOfOtherProjects(tx, target, contextFieldsIn(environments));
  return [
    ...(segments.length > 0
      ? [`Feature "${name}" uses segments of a different project: ${some(segments)}.`]
      : []),
    ...(fields.length > 0
      ? [`Feature "${name}" uses context fields of a different project: ${some(fields)}.`]
      : []),
  ];
}

function familyReasons({ name, dependencies, children }: FeatureState): string[] {
  const parents = dependencies.map(({ feature }) => feature);
  return [
    ...(parents.length > 0
      ? [`Feature "${name}" depends on ${some(parents)}. Remove the dependency first.`]
      : []),
    ...(children.length > 0
      ? [`Feature "${name}" is the parent of ${some(children)}. Remove the dependency first.`]
      : []),
  ];
}

const asEnvironmentData = ({ name, enabled, variants, strategies }: FeatureEnvironment) => ({
  name,
  enabled,
  variants,
  strategies: strategies.map(asStrategyData),
});
