import { createHash } from 'node:crypto';
import {
  ApiError,
  badData,
  noAccess,
  quoteSome,
  rejectForAll,
  type Violation,
} from '@halyard/plane/platform/errors.ts';
import { findForbiddenEnvironments, requireInProject } from '../../access/guard.ts';
import type { ProjectPermission } from '../../access/permissions.ts';
import { getPermissionScope } from '../../access/permissions.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Reader, Tx } from '../../platform/db/database.ts';
import type { Change } from '../../record/change.ts';
import { listFieldsOfOtherProjects } from '../../targeting/context/other-projects.ts';
import { listUnusableSegments, readSegmentNames } from '../../targeting/segments/violations.ts';
import { contextFieldsIn } from '../feature-environments/context-fields.ts';
import { findInstanceLimitErrors, findProjectRuleErrors } from '../features/project-rules.ts';
import type { FeatureState } from '../features/schema.ts';
import { rejectLargeWork } from '../features/size.ts';
import { listReadableStates } from '../features/state/store.ts';
import { findTakenNameErrors } from '../features/taken-names.ts';
import { type CloneOptions, planCopy } from './copy.ts';
import type { ClonePlan, PlannedCopy } from './schema.ts';
import { lockAndReadSources } from './sources.ts';
import { lockEnvironmentsShared, lockTagsShared } from './store.ts';

/** Which features to copy, the names of the copies and the target project. */
export type CloneInput = {
  project: string;
  features: { source: string; name: string }[];
  options: CloneOptions;
  planId: string | undefined;
};

type RequiredPermission = { permission: ProjectPermission; environment: string | null; held: boolean };

export type Plan = {
  copies: PlannedCopy[];
  permissions: RequiredPermission[];
  /** Errors about missing or archived sources. Even a dry run fails with these. */
  sourceErrors: ApiError[];
  obstacles: ApiError[];
  id: string;
};

/** Plans the clone without executing it: takes the same locks, but writes nothing. */
export async function planClone(
  current: Change,
  input: CloneInput,
  featureLimit: number,
): Promise<ClonePlan> {
  const plan = await makePlan(current, input, featureLimit);
  rejectMissingSources(plan);
  return {
    planId: plan.obstacles.length === 0 ? plan.id : null,
    copies: plan.copies,
    permissions: plan.permissions,
    obstacles: plan.obstacles.flatMap(({ name, details }) =>
      details.map(({ message }) => ({ name, message })),
    ),
  };
}

/**
 * Plans the copies and collects every obstacle. Locks tags, the target project, its environments and the sources, in this order, so
 * that the plan stays valid until the transaction ends.
 */
export async function makePlan(
  { tx, actor }: Change,
  input: CloneInput,
  featureLimit: number,
): Promise<Plan> {
  const { project, features, options } = input;
  await requireInProject(tx, actor, project, ['CREATE_FEATURE']);
  const allSources = features.map(({ source }) => source);
  await rejectLargeWork(tx, actor, allSources, 'Clone fewer features at a time.');
  const names = [...new Set(allSources)];
  await lockTagsShared(tx, names);
  const ruleErrors = await findProjectRuleErrors(tx, project, namesIn(input));
  const environments = await lockEnvironmentsShared(tx, project);
  const { sources, projectByFeature, errors: sourceErrors } = await lockAndReadSources(tx, actor, names);

  // If a source is copied twice, the copies of its children depend on the first copy.
  const copyNames = new Map(features.toReversed().map(({ source, name }) => [source, name]));
  const target = { project, environments, copyNames };
  const copies = features.flatMap(({ source, name }) => {
    const feature = sources.get(source);
    return feature ? [planCopy(feature, name, target, options)] : [];
  });
  const violations = [
    ...findDuplicateNames(namesIn(input)),
    ...findEnvironmentViolations([...sources.values()], environments, input),
    ...findParentViolations(copies, projectByFeature, copyNames),
    ...(await findSegmentViolations(tx, project, copies)),
    ...(await findContextFieldViolations(tx, project, copies)),
  ];
  const permissions = await findRequiredPermissions(tx, actor, project, copies);
  const nameErrors = await findTakenNameErrors(tx, actor, namesIn(input));
  return {
    copies,
    permissions,
    sourceErrors,
    obstacles: [
      ...ruleErrors,
      ...(violations.length > 0 ? [badData(violations)] : []),
      ...permissions
        .filter(({ held }) => !held)
        .map(({ permission, environment }) =>
          noAccess([permission], getPermissionScope([permission], project, environment ?? undefined)),
        ),
      ...nameErrors,
      ...(await findInstanceLimitErrors(tx, featureLimit, features.length)),
    ],
    id: createHash('sha256').update(JSON.stringify(copies)).digest('base64url'),
  };
}

