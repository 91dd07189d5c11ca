import { rejectForAll, type Violation } from '@halyard/plane/platform/errors.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Change } from '../../record/change.ts';
import { getFeatureNames } from '../feature-rows/names.ts';
import type { FeatureRow } from '../feature-rows/schema.ts';
import { enterStage } from '../lifecycle/enter.ts';
import { attachTags, findAttachViolations, lockOrCreateTags } from '../tags/attach.ts';
import type { NewTag } from '../tags/schema.ts';
import {
  findNamingPatternErrors,
  findProjectRuleErrors,
  readActiveProject,
  rejectOverInstanceLimit,
} from './project-rules.ts';
import type { NewFeature } from './schema.ts';
import { insertFeatures, isFeatureType } from './store.ts';
import { rejectTakenNames } from './taken-names.ts';

export async function createFeature(
  current: Change,
  project: string,
  input: NewFeature,
  instanceLimit = Number.POSITIVE_INFINITY,
): Promise<void> {
  const { name } = input;
  const tags = await lockOrCreateTags(current, project, input.tags ?? [], tagPath);
  rejectForAll('The feature', await findProjectRuleErrors(current.tx, project, [name], namePath));
  await addFeatures(current, project, [input], instanceLimit);
  await attachTags(current, [{ feature: { name, project, tags: [] }, tags }]);
}

/** Returns the violations in the given fields of a new feature. */
export async function findNewFeatureViolations(
  db: Db,
  project: string,
  { name, type }: Partial<NewFeature>,
  tags: Partial<NewTag>[],
): Promise<Violation[]> {
  const targetProject = await readActiveProject(db, project);
  const nameErrors =
    name === undefined ? [] : findNamingPatternErrors(project, targetProject, [name], namePath);
  return await db
    .transaction()
    .execute(async tx => [
      ...nameErrors.flatMap(({ details }) => details),
      ...(type === undefined || (await isFeatureType(tx, type)) ? [] : [unknownType(type)]),
      ...(await findAttachViolations(tx, tags, tagPath)),
    ]);
}

const unknownType = (type: string): Violation => ({
  message: `feature type "${type}" does not exist. GET /api/admin/feature-types lists the feature types.`,
  path: '/body/type',
});
const namePath = '/body/name';
const tagPath = (index: number): string => `/body/tags/${index}`;

/** Creates features that are disabled in every environment. The caller must have checked `findProjectRuleErrors`. */
export async function addFeatures(
  { tx, actor, record }: Change,
  project: string,
  inputs: Omit<NewFeature, 'tags'>[],
  instanceLimit: number,
): Promise<void> {
  await rejectOverInstanceLimit(tx, instanceLimit, inputs.length);
  const rows = inputs.map(({ name, type, description, impressionData }) => ({
    name,
    type: type ?? 'release',
    description: description ?? null,
    impressionData: impressionData ?? false,
  }));
  const createdAt = await insertFeatures(tx, project, rows, actor.userId);
  await rejectTakenNames(tx, actor, getFeatureNames(rows.filter(({ name }) => !createdAt.has(name))));
  await enterStage(tx, getFeatureNames(rows), 'initial');
  for (const row of rows) {
    const data = { ...row, project, stale: false, archived: false, createdAt: createdAt.get(row.name) };
    record({ type: 'feature-created', project, featureName: row.name, data });
  }
}

/**
 * Returns the fields of a feature that events contain. Strategies, variants and toggles are omitted, because they have their own
 * events.
 */
export function toEventData(feature: FeatureRow): object {
  const { name, type, description = null, project, stale, impressionData, archived, createdAt } = feature;
  return { name, type, description, project, stale, impressionData, archived, createdAt };
}
