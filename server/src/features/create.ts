import type { Actor } from '../actor.ts';
import { change } from '../change.ts';
import type { Db, Tx } from '../db/database.ts';
import { ApiError, invalidOperation, notFound } from '../errors.ts';
import { refuseOverBudget } from '../health/budget.ts';
import { enterStage } from '../lifecycle/enter.ts';
import { compilePattern } from '../pattern.ts';
import { readFeature } from './load.ts';
import type { Feature, NewFeature } from './schema.ts';
import { insertFeature, lockReceivingProject, type ReceivingProject } from './store.ts';

export async function createFeature(
  db: Db,
  actor: Actor,
  project: string,
  input: NewFeature,
): Promise<Feature> {
  const { name } = input;
  await change(db, actor, async ({ tx, record }) => {
    await admitFeature(tx, project, name);
    const fields = {
      name,
      project,
      type: input.type ?? 'release',
      description: input.description ?? null,
      impressionData: input.impressionData ?? false,
    };
    const createdAt = await insertFeature(tx, fields, actor.userId);
    await enterStage(tx, [name], 'initial');
    record({
      type: 'feature-created',
      project,
      featureName: name,
      data: { ...fields, stale: false, archived: false, createdAt },
    });
  });
  // Read afterwards, because events are written last and tell who has worked on a feature.
  return await readFeature(db, actor, project, name);
}

/** Refuses a name or a place that the project does not allow. Holds the project until the transaction ends. */
export async function admitFeature(tx: Tx, project: string, name: string): Promise<ReceivingProject> {
  const receiving = await lockReceivingProject(tx, project);
  if (!receiving || receiving.archived) throw notFound(`Project ${project}`);
  checkNamingPattern(name, receiving);
  if (receiving.featureLimit !== null && receiving.activeFeatures >= receiving.featureLimit) {
    throw invalidOperation(`Project ${project} has its limit of ${receiving.featureLimit} features already.`);
  }
  await refuseOverBudget(tx, project);
  return receiving;
}

export function checkNamingPattern(
  name: string,
  { namingPattern, namingExample, namingDescription }: ReceivingProject,
): void {
  if (namingPattern === null || compilePattern(namingPattern)?.matches(name)) return;
  const example = namingExample === null ? '' : ` An example: ${namingExample}`;
  const meaning = namingDescription === null ? '' : ` ${namingDescription}`;
  throw new ApiError(
    'PatternError',
    `The project wants names that match ${namingPattern}, and ${name} does not.${example}${meaning}`,
  );
}

/** What events tell of a feature itself; strategies, variants and switches have events of their own. */
export function asEventData(feature: Feature): object {
  const { name, type, description, project, stale, impressionData, archived, createdAt } = feature;
  return { name, type, description, project, stale, impressionData, archived, createdAt };
}