/** Rejects a plan that has obstacles or differs from the plan with the given id. */
export function rejectIfNotExecutable(plan: Plan, planId: string | undefined): void {
  const { obstacles, id } = plan;
  rejectMissingSources(plan);
  const permissionErrors = obstacles.filter(({ name }) => name === 'NoAccessError');
  if (planId !== undefined && permissionErrors.length === 0 && (planId !== id || obstacles.length > 0)) {
    const reason =
      'planId does not match: a source, the target project or the request changed since the dry run.';
    throw new ApiError('ConflictError', `${reason} Repeat the dry run.`, {
      details: [{ message: reason }, ...obstacles.flatMap(({ details }) => details)],
    });
  }
  rejectForAll('The clone', obstacles);
}

function rejectMissingSources({ sourceErrors, obstacles }: Plan): void {
  if (sourceErrors.length > 0) rejectForAll('The clone', [...sourceErrors, ...obstacles]);
}

const namesIn = ({ features }: CloneInput): string[] => features.map(({ name }) => name);

/**
 * Returns violations in the list of features. Fields may be missing, because this also runs for a body that has failed schema
 * validation.
 */
export async function findCloneManyViolations(
  db: Reader,
  actor: Actor,
  copies: { feature?: string; name?: string }[],
): Promise<Violation[]> {
  const sources = copies.flatMap(({ feature }) => feature ?? []);
  const foundNames = new Set((await listReadableStates(db, actor, sources)).map(({ name }) => name));
  return [
    ...copies.flatMap(({ feature }, index) =>
      feature === undefined || foundNames.has(feature)
        ? []
        : [{ message: `Feature "${feature}" does not exist.`, path: `/body/features/${index}/feature` }],
    ),
    ...findDuplicateNames(copies.map(({ name }) => name)),
  ];
}

function* findDuplicateNames(names: (string | undefined)[]): Generator<Violation> {
  for (const [index, name] of names.entries()) {
    if (name !== undefined && names.indexOf(name) < index)
      yield {
        message: `name "${name}" is used for more than one copy`,
        path: `/body/features/${index}/name`,
      };
  }
}

/** Checks that mapped environments exist, and that each target environment is mapped only once. */
function* findEnvironmentViolations(
  sources: FeatureState[],
  targetEnvironments: string[],
  { project, options }: CloneInput,
): Generator<Violation> {
  const pairs = options.environments ?? [];
  for (const [index, { from, to }] of pairs.entries()) {
    for (const { name, environments } of sources) {
      if (!environments.some(environment => environment.name === from))
        yield {
          message: `feature "${name}" does not have environment "${from}"`,
          path: `/body/environments/${index}/from`,
        };
    }
    const path = `/body/environments/${index}/to`;
    if (!targetEnvironments.includes(to))
      yield { message: `project "${project}" does not have environment "${to}"`, path };
    if (pairs.findIndex(pair => pair.to === to) < index)
      yield { message: `environment "${to}" is mapped more than once`, path };
  }
}

