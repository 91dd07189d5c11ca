import { exceedsLimit, notFound } from '@halyard/plane/platform/errors.ts';
import type { Change } from '../../record/change.ts';
import {
  countUses,
  deleteFromFeatures,
  deleteTags,
  deleteTagType,
  lockFeaturesWith,
  lockTags,
  lockTagType,
} from './store.ts';

/** The same limit as in bulk operations, because the server writes an event and new SDK documents for each feature. */
const MAX_TAGGED_FEATURES = 1_000;

/** Deletes a tag type with its tags. Each deleted tag, and each tag removed from a feature, has its own event. */
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

/** Locks tags before features, in the common lock order. */
async function removeTags({ tx, actor, record }: Change, type: string, value?: string): Promise<void> {
  const tags = await lockTags(tx, actor, type, value);
  if (tags.length === 0) return;
  if ((await countUses(tx, MAX_TAGGED_FEATURES + 1, type, value)) > MAX_TAGGED_FEATURES) {
    const subject = value === undefined ? `Tags of type "${type}" are` : `Tag "${type}:${value}" is`;
    throw exceedsLimit(
      `${subject} attached to features more than ${MAX_TAGGED_FEATURES} times. Remove tags from features first, for example with PUT /api/admin/projects/:projectId/tags.`,
    );
  }
  await lockFeaturesWith(tx, type, value);
  for (const { project, featureName, ...preData } of await deleteFromFeatures(tx, type, value))
    record({ type: 'feature-untagged', project, featureName, preData });
  await deleteTags(tx, type, value);
  // Actors can read their own events outside of projects, so the event of a tag that they cannot see belongs to the tag's project.
  for (const { tag, hiddenIn } of tags) record({ type: 'tag-deleted', project: hiddenIn, preData: tag });
}
