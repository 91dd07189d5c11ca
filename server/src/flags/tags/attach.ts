import { badData, exceedsLimit, type Violation } from '../../../../plane/src/platform/errors.ts';
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
import { trimmed, valueViolations } from './validate.ts';

const MAX_TAGS = 100;

/**
 * Part of a change that will attach tags: creates missing tags, and locks all of them, so that none is deleted before the change
 * ends. It runs before projects and features are locked, because deleting a tag locks the tag before its features.
 */
export async function lockOrCreateTags(
  { tx, record }: Change,
  project: string,
  input: NewTag[],
  pathOf: (index: number) => string,
): Promise<Tag[]> {
  if (input.length === 0) return [];
  const details = await attachViolations(tx, input, pathOf);
  if (details.length > 0) throw badData(details);

  const wanted = unique(input.map(trimmed));
  for (const tag of await insertMissingTags(tx, project, wanted)) record({ type: 'tag-created', data: tag });
  return wanted;
}

/** The violations in the given fields of tags to attach. Locks their types until the transaction ends. */
export async function attachViolations(
  tx: Tx,
  input: Partial<NewTag>[],
  pathOf: (index: number) => string,
): Promise<Violation[]> {
  if (input.length === 0) return [];
  const types = new Set(
    await lockTagTypes(
      tx,
      input.flatMap(({ type }) => type ?? []),
    ),
  );
  return input.flatMap(({ type, value }, index) => {
    const path = pathOf(index);
    const unknown = { message: `tag type "${type}" does not exist`, path: `${path}/type` };
    return [
      ...(type === undefined || types.has(type) ? [] : [unknown]),
      ...(value === undefined ? [] : valueViolations(trimmed({ type: type ?? '', value }), path)),
    ];
  });
}

/** Attaches locked tags to locked features. Records only tags that a feature did not have. */
export async function attachTags(
  { tx, record }: Change,
  wanted: { feature: TaggedFeature; tags: Tag[] }[],
): Promise<void> {
  const missing = wanted.flatMap(({ feature, tags }) => {
    const present = keysOf(feature.tags);
    const added = tags.filter(tag => !present.has(keyOf(tag)));
    if (added.length > 0 && feature.tags.length + added.length > MAX_TAGS)
      throw exceedsLimit(`Feature "${feature.name}" can have at most ${MAX_TAGS} tags. Remove some first.`);
    return added.map(tag => ({ feature, tag }));
  });
  if (missing.length === 0) return;
  await insertFeatureTags(tx, missing.map(asRow));
  for (const { feature, tag } of missing) {
    record({ type: 'feature-tagged', project: feature.project, featureName: feature.name, data: tag });
  }
}

/** Removes tags from locked features, and returns the features with their remaining tags. */
export async function detachTags(
  { tx, record }: Change,
  features: TaggedFeature[],
  tags: Tag[],
): Promise<TaggedFeature[]> {
  const removed = keysOf(tags);
  const isRemoved = (tag: Tag) => removed.has(keyOf(tag));
  const present = features.flatMap(feature => feature.tags.filter(isRemoved).map(tag => ({ feature, tag })));
  if (present.length === 0) return features;
  await deleteFeatureTags(tx, present.map(asRow));
  for (const { feature, tag } of present) {
    record({ type: 'feature-untagged', project: feature.project, featureName: feature.name, preData: tag });
  }
  return features.map(feature => ({ ...feature, tags: feature.tags.filter(tag => !isRemoved(tag)) }));
}

const asRow = ({ feature, tag }: { feature: TaggedFeature; tag: Tag }) => ({
  featureName: feature.name,
  ...tag,
});

/** No part of a tag contains NUL, so no two tags have the same key. */
const keyOf = ({ type, value }: Tag): string => `${type}\0${value}`;

/** A set, for fast lookups: a request can name thousands of tags. */
const keysOf = (tags: Tag[]): Set<string> => new Set(tags.map(keyOf));

const unique = (tags: Tag[]): Tag[] => [...new Map(tags.map(tag => [keyOf(tag), tag])).values()];

/** Returns a function that finds locked tags, each once and in the order of the lock. */
export function tagPicker(locked: Tag[]): (wanted: Tag[]) => Tag[] {
  const places = new Map(locked.map((tag, at) => [keyOf(tag), at]));
  return wanted =>
    [...new Set(wanted.map(tag => places.get(keyOf(tag))))]
      .filter(at => at !== undefined)
      .toSorted((a, b) => a - b)
      .flatMap(at => locked[at] ?? []);
}

/** The tags that are in both lists. */
export function tagsInBoth(tags: Tag[], others: Tag[]): Set<Tag> {
  const keys = keysOf(others);
  return new Set(tags.filter(tag => keys.has(keyOf(tag))));
}
