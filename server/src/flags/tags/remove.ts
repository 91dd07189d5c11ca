import { notFound } from '../../platform/errors.ts';
import type { Change } from '../../record/change.ts';
import {
  deleteFromFeatures,
  deleteTags,
  deleteTagType,
  lockFeaturesWith,
  lockTags,
  lockTagType,
} from './store.ts';

/** Deletes a tag type with its tags. Each tag, and each tag of a feature, gets its own event. */
export async function removeTagType(current: Change, name: string): Promise<void> {
  const tagType = await lockTagType(current.tx, name);
  if (!tagType) throw notFound(`Tag type "${name}"`);
  await removeTags(current, name);
  await deleteTagType(current.tx, name);
  current.record({ type: 'tag-type-deleted', preData: tagType });
}

export async function removeTag(current: Change, type: string, value: string): Promise<void> {
  const [tag] = await lockTags(current.tx, current.actor, type, value);
  if (!tag || tag.hiddenIn !== null) throw notFound(`Tag "${type}:${value}"`);
  await removeTags(current, type, value);
}

/** Locks tags before features, in the order of every transaction. */
async function removeTags({ tx, actor, record }: Change, type: string, value?: string): Promise<void> {
  const tags = await lockTags(tx, actor, type, value);
  if (tags.length === 0) return;
  await lockFeaturesWith(tx, type, value);
  for (const { project, featureName, ...preData } of await deleteFromFeatures(tx, type, value)) {
    record({ type: 'feature-untagged', project, featureName, preData });
  }
  await deleteTags(tx, type, value);
  // The actor can read the events they cause. The event of a tag that they may not see belongs to the project of the tag.
  for (const { tag, hiddenIn } of tags) record({ type: 'tag-deleted', project: hiddenIn, preData: tag });
}
