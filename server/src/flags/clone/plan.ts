import { createHash } from 'node:crypto';
import { environmentsWithout, needsInProject } from '../../access/guard.ts';
import type { ProjectPermission } from '../../access/permissions.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import {
  ApiError,
  badData,
  nameExists,
  noAccess,
  rejectForAll,
  type Violation,
} from '../../platform/errors.ts';
import { change } from '../../record/change.ts';
import { listUnusableSegments } from '../../targeting/segments/violations.ts';
import { admissionErrors, instanceLimitErrors } from '../features/create.ts';
import { holdSources, readReadable, takenNames } from '../features/load.ts';
import type { Feature } from '../features/schema.ts';
import { type Choice, copyOf } from './copy.ts';
import type { ClonePlan, PlannedCopy } from './schema.ts';
import { lockEnvironments, lockTagsOf } from './store.ts';

/** Which features are to be copied into which project, under which names. */
export type Order = {
  project: string;
  features: { source: string; name: string }[];
  choice: Choice;
  planId: string | undefined;
};

type Needed = { permission: ProjectPermission; environment: string | null; held: boolean };

export type Plan = {
  copies: PlannedCopy[];
  permissions: Needed[];
  /** Errors about sources that are missing or archived: without them there is nothing to plan. */
  sourceErrors: ApiError[];
  obstacles: ApiError[];
  id: string;
};

