import type { Actor } from '../actor.ts';
import { type Change, change } from '../change.ts';
import type { Db, Reader, Tx } from '../db/database.ts';
import {
  ApiError,
  counted,
  exceedsLimit,
  invalidOperation,
  isArchived,
  notFound,
  type Violation,
} from '../errors.ts';
import { refuseOverBudget } from '../health/budget.ts';
import { enterStage } from '../lifecycle/enter.ts';
import { compilePattern } from '../pattern.ts';
import { attachTags, attachViolations, holdTags } from '../tags/attach.ts';
import { readFeature } from './load.ts';
import type { Feature, NewFeature } from './schema.ts';
import {
  countActiveInInstance,
  findReceivingProject,
  insertFeatures,
  isFeatureType,
  lockReceivingProject,
  type ReceivingProject,
} from './store.ts';

export async function createFeature(
  db: Db,
  actor: Actor,
  project: string,
  input: NewFeature,
  most = Number.POSITIVE_INFINITY,
): Promise<Feature> {
  const { name } = input;
  const create = async (current: Change) => {
    const tags = await holdTags(current, project, input.tags ?? [], tagPath);
    await admitFeature(current.tx, project, name);
    await addFeatures(current, actor, project, [input], most);
    await attachTags(current, [{ feature: { name, project, tags: [] }, tags }]);
  };
  return await change(db, actor, create, tx => readFeature(tx, actor, project, name));
}

/** What is wrong with a feature to be created, as far as its fields are given. */
export async function newFeatureViolations(
  db: Db,
  project: string,
  { name, type, tags = [] }: Partial<NewFeature>,
): Promise<Violation[]> {
  if (name !== undefined) checkNamingPattern(name, await readReceivingProject(db, project));
  return await db
    .transaction()
    .execute(async tx => [
      ...(type === undefined || (await isFeatureType(tx, type)) ? [] : [noType(type)]),
      ...(await attachViolations(tx, tags, tagPath)),
    ]);
}

const noType = (type: string): Violation => ({
  message: `${type} is not a feature type; GET /api/admin/feature-types lists them`,
  path: '/body/type',
});
const tagPath = (index: number): string => `/body/tags/${index}`;

/** Part of a change that has admitted the features: off everywhere, at the first stage. */
export async function addFeatures(
  { tx, record }: Change,
  actor: Actor,
  project: string,
  inputs: Omit<NewFeature, 'tags'>[],
  most: number,
): Promise<void> {
  await admitToInstance(tx, most, inputs.length);
  const rows = inputs.map(({ name, type, description, impressionData }) => ({
    name,
    type: type ?? 'release',
    description: description ?? null,
    impressionData: impressionData ?? false,
  }));
  const createdAt = await insertFeatures(tx, project, rows, actor.userId);
  await enterStage(tx, [...createdAt.keys()], 'initial');
  for (const row of rows) {
    const data = { ...row, project, stale: false, archived: false, createdAt: createdAt.get(row.name) };
    record({ type: 'feature-created', project, featureName: row.name, data });
  }
}

/** Refuses a name or a place that the project does not allow. Holds the project until the transaction ends. */
export async function admitFeature(tx: Tx, project: string, name: string): Promise<ReceivingProject> {
  return await admitFeatures(tx, project, [name]);
}

/** The same for features that come together: all of them or none. */
export async function admitFeatures(tx: Tx, project: string, names: string[]): Promise<ReceivingProject> {
  const receiving = await holdReceivingProject(tx, project);
  checkNamingPattern(names, receiving);
  refuseOverfull(project, receiving, names.length);
  await refuseOverBudget(tx, project);
  return receiving;
}

/** What the project asks of features that come into it; nobody else can take a place until the transaction ends. */
export async function holdReceivingProject(tx: Tx, project: string): Promise<ReceivingProject> {
  return unlessArchived(project, await lockReceivingProject(tx, project));
}

/** The same, for who only wants to know. */
export async function readReceivingProject(db: Reader, project: string): Promise<ReceivingProject> {
  return unlessArchived(project, await findReceivingProject(db, project));
}

function unlessArchived(project: string, receiving: ReceivingProject | undefined): ReceivingProject {
  if (!receiving) throw notFound(`Project ${project}`);
  if (receiving.archived) throw isArchived('Project', [project]);
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
    `Project ${project} has ${counted(activeFeatures, 'active feature')}, and its limit is ${featureLimit}.`,
  );
}

/** Refuses more active features than the instance may hold. */
export async function admitToInstance(tx: Tx, most: number, more: number): Promise<void> {
  if ((await countActiveInInstance(tx)) + more <= most) return;
  throw exceedsLimit(`There are at most ${most} active features. Archive some first.`);
}

/** Compiled once, however many names are asked about. */
export function nameMatcher(pattern: string | null): (name: string) => boolean {
  const compiled = pattern === null ? undefined : compilePattern(pattern);
  return name => pattern === null || compiled?.matches(name) === true;
}

export function checkNamingPattern(
  names: string | string[],
  { namingPattern, namingExample, namingDescription }: ReceivingProject,
): void {
  const fits = nameMatcher(namingPattern);
  const refused = [names].flat().filter(name => !fits(name));
  if (refused.length === 0) return;
  const example = namingExample === null ? '' : ` An example: ${namingExample}.`;
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
  const { name, type, description = null, project, stale, impressionData, archived, createdAt } = feature;
  return { name, type, description, project, stale, impressionData, archived, createdAt };
}
