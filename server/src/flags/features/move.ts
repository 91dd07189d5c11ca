import { invalidOperation, quoteSome, rejectForAll } from '@halyard/plane/platform/errors.ts';
import { requireInProject } from '../../access/guard.ts';
import { buildProjectNameCheck } from '../../access/visibility.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Change } from '../../record/change.ts';
import { commentRequiredError, lacksComment } from '../../record/comment.ts';
import { listFieldsOfOtherProjects } from '../../targeting/context/other-projects.ts';
import { listUnusableSegments, readSegmentNames } from '../../targeting/segments/violations.ts';
import { contextFieldsIn } from '../feature-environments/context-fields.ts';
import type { FeatureEnvironment } from '../feature-environments/schema.ts';
import { toStrategyData } from '../feature-environments/strategies.ts';
import { lockActiveFeature } from '../feature-rows/lock.ts';
import { findProjectRuleErrors } from './project-rules.ts';
import type { FeatureState } from './schema.ts';
import { listStates } from './state/store.ts';
import {
  lockEnvironmentsForMove,
  lockProjectsForMove,
  moveToProject,
  projectRequiresComment,
} from './store.ts';

/** Moves a feature to a different project. Rejects the move and lists every reason if users would get a different result there. */
export async function moveFeature(
  { tx, actor, record }: Change,
  project: string,
  name: string,
  target: string,
): Promise<void> {
  await requireInProject(tx, actor, target, ['MOVE_FEATURE_TOGGLE']);
  await lockProjectsForMove(tx, project, target);
  const ruleErrors = target === project ? [] : await findProjectRuleErrors(tx, target, [name]);
  const targetEnvironments = await lockEnvironmentsForMove(tx, target);
  await lockActiveFeature(tx, project, name);
  if (target === project) return;
  const [feature] = await listStates(tx, project, [name]);
  if (!feature) throw new Error(`Feature "${name}" was locked but not found`);

  const keptEnvironments = feature.environments.filter(environment =>
    targetEnvironments.includes(environment.name),
  );
  const removedEnvironments = feature.environments.filter(
    environment => !targetEnvironments.includes(environment.name),
  );
  const addedEnvironments = targetEnvironments.filter(name =>
    keptEnvironments.every(environment => environment.name !== name),
  );
  const reasons = [
    ...listEnabledReasons(name, removedEnvironments, target),
    ...(await listForeignPartReasons(tx, name, keptEnvironments, target)),
    ...listFamilyReasons(feature),
  ];
  rejectForAll('The move', [...ruleErrors, ...reasons.map(invalidOperation)]);

  // `change()` checks only whether the target project requires a comment, because the event belongs to it. The old one is checked here.
  if (lacksComment(actor) && (await projectRequiresComment(tx, project))) throw commentRequiredError(project);
  const canNameProject = await buildProjectNameCheck(tx, target, [project]);
  await moveToProject(tx, name, target, {
    removed: removedEnvironments.map(({ name: environment }) => environment),
    added: addedEnvironments,
  });
  record({
    type: 'feature-project-change',
    project: target,
    featureName: name,
    data: {
      ...(canNameProject(project) ? { oldProject: project } : {}),
      newProject: target,
      addedEnvironments,
    },
    ...(canNameProject(project)
      ? { preData: { removedEnvironments: removedEnvironments.map(toEnvironmentData) } }
      : {}),
  });
}

function listEnabledReasons(
  name: string,
  removedEnvironments: FeatureEnvironment[],
  target: string,
): string[] {
  const enabledNames = removedEnvironments
    .filter(environment => environment.enabled)
    .map(environment => environment.name);
  if (enabledNames.length === 0) return [];
  const environments = `${enabledNames.length === 1 ? 'environment' : 'environments'} ${quoteSome(enabledNames)}`;
  return [
    `Feature "${name}" is enabled in ${environments}, which project "${target}" does not have. Disable it there first.`,
  ];
}

/** Lists segments and context fields that the target project cannot use. Dropping them would enable the feature for more users. */
async function listForeignPartReasons(
  tx: Tx,
  name: string,
  environments: FeatureEnvironment[],
  target: string,
): Promise<string[]> {
  const strategies = environments.flatMap(environment => environment.strategies);
  const ids = [...new Set(strategies.flatMap(({ segments }) => segments))].toSorted((a, b) => a - b);
  const unusableIds = await listUnusableSegments(tx, target, ids);
  const names = await readSegmentNames(tx, unusableIds);
  const segments = unusableIds.map(id => names.get(id) ?? id);
  const fields = await listFieldsOfOtherProjects(tx, target, contextFieldsIn(environments));
  return [
    ...(segments.length > 0
      ? [`Feature "${name}" uses segments of a different project: ${quoteSome(segments)}.`]
      : []),
    ...(fields.length > 0
      ? [`Feature "${name}" uses context fields of a different project: ${quoteSome(fields)}.`]
      : []),
  ];
}

function listFamilyReasons({ name, dependencies, children }: FeatureState): string[] {
  const parents = dependencies.map(({ feature }) => feature);
  return [
    ...(parents.length > 0
      ? [`Feature "${name}" depends on ${quoteSome(parents)}. Remove the dependency first.`]
      : []),
    ...(children.length > 0
      ? [`Feature "${name}" is the parent of ${quoteSome(children)}. Remove the dependency first.`]
      : []),
  ];
}

const toEnvironmentData = ({ name, enabled, variants, strategies }: FeatureEnvironment) => ({
  name,
  enabled,
  variants,
  strategies: strategies.map(toStrategyData),
});