/** Everything the clone would do, without doing it. */
export async function planClone(
  db: Db,
  actor: Actor,
  order: Order,
  mostFeatures: number,
): Promise<ClonePlan> {
  // Records nothing and so changes nothing: it only holds what the clone itself would hold.
  const plan = await change(db, actor, async ({ tx }) => await makePlan(tx, actor, order, mostFeatures));
  refuseWithoutSources(plan);
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
 * What is to be made, and all that stands in the way. What it is made from and where it goes stay as they are until the
 * transaction ends: the receiving project first, then the features.
 */
export async function makePlan(tx: Tx, actor: Actor, order: Order, mostFeatures: number): Promise<Plan> {
  const { project, features, choice } = order;
  await needsInProject(tx, actor, project, ['CREATE_FEATURE']);
  const names = [...new Set(features.map(({ source }) => source))];
  await lockTagsOf(tx, names);
  const admission = await admissionErrors(tx, project, namesIn(order));
  const environments = await lockEnvironments(tx, project);
  const { sources, projectOf, errors: sourceErrors } = await holdSources(tx, actor, names);

  // A source that is copied twice: whoever depends on it gets the first copy.
  const nameOf = new Map(features.toReversed().map(({ source, name }) => [source, name]));
  const receiving = { project, environments, nameOf };
  const copies = features.flatMap(({ source, name }) => {
    const feature = sources.get(source);
    return feature ? [copyOf(feature, name, receiving, choice)] : [];
  });
  const violations = [
    ...repeatedNames(namesIn(order)),
    ...environmentViolations([...sources.values()], environments, order),
    ...parentViolations(copies, projectOf, nameOf),
    ...(await segmentObstacles(tx, project, copies)),
  ];
  const permissions = await neededPermissions(tx, actor, project, copies);
  const taken = await takenNames(tx, namesIn(order));
  return {
    copies,
    permissions,
    sourceErrors,
    obstacles: [
      ...admission,
      ...(violations.length > 0 ? [badData(violations)] : []),
      ...permissions
        .filter(({ held }) => !held)
        .map(({ permission, environment }) => noAccess([permission], environment ?? undefined)),
      ...taken.map(name => nameExists(`Feature ${name}`)),
      ...(await instanceLimitErrors(tx, mostFeatures, features.length)),
    ],
    id: createHash('sha256').update(JSON.stringify(copies)).digest('base64url'),
  };
}

/** Goes on if the plan can be carried out and, where one was made before, is still that plan. */
export function refuseUnlessPossible(plan: Plan, planId: string | undefined): void {
  const { obstacles, id } = plan;
  refuseWithoutSources(plan);
  const denied = obstacles.filter(({ name }) => name === 'NoAccessError');
  if (planId !== undefined && denied.length === 0 && (planId !== id || obstacles.length > 0)) {
    const changed =
      'planId does not match: the source, the receiving project or the request differs from the plan.';
    throw new ApiError('ConflictError', `${changed} Make a new plan.`, {
      details: [{ message: changed }, ...obstacles.flatMap(({ details }) => details)],
    });
  }
  rejectForAll('The clone', obstacles);
}

function refuseWithoutSources({ sourceErrors, obstacles }: Plan): void {
  if (sourceErrors.length > 0) rejectForAll('The clone', [...sourceErrors, ...obstacles]);
}

const namesIn = ({ features }: Order): string[] => features.map(({ name }) => name);

/** What is wrong with copies that are asked for together, as far as their fields are given. */
export async function manyViolations(
  db: Db,
  actor: Actor,
  copies: { feature?: string; name?: string }[],
): Promise<Violation[]> {
  const sources = copies.flatMap(({ feature }) => feature ?? []);
  const found = new Set((await readReadable(db, actor, sources)).map(({ name }) => name));
  return [
    ...copies.flatMap(({ feature }, at) =>
      feature === undefined || found.has(feature)
        ? []
        : [{ message: `Feature ${feature} does not exist.`, path: `/body/features/${at}/feature` }],
    ),
    ...repeatedNames(copies.map(({ name }) => name)),
  ];
}

function* repeatedNames(names: (string | undefined)[]): Generator<Violation> {
  for (const [at, name] of names.entries()) {
    if (name !== undefined && names.indexOf(name) < at)
      yield { message: `${name} is given to two copies`, path: `/body/features/${at}/name` };
  }
}

/** What the request asks for by name must be there: it was meant. */
function* environmentViolations(
  sources: Feature[],
  known: string[],
  { project, choice }: Order,
): Generator<Violation> {
  const pairs = choice.environments ?? [];
  for (const [at, { from, to }] of pairs.entries()) {
    for (const { name, environments } of sources) {
      if (!environments.some(environment => environment.name === from))
        yield {
          message: `feature ${name} has no environment ${from}`,
          path: `/body/environments/${at}/from`,
        };
    }
    const path = `/body/environments/${at}/to`;
    if (!known.includes(to)) yield { message: `project ${project} has no environment ${to}`, path };
    if (pairs.findIndex(pair => pair.to === to) < at)
      yield { message: `environment ${to} is named twice`, path };
  }
}

/** Without its parent a copy would be on where the source is not, so it is refused rather than made without. */
function* parentViolations(
  copies: PlannedCopy[],
  projectOf: Map<string, string>,
  nameOf: Map<string, string>,
): Generator<Violation> {
  const copied = new Set(nameOf.values());
  for (const { source, project, dependencies } of copies) {
    if (source.project === project) continue;
    for (const { feature } of dependencies) {
      if (!copied.has(feature) && projectOf.get(feature) !== project)
        yield { message: `${source.feature} depends on ${feature}, which is not in project ${project}` };
    }
  }
}

/** The same for segments that belong to another project. */
async function segmentObstacles(tx: Tx, project: string, copies: PlannedCopy[]): Promise<Violation[]> {
  const uses = copies.flatMap(({ source, environments }) =>
    environments.flatMap(({ from, strategies }) =>
      strategies.flatMap(({ segments }) => segments.map(id => ({ id, feature: source.feature, from }))),
    ),
  );
  const ids = [...new Set(uses.map(({ id }) => id))].toSorted((a, b) => a - b);
  const unusable = new Set(await listUnusableSegments(tx, project, ids));
  const messages = uses
    .filter(({ id }) => unusable.has(id))
    .map(
      ({ id, feature, from }) =>
        `${feature} uses segment ${id} in environment ${from}, which project ${project} may not use`,
    );
  return [...new Set(messages)].map(message => ({ message }));
}

async function neededPermissions(
  tx: Tx,
  actor: Actor,
  project: string,
  copies: PlannedCopy[],
): Promise<Needed[]> {
  const all = copies.flatMap(copy => copy.environments);
  const withStrategies = all.filter(({ strategies }) => strategies.length > 0);
  const withVariants = all.filter(({ variants }) => variants.length > 0);
  const inEach = async (
    permission: ProjectPermission,
    environments: { name: string }[],
  ): Promise<Needed[]> => {
    const names = [...new Set(environments.map(({ name }) => name))];
    const lacking = await environmentsWithout(tx, actor, project, permission, names);
    return names.map(environment => ({ permission, environment, held: !lacking.includes(environment) }));
  };
  return [
    { permission: 'CREATE_FEATURE', environment: null, held: true },
    ...(await inEach('CREATE_FEATURE_STRATEGY', withStrategies)),
    ...(await inEach('UPDATE_FEATURE_ENVIRONMENT_VARIANTS', withVariants)),
  ];
}
