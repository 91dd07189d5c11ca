import type { Db, Reader, Tx } from '../../platform/db/database.ts';
import {
  ApiError,
  counted,
  exceedsLimit,
  invalidOperation,
  isArchived,
  notFound,
  rejectForAll,
  type Violation,
} from '../../platform/errors.ts';
import { compilePattern } from '../../platform/pattern.ts';
import type { Change } from '../../record/change.ts';
import { enterStage } from '../lifecycle/enter.ts';
import { attachTags, attachViolations, holdTags } from '../tags/attach.ts';
import type { NewTag } from '../tags/schema.ts';
import { budgetErrors } from '../technical-debt/budget.ts';
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
  current: Change,
  project: string,
  input: NewFeature,
  most = Number.POSITIVE_INFINITY,
): Promise<void> {
  const { name } = input;
  const tags = await holdTags(current, project, input.tags ?? [], tagPath);
  rejectForAll('The feature', await admissionErrors(current.tx, project, [name]));
  await addFeatures(current, project, [input], most);
  await attachTags(current, [{ feature: { name, project, tags: [] }, tags }]);
}

/** What is wrong with a feature to be created, as far as its fields are given. */
export async function newFeatureViolations(
  db: Db,
  project: string,
  { name, type }: Partial<NewFeature>,
  tags: Partial<NewTag>[],
): Promise<Violation[]> {
  const receiving = await readReceivingProject(db, project);
  const misnamed = name === undefined ? [] : namingPatternErrors([name], receiving);
  return await db
    .transaction()
    .execute(async tx => [
      ...misnamed.flatMap(({ details }) => details),
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
  { tx, actor, record }: Change,
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

/**
 * Every reason for which the project does not accept features of these names. Holds the project until the transaction ends,
 * and throws if it does not exist or is archived.
 */
export async function admissionErrors(tx: Tx, project: string, names: string[]): Promise<ApiError[]> {
  const receiving = await holdReceivingProject(tx, project);
  return [
    ...namingPatternErrors(names, receiving),
    ...featureLimitErrors(project, receiving, names.length),
    ...(await budgetErrors(tx, project)),
  ];
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
export function refuseOverfull(project: string, receiving: ReceivingProject, more: number): void {
  for (const error of featureLimitErrors(project, receiving, more)) throw error;
}

function featureLimitErrors(
  project: string,
  { featureLimit, activeFeatures }: ReceivingProject,
  more: number,
): ApiError[] {
  if (featureLimit === null || activeFeatures + more <= featureLimit) return [];
  const why = `Project ${project} has ${counted(activeFeatures, 'active feature')}, and its limit is ${featureLimit}.`;
  return [invalidOperation(why)];
}

/** Refuses more active features than the instance may hold. */
export async function admitToInstance(tx: Tx, most: number, more: number): Promise<void> {
  for (const error of await instanceLimitErrors(tx, most, more)) throw error;
}

/** The error of an instance that is full, for a change that lists it with other reasons. */
export async function instanceLimitErrors(tx: Tx, most: number, more: number): Promise<ApiError[]> {
  if ((await countActiveInInstance(tx)) + more <= most) return [];
  return [exceedsLimit(`There are at most ${most} active features. Archive some first.`)];
}

/** Compiled once, however many names are asked about. */
export function nameMatcher(pattern: string | null): (name: string) => boolean {
  const compiled = pattern === null ? undefined : compilePattern(pattern);
  return name => pattern === null || compiled?.matches(name) === true;
}

/** One error for each name that does not match. */
function namingPatternErrors(
  names: string[],
  { namingPattern, namingExample, namingDescription }: ReceivingProject,
): ApiError[] {
  const fits = nameMatcher(namingPattern);
  const example = namingExample === null ? '' : ` An example: ${namingExample}.`;
  const meaning = namingDescription === null ? '' : ` ${namingDescription}`;
  return names
    .filter(name => !fits(name))
    .map(
      name =>
        new ApiError(
          'PatternError',
          `The project wants names that match ${namingPattern}, and ${name} does not.${example}${meaning}`,
        ),
    );
}

/** What events tell of a feature itself; strategies, variants and switches have events of their own. */
export function asEventData(feature: Feature): object {
  const { name, type, description = null, project, stale, impressionData, archived, createdAt } = feature;
  return { name, type, description, project, stale, impressionData, archived, createdAt };
}
