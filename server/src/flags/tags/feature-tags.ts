import { badData, exceedsLimit, notFound } from '@halyard/plane/platform/errors.ts';
import type { Reader } from '../../platform/db/database.ts';
import type { Change } from '../../record/change.ts';
import { lockActiveFeatures } from '../feature-rows/lock.ts';
import { attachTags, detachTags, findCommonTags, lockOrCreateTags } from './attach.ts';
import type { NewTag, Tag, TagChange } from './schema.ts';
import { listTaggedFeatures } from './store.ts';
import { trimTag } from './validate.ts';

// Each change writes an event. Writing 4,000 events took 4.5 s on two busy cores, and a statement may run for at most 15 s.
const MAX_CHANGES = 5_000;

/** Attaches one tag to a feature. Returns the trimmed tag. */
export async function tagFeature(
  current: Change,
  project: string,
  feature: string,
  input: NewTag,
): Promise<Tag> {
  await changeTags(current, project, [feature], { addedTags: [input] }, () => '/body');
  return trimTag(input);
}

export async function untagFeature(
  current: Change,
  project: string,
  feature: string,
  tag: Tag,
): Promise<void> {
  await changeTags(current, project, [feature], { removedTags: [tag] }, () => '/body');
}

/** Removes and attaches tags on all of the features, or on none if one of them cannot be changed. */
export async function changeTags(
  current: Change,
  project: string,
  features: string[],
  { addedTags = [], removedTags = [] }: TagChange,
  getAddedTagPath: (index: number) => string,
): Promise<void> {
  if (features.length * (addedTags.length + removedTags.length) > MAX_CHANGES) {
    throw exceedsLimit(
      `A request can change at most ${MAX_CHANGES} feature tags. Send fewer features or tags.`,
    );
  }
  const tagsToRemove = removedTags.map(trimTag);
  const tagsToAdd = addedTags.map(trimTag);
  const contradictoryTags = findCommonTags(tagsToAdd, tagsToRemove);
  const contradictions = tagsToAdd.flatMap((tag, index) =>
    contradictoryTags.has(tag)
      ? [{ message: 'the tag is also in removedTags', path: getAddedTagPath(index) }]
      : [],
  );
  if (contradictions.length > 0) throw badData(contradictions);

  const lockedTags = await lockOrCreateTags(current, project, addedTags, getAddedTagPath);
  await lockActiveFeatures(current.tx, project, features);
  const taggedFeatures = await listTaggedFeatures(current.tx, project, features);
  const remainingFeatures = await detachTags(current, taggedFeatures, tagsToRemove);
  await attachTags(
    current,
    remainingFeatures.map(feature => ({ feature, tags: lockedTags })),
  );
}

export async function readTags(db: Reader, project: string, feature: string): Promise<Tag[]> {
  const [taggedFeature] = await listTaggedFeatures(db, project, [feature]);
  if (!taggedFeature) throw notFound(`Feature "${feature}" in project "${project}"`);
  return taggedFeature.tags;
}
