import { isDeepStrictEqual } from 'node:util';
import { ApiError, badData } from '@halyard/plane/platform/errors.ts';
import { Value } from 'typebox/value';
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
import { listSegmentsByName } from './store.ts';
import { toConstraint } from './translate.ts';

export type Target = { project: string; product: string; limits: Pick<Limits, 'features' | 'segments'> };

const FLAGS_PER_TRANSACTION = 100;

/**
 * Removes from the plan every flag that validation rejects, so that one invalid flag does not stop the import. Returns the errors
 * that concern no single flag, such as an environment that does not exist.
 */
export async function checkPlan(db: Db, plan: Plan, { project, product }: Target): Promise<Finding[]> {
  const problems = await checkSegments(db, plan, project);
  for (const [environment, data] of plan.environments) {
    const { errors } = await validateImport(db, toActor(product), {
      project,
      environment,
      data: withoutNewSegments(data, plan),
    });
    for (const error of errors) {
      const rejectedFlags = new Set(
        error.affectedItems.filter(name => data.features.some(feature => feature.name === name)),
      );
      for (const name of rejectedFlags) plan.unsupported.push(`${name} in ${environment}: ${error.message}`);
      plan.environments.set(
        environment,
        withoutFlags(plan.environments.get(environment) ?? data, rejectedFlags),
      );
      if (rejectedFlags.size === 0) problems.push(error);
    }
  }
  return problems;
}

/**
 * Compares the segments with existing ones, which are never changed because other flags may use them. A segment that differs is an
 * error that the user has to resolve.
 */
async function checkSegments(db: Db, plan: Plan, project: string): Promise<Finding[]> {
  const rows = await listSegmentsByName(db, [...plan.segments.keys()]);
  const existingByName = new Map(rows.map(row => [row.name, row]));
  const conflictingNames: string[] = [];
  for (const [name, comparisons] of plan.segments) {
    const input = { name, project, constraints: comparisons.map(toConstraint) };
    const existingSegment = existingByName.get(name);
    try {
      const [problem] = Value.Errors(SegmentInput, input);
      if (problem) throw badData([{ message: `${problem.instancePath} ${problem.message}` }]);
      const constraints = await checkSegmentConstraints(db, input.constraints, project);
      if (existingSegment === undefined) continue;
      const isUsable = existingSegment.project === null || existingSegment.project === project;
      if (!isUsable || !isDeepStrictEqual(existingSegment.constraints, constraints))
        conflictingNames.push(name);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      plan.segments.delete(name);
      rejectFlagsUsing(plan, name, error.details[0]?.message ?? error.message);
    }
  }
  if (conflictingNames.length === 0) return [];
  const message =
    'Segments exist in Halyard with different constraints or in a different project. Rename or change them, then import again';
  return [{ message, affectedItems: conflictingNames }];
}

function rejectFlagsUsing(plan: Plan, segment: string, reason: string): void {
  for (const [environment, data] of plan.environments) {
    const ids = (data.segments ?? []).filter(({ name }) => name === segment).map(({ id }) => id);
    const flagNames = new Set(
      data.featureStrategies
        .filter(featureStrategy => featureStrategy.segments?.some(id => ids.includes(id)))
        .map(featureStrategy => featureStrategy.featureName),
    );
    for (const name of flagNames)
      plan.unsupported.push(`${name} in ${environment}: segment "${segment}": ${reason}`);
    plan.environments.set(environment, withoutFlags(data, flagNames));
  }
}

/** Omits the segments that the import will create, so that validation does not report them as missing. */
function withoutNewSegments(data: FeatureExport, plan: Plan): FeatureExport {
  const ids = new Set(data.segments?.filter(({ name }) => plan.segments.has(name)).map(({ id }) => id));
  return {
    ...data,
    segments: data.segments?.filter(({ id }) => !ids.has(id)) ?? [],
    featureStrategies: data.featureStrategies.map(featureStrategy => ({
      ...featureStrategy,
      segments: featureStrategy.segments?.filter(id => !ids.has(id)) ?? [],
    })),
  };
}

const withoutFlags = (data: FeatureExport, names: ReadonlySet<string>): FeatureExport =>
  pickFlags(data, name => !names.has(name));

/** Returns the part of the data that belongs to the chosen flags. */
const pickFlags = (data: FeatureExport, isChosen: (name: string) => boolean): FeatureExport => ({
  ...data,
  features: data.features.filter(({ name }) => isChosen(name)),
  featureStrategies: data.featureStrategies.filter(featureStrategy => isChosen(featureStrategy.featureName)),
  featureEnvironments: (data.featureEnvironments ?? []).filter(featureEnvironment =>
    isChosen(featureEnvironment.featureName),
  ),
  featureTags: (data.featureTags ?? []).filter(featureTag => isChosen(featureTag.featureName)),
  dependencies: (data.dependencies ?? []).filter(dependency => isChosen(dependency.feature)),
});

/** Writes the plan. A second run writes only what differs. */
export async function writePlan(db: Db, plan: Plan, target: Target): Promise<void> {
  await createFieldsAndSegments(db, plan, target);
  for (const [environment, data] of plan.environments) {
    for (let index = 0; index < data.features.length; index += FLAGS_PER_TRANSACTION) {
      const names = new Set(
        data.features.slice(index, index + FLAGS_PER_TRANSACTION).map(({ name }) => name),
      );
      const request: ImportRequest = {
        project: target.project,
        environment,
        data: pickFlags(data, name => names.has(name)),
      };
      await change(db, toActor(target.product), current =>
        importFeatures(current, request, target.limits.features),
      );
    }
  }
}

const toActor = (product: string): Actor => ({ ...SYSTEM, name: `import from ${product}` });

/** Creates missing context fields and segments. `checkPlan` has verified that existing segments match the plan. */
async function createFieldsAndSegments(
  db: Db,
  plan: Plan,
  { project, product, limits }: Target,
): Promise<void> {
  const actor = toActor(product);
  for (const [environment, data] of plan.environments) {
    const fields = { ...data, features: [], featureStrategies: [], featureEnvironments: [], featureTags: [] };
    const request = { project, environment, data: { ...fields, dependencies: [], segments: [] } };
    const { effect } = await validateImport(db, actor, request);
    const missingFields = (data.contextFields ?? []).filter(({ name }) =>
      effect.contextFields.includes(name),
    );
    if (missingFields.length > 0)
      await change(db, actor, async current => await createContextFields(current, missingFields, null));
  }
  for (const [name, comparisons] of plan.segments) {
    const input = { name, project, constraints: comparisons.map(toConstraint) };
    await change(
      db,
      actor,
      async current => void (await createSegment(current, input, limits.segments)),
    ).catch(ignoreTakenName);
  }
}

function ignoreTakenName(error: unknown): void {
  if ((error as { constraint?: string }).constraint !== 'segments_name_key') throw error;
}
