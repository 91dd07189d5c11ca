import type { Actor } from '../actor.ts';
import { change } from '../change.ts';
import type { Db, Tx } from '../db/database.ts';
import { ApiError, invalidOperation, notFound } from '../errors.ts';
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
  return await admitFeatures(tx, project, [name]);
}

/** The same for features that come together: all of them or none. */
export async function admitFeatures(tx: Tx, project: string, names: string[]): Promise<ReceivingProject> {
  const receiving = await lockReceivingProject(tx, project);
  if (!receiving || receiving.archived) throw notFound(`Project ${project}`);
  checkNamingPattern(names, receiving);
  const { featureLimit, activeFeatures } = receiving;
  if (featureLimit !== null && activeFeatures + names.length > featureLimit) {
    throw invalidOperation(
      `Project ${project} may have ${featureLimit} features and has ${activeFeatures}: there is no place for ${names.length} more.`,
    );
  }
  return receiving;
}

export function checkNamingPattern(
  names: string | string[],
  { namingPattern, namingExample, namingDescription }: ReceivingProject,
): void {
  const pattern = namingPattern === null ? undefined : compilePattern(namingPattern);
  const refused = [names].flat().filter(name => namingPattern !== null && !pattern?.matches(name));
  if (refused.length === 0) return;
  const example = namingExample === null ? '' : ` An example: ${namingExample}`;
  const meaning = namingDescription === null ? '' : ` ${namingDescription}`;
  const messages = refused.map(
    name => `The project wants names that match ${namingPattern}, and ${name} does not.${example}${meaning}`,
  );
  throw new ApiError('PatternError', messages.join(' '), {
    details: messages.map(message => ({ message })),
  });
}

/** What events tell of a feature itself; strategies, variants and switches have events of their own. */
export function asEventData(feature: Feature): object {
  const { name, type, description, project, stale, impressionData, archived, createdAt } = feature;
  return { name, type, description, project, stale, impressionData, archived, createdAt };
}
