import type { Db } from '../../platform/db/database.ts';
import { rejectForAll, type Violation } from '../../platform/errors.ts';
import type { Change } from '../../record/change.ts';
import type { FeatureRow } from '../feature-rows/schema.ts';
import { enterStage } from '../lifecycle/enter.ts';
import { attachTags, attachViolations, holdTags } from '../tags/attach.ts';
import type { NewTag } from '../tags/schema.ts';
import { admissionErrors, admitToInstance, namingPatternErrors, readReceivingProject } from './admission.ts';
import type { NewFeature } from './schema.ts';
import { insertFeatures, isFeatureType } from './store.ts';

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

/** What events tell of a feature itself; strategies, variants and switches have events of their own. */
export function asEventData(feature: FeatureRow): object {
  const { name, type, description = null, project, stale, impressionData, archived, createdAt } = feature;
  return { name, type, description, project, stale, impressionData, archived, createdAt };
}
