import { badData, exceedsLimit, type Violation } from '@halyard/plane/platform/errors.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Change } from '../../record/change.ts';
import type { NewTag, Tag } from './schema.ts';
import {
  deleteFeatureTags,
  insertFeatureTags,
  insertMissingTags,
  lockTagTypes,
  type TaggedFeature,
} from './store.ts';
import { findTagValueViolations, trimTag } from './validate.ts';

const MAX_TAGS = 100;

/**
 * Creates missing tags and locks all of the tags, so that none of them can be deleted before the change ends. A change that attaches
 * tags must call this before it locks projects and features, because deleting a tag locks the tag before its features.
 */
export async function lockOrCreateTags(
  { tx, record }: Change,
  project: string,
  input: NewTag[],
  getPath: (index: number) => string,
): Promise<Tag[]> {
  if (input.length === 0) return [];
  const details = await findAttachViolations(tx, input, getPath);
  if (details.length > 0) throw badData(details);

  const tags = deduplicate(input.map(trimTag));
  for (const tag of await insertMissingTags(tx, project, tags)) record({ type: 'tag-created', data: tag });
  return tags;
}

/** Returns the violations in the given fields of tags to attach. Locks their types until the transaction ends. */
export async function findAttachViolations(
  tx: Tx,
  input: Partial<NewTag>[],
  getPath: (index: number) => string,
): Promise<Violation[]> {
  if (input.length === 0) return [];
  const types = new Set(
    await lockTagTypes(
      tx,
      input.flatMap(({ type }) => type ?? []),
    ),
  );
  return input.flatMap(({ type, value }, index) => {
    const path = getPath(index);
    const unknownType = { message: `tag type "${type}" does not exist`, path: `${path}/type` };
    return [
      ...(type === undefined || types.has(type) ? [] : [unknownType]),
      ...(value === undefined ? [] : findTagValueViolations(trimTag({ type: type ?? '', value }), path)),
    ];
  });
}

/** Attaches locked tags to locked features. Records only tags that a feature did not have yet. */
export async function attachTags(
  { tx, record }: Change,
  additions: { feature: TaggedFeature; tags: Tag[] }[],
): Promise<void> {
  const missingTags = additions.flatMap(({ feature, tags }) => {
    const presentKeys = toKeySet(feature.tags);
    const newTags = tags.filter(tag => !presentKeys.has(toKey(tag)));
    if (newTags.length > 0 && feature.tags.length + newTags.length > MAX_TAGS)
      throw exceedsLimit(`Feature "${feature.name}" can have at most ${MAX_TAGS} tags. Remove some first.`);
    return newTags.map(tag => ({ feature, tag }));
  });
  if (missingTags.length === 0) return;
  await insertFeatureTags(tx, missingTags.map(toRow));
  for (const { feature, tag } of missingTags)
    record({ type: 'feature-tagged', project: feature.project, featureName: feature.name, data: tag });
}

/** Removes tags from locked features, and returns the features with their remaining tags. */
export async function detachTags(
  { tx, record }: Change,
  features: TaggedFeature[],
  tags: Tag[],
): Promise<TaggedFeature[]> {
  const removedKeys = toKeySet(tags);
  const isRemoved = (tag: Tag) => removedKeys.has(toKey(tag));
  const attachedTags = features.flatMap(feature =>
    feature.tags.filter(isRemoved).map(tag => ({ feature, tag })),
  );
  if (attachedTags.length === 0) return features;
  await deleteFeatureTags(tx, attachedTags.map(toRow));
  for (const { feature, tag } of attachedTags)
    record({ type: 'feature-untagged', project: feature.project, featureName: feature.name, preData: tag });
  return features.map(feature => ({ ...feature, tags: feature.tags.filter(tag => !isRemoved(tag)) }));
}

const toRow = ({ feature, tag }: { feature: TaggedFeature; tag: Tag }) => ({
  featureName: feature.name,
  ...tag,
});

/** No part of a tag contains NUL, so no two tags have the same key. */
const toKey = ({ type, value }: Tag): string => `${type}\0${value}`;

/** Returns a set, because a request can name thousands of tags. */
const toKeySet = (tags: Tag[]): Set<string> => new Set(tags.map(toKey));

const deduplicate = (tags: Tag[]): Tag[] => [...new Map(tags.map(tag => [toKey(tag), tag])).values()];

/** Returns a function that picks the given tags from the locked tags, without duplicates and in lock order. */
export function makeTagPicker(lockedTags: Tag[]): (tags: Tag[]) => Tag[] {
  const positions = new Map(lockedTags.map((tag, position) => [toKey(tag), position]));
  return tags =>
    [...new Set(tags.map(tag => positions.get(toKey(tag))))]
      .filter(position => position !== undefined)
      .toSorted((a, b) => a - b)
      .flatMap(position => lockedTags[position] ?? []);
}

/** Returns the tags of the first list that are also in the second. */
export function findCommonTags(tags: Tag[], otherTags: Tag[]): Set<Tag> {
  const keys = toKeySet(otherTags);
  return new Set(tags.filter(tag => keys.has(toKey(tag))));
}
