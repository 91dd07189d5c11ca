import type { Actor } from '../actor.ts';
import { change } from '../change.ts';
import type { Db, Tx } from '../db/database.ts';
import { ApiError, exceedsLimit, invalidOperation, notFound } from '../errors.ts';
import { enterStage } from '../lifecycle/enter.ts';
import { compilePattern } from '../pattern.ts';
import { attachTags, holdTags } from '../tags/attach.ts';
import { readFeature } from './load.ts';
import type { Feature, NewFeature } from './schema.ts';
import { insertFeature, lockActiveFeatures, lockReceivingProject, type ReceivingProject } from './store.ts';

export async function createFeature(
  db: Db,
  actor: Actor,
  project: string,
  input: NewFeature,
  most = Number.POSITIVE_INFINITY,
): Promise<Feature> {
  const { name } = input;
  await change(db, actor, async ({ tx, record }) => {
    const tags = await holdTags({ tx, record }, input.tags ?? [], index => `/body/tags/${index}`);
    await admitFeature(tx, project, name);
    refuseBeyond(most, (await lockActiveFeatures(tx)) + 1);
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
    await attachTags({ tx, record }, [{ name, project, tags: [] }], tags);
  });
  // Read afterwards, because events are written last and tell who has worked on a feature.
  return await readFeature(db, actor, project, name);
}

/** Refuses a name or a place that the project does not allow. Holds the project until the transaction ends. */
export async function admitFeature(tx: Tx, project: string, name: string): Promise<void> {
  const receiving = await holdReceivingProject(tx, project);
  checkNamingPattern(name, receiving);
  refuseOverfull(project, receiving, 1);
}

export async function holdReceivingProject(tx: Tx, project: string): Promise<ReceivingProject> {
  const receiving = await lockReceivingProject(tx, project);
  if (!receiving || receiving.archived) throw notFound(`Project ${project}`);
  return receiving;
}

/** Refuses more active features than the project has places for. */
export function refuseOverfull(
  project: string,
  { featureLimit, activeFeatures }: ReceivingProject,
  more: number,
): void {
  if (featureLimit === null || activeFeatures + more <= featureLimit) return;
  throw invalidOperation(
    `Project ${project} has ${activeFeatures} active features, and its limit is ${featureLimit}.`,
  );
}

/** Refuses more active features than the instance may hold. */
export function refuseBeyond(most: number, wanted: number): void {
  if (wanted > most) throw exceedsLimit(`There are at most ${most} active features. Archive some first.`);
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
