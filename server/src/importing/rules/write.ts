import { isDeepStrictEqual } from 'node:util';
import { Value } from 'typebox/value';
import { ApiError, badData } from '../../../../plane/src/platform/errors.ts';
import { importFeatures, validateImport } from '../../flags/transfer/import.ts';
import type { FeatureExport, Finding, ImportRequest } from '../../flags/transfer/schema.ts';
import { type Actor, SYSTEM } from '../../platform/actor.ts';
import type { Limits } from '../../platform/config.ts';
import type { Db } from '../../platform/db/database.ts';
import { change } from '../../record/change.ts';
import { createContextFields } from '../../targeting/context/create.ts';
import { checkSegmentConstraints, createSegment } from '../../targeting/segments/create.ts';
import { SegmentInput } from '../../targeting/segments/schema.ts';
import type { Plan } from './plan.ts';
import { listSegmentsNamed } from './store.ts';
import { constraintOf } from './translate.ts';

export type Target = { project: string; product: string; limits: Pick<Limits, 'features' | 'segments'> };

/** How many flags are written in one transaction. */
const FLAGS_PER_TRANSACTION = 100;

/**
 * Removes from the plan what validation rejects, so that one flag does not end the import. Returns the remaining errors, such as
 * an environment that does not exist.
 */
export async function checkPlan(db: Db, plan: Plan, { project, product }: Target): Promise<Finding[]> {
  const problems = await checkSegments(db, plan, project);
  for (const [environment, data] of plan.environments) {
    const { errors } = await validateImport(db, actorOf(product), {
      project,
      environment,
      data: withoutNew(data, plan),
    });
    for (const error of errors) {
      const rejected = new Set(
        error.affectedItems.filter(name => data.features.some(one => one.name === name)),
      );
      for (const name of rejected) plan.unsupported.push(`${name} in ${environment}: ${error.message}`);
      plan.environments.set(environment, without(plan.environments.get(environment) ?? data, rejected));
      if (rejected.size === 0) problems.push(error);
    }
  }
  return problems;
}

/** A segment that exists may be used by other flags, so it is never changed. Flags that need it to be different wait for a decision. */
async function checkSegments(db: Db, plan: Plan, project: string): Promise<Finding[]> {
  const found = await listSegmentsNamed(db, [...plan.segments.keys()]);
  const existing = new Map(found.map(one => [one.name, one]));
  const taken: string[] = [];
  for (const [name, comparisons] of plan.segments) {
    const input = { name, project, constraints: comparisons.map(constraintOf) };
    const here = existing.get(name);
    try {
      const [problem] = Value.Errors(SegmentInput, input);
      if (problem) throw badData([{ message: `${problem.instancePath} ${problem.message}` }]);
      const constraints = await checkSegmentConstraints(db, input.constraints, project);
      if (here === undefined) continue;
      const isUsable = here.project === null || here.project === project;
      if (!isUsable || !isDeepStrictEqual(here.constraints, constraints)) taken.push(name);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      plan.segments.delete(name);
      rejectUsersOf(plan, name, error.details[0]?.message ?? error.message);
    }
  }
  if (taken.length === 0) return [];
  const message =
    'Segments exist here with different constraints or in a different project. Rename or change them, then import again';
  return [{ message, affectedItems: taken }];
}

function rejectUsersOf(plan: Plan, segment: string, reason: string): void {
  for (const [environment, data] of plan.environments) {
    const ids = (data.segments ?? []).filter(({ name }) => name === segment).map(({ id }) => id);
    const users = new Set(
      data.featureStrategies
        .filter(one => one.segments?.some(id => ids.includes(id)))
        .map(one => one.featureName),
    );
    for (const name of users)
      plan.unsupported.push(`${name} in ${environment}: segment "${segment}": ${reason}`);
    plan.environments.set(environment, without(data, users));
  }
}

/** Segments that the import creates first are not missing. */
function withoutNew(data: FeatureExport, plan: Plan): FeatureExport {
  const ids = new Set(data.segments?.filter(({ name }) => plan.segments.has(name)).map(({ id }) => id));
  return {
    ...data,
    segments: data.segments?.filter(({ id }) => !ids.has(id)) ?? [],
    featureStrategies: data.featureStrategies.map(one => ({
      ...one,
      segments: one.segments?.filter(id => !ids.has(id)) ?? [],
    })),
  };
}

const without = (data: FeatureExport, names: ReadonlySet<string>): FeatureExport =>
  only(data, name => !names.has(name));

/** The part of the data that belongs to the chosen flags. */
const only = (data: FeatureExport, isChosen: (name: string) => boolean): FeatureExport => ({
  ...data,
  features: data.features.filter(({ name }) => isChosen(name)),
  featureStrategies: data.featureStrategies.filter(one => isChosen(one.featureName)),
  featureEnvironments: (data.featureEnvironments ?? []).filter(one => isChosen(one.featureName)),
  featureTags: (data.featureTags ?? []).filter(one => isChosen(one.featureName)),
  dependencies: (data.dependencies ?? []).filter(one => isChosen(one.feature)),
});

/** Writes the plan. A second run writes only what differs. */
export async function writePlan(db: Db, plan: Plan, target: Target): Promise<void> {
  await createSegments(db, plan, target);
  for (const [environment, data] of plan.environments) {
    for (let at = 0; at < data.features.length; at += FLAGS_PER_TRANSACTION) {
      const names = new Set(data.features.slice(at, at + FLAGS_PER_TRANSACTION).map(({ name }) => name));
      const request: ImportRequest = {
        project: target.project,
        environment,
        data: only(data, name => names.has(name)),
      };
      await change(db, actorOf(target.product), current =>
        importFeatures(current, request, target.limits.features),
      );
    }
  }
}

const actorOf = (product: string): Actor => ({ ...SYSTEM, name: `import from ${product}` });

/** Existing segments are equal, because the check found no difference. */
async function createSegments(db: Db, plan: Plan, { project, product, limits }: Target): Promise<void> {
  const actor = actorOf(product);
  for (const [environment, data] of plan.environments) {
    const fields = { ...data, features: [], featureStrategies: [], featureEnvironments: [], featureTags: [] };
    const request = { project, environment, data: { ...fields, dependencies: [], segments: [] } };
    const { effect } = await validateImport(db, actor, request);
    const missing = (data.contextFields ?? []).filter(({ name }) => effect.contextFields.includes(name));
    if (missing.length > 0)
      await change(db, actor, async current => await createContextFields(current, missing, null));
  }
  for (const [name, comparisons] of plan.segments) {
    const input = { name, project, constraints: comparisons.map(constraintOf) };
    await change(
      db,
      actor,
      async current => void (await createSegment(current, input, limits.segments)),
    ).catch(ignoreTaken);
  }
}

function ignoreTaken(error: unknown): void {
  if ((error as { constraint?: string }).constraint !== 'segments_name_key') throw error;
}