/** Rejects the clone if a parent is missing, because a copy without its parent could be enabled where the source is not. */
function* findParentViolations(
  copies: PlannedCopy[],
  projectByFeature: Map<string, string>,
  copyNames: Map<string, string>,
): Generator<Violation> {
  const copiedNames = new Set(copyNames.values());
  for (const { source, project, dependencies } of copies) {
    if (source.project === project) continue;
    for (const { feature } of dependencies) {
      if (!copiedNames.has(feature) && projectByFeature.get(feature) !== project)
        yield {
          message: `feature "${source.feature}" depends on "${feature}", which is not in project "${project}"`,
        };
    }
  }
}

/**
 * Rejects the clone if it uses a segment of a different project, because a copy without the segment could be enabled where the
 * source is not.
 */
async function findSegmentViolations(tx: Tx, project: string, copies: PlannedCopy[]): Promise<Violation[]> {
  const uses = copies.flatMap(({ source, environments }) =>
    environments.flatMap(({ from, strategies }) =>
      strategies.flatMap(({ segments }) => segments.map(id => ({ id, feature: source.feature, from }))),
    ),
  );
  const ids = [...new Set(uses.map(({ id }) => id))].toSorted((a, b) => a - b);
  const unusableIds = new Set(await listUnusableSegments(tx, project, ids));
  const names = await readSegmentNames(tx, [...unusableIds]);
  const messages = uses
    .filter(({ id }) => unusableIds.has(id))
    .map(
      ({ id, feature, from }) =>
        `feature "${feature}" uses segment ${quoteSome([names.get(id) ?? id])} in environment "${from}", but project "${project}" cannot use the segment`,
    );
  return [...new Set(messages)].map(message => ({ message }));
}

/**
 * Rejects context fields of other projects, because only callers who can read a project may see the names, descriptions and legal
 * values of its fields.
 */
async function findContextFieldViolations(
  tx: Tx,
  project: string,
  copies: PlannedCopy[],
): Promise<Violation[]> {
  const uses = copies
    .filter(({ source }) => source.project !== project)
    .flatMap(({ source, environments }) =>
      environments.flatMap(environment =>
        contextFieldsIn([environment]).map(field => ({
          field,
          feature: source.feature,
          from: environment.from,
        })),
      ),
    );
  const foreignFields = new Set(
    await listFieldsOfOtherProjects(tx, project, [...new Set(uses.map(({ field }) => field))]),
  );
  const messages = uses
    .filter(({ field }) => foreignFields.has(field))
    .map(
      ({ field, feature, from }) =>
        `feature "${feature}" uses context field "${field}" in environment "${from}", but project "${project}" cannot use the field`,
    );
  return [...new Set(messages)].map(message => ({ message }));
}

async function findRequiredPermissions(
  tx: Tx,
  actor: Actor,
  project: string,
  copies: PlannedCopy[],
): Promise<RequiredPermission[]> {
  const allEnvironments = copies.flatMap(copy => copy.environments);
  const withStrategies = allEnvironments.filter(({ strategies }) => strategies.length > 0);
  const withVariants = allEnvironments.filter(({ variants }) => variants.length > 0);
  const checkInEach = async (
    permission: ProjectPermission,
    environments: { name: string }[],
  ): Promise<RequiredPermission[]> => {
    const names = [...new Set(environments.map(({ name }) => name))];
    const deniedEnvironments = await findForbiddenEnvironments(tx, actor, project, permission, names);
    return names.map(environment => ({
      permission,
      environment,
      held: !deniedEnvironments.includes(environment),
    }));
  };
  return [
    { permission: 'CREATE_FEATURE', environment: null, held: true },
    ...(await checkInEach('CREATE_FEATURE_STRATEGY', withStrategies)),
    ...(await checkInEach('UPDATE_FEATURE_ENVIRONMENT_VARIANTS', withVariants)),
  ];
}
