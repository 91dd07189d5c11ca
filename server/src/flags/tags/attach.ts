import type { Tx } from '../../platform/db/database.ts';
import { badData, exceedsLimit, type Violation } from '../../platform/errors.ts';
import type { Change } from '../../record/change.ts';
import { trimmed, valueViolations } from './accept.ts';
import type { NewTag, Tag } from './schema.ts';
import {
  deleteFeatureTags,
  insertFeatureTags,
  insertMissingTags,
  lockTagTypes,
  type TaggedFeature,
} from './store.ts';

const MAX_TAGS = 100;

/**
 * Part of a change that will attach tags: from now on they exist and cannot be deleted before it ends; those that did not
 * exist are created. Comes before projects and features are locked: whoever deletes a tag locks it before its features.
 */
export async function holdTags(
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

/** What is wrong with tags to be attached, as far as their fields are given. Their types are held until the transaction ends. */
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
    const unknown = { message: `tag type ${type} does not exist`, path: `${path}/type` };
    return [
      ...(type === undefined || types.has(type) ? [] : [unknown]),
      ...(value === undefined ? [] : valueViolations(trimmed({ type: type ?? '', value }), path)),
    ];
  });
}

/** Attaches tags that are held to features that are held; what a feature has already is not told again. */
export async function attachTags(
  { tx, record }: Change,
  wanted: { feature: TaggedFeature; tags: Tag[] }[],
): Promise<void> {
  const missing = wanted.flatMap(({ feature, tags }) => {
    const present = keysOf(feature.tags);
    const added = tags.filter(tag => !present.has(keyOf(tag)));
    if (added.length > 0 && feature.tags.length + added.length > MAX_TAGS)
      throw exceedsLimit(`Feature ${feature.name} would have more than ${MAX_TAGS} tags.`);
    return added.map(tag => ({ feature, tag }));
  });
  if (missing.length === 0) return;
  await insertFeatureTags(tx, missing.map(asRow));
  for (const { feature, tag } of missing) {
    record({ type: 'feature-tagged', project: feature.project, featureName: feature.name, data: tag });
  }
}

/** Takes tags off features that are held, whether they have them or not; returns the features as they are then. */
export async function detachTags(
  { tx, record }: Change,
  features: TaggedFeature[],
  tags: Tag[],
): Promise<TaggedFeature[]> {
  const going = keysOf(tags);
  const goes = (one: Tag) => going.has(keyOf(one));
  const present = features.flatMap(feature => feature.tags.filter(goes).map(tag => ({ feature, tag })));
  if (present.length === 0) return features;
  await deleteFeatureTags(tx, present.map(asRow));
  for (const { feature, tag } of present) {
    record({ type: 'feature-untagged', project: feature.project, featureName: feature.name, preData: tag });
  }
  return features.map(feature => ({ ...feature, tags: feature.tags.filter(tag => !goes(tag)) }));
}

const asRow = ({ feature, tag }: { feature: TaggedFeature; tag: Tag }) => ({
  featureName: feature.name,
  ...tag,
});

/** No part of a tag holds NUL, so two tags never have the same key. */
const keyOf = ({ type, value }: Tag): string => `${type}\0${value}`;

/** For looking up many tags: a request can name thousands. */
const keysOf = (tags: Tag[]): Set<string> => new Set(tags.map(keyOf));

const unique = (tags: Tag[]): Tag[] => [...new Map(tags.map(tag => [keyOf(tag), tag])).values()];

/** Finds tags that are held, each once and in the order they are held. */
export function tagPicker(held: Tag[]): (wanted: Tag[]) => Tag[] {
  const places = new Map(held.map((tag, at) => [keyOf(tag), at]));
  return wanted =>
    [...new Set(wanted.map(tag => places.get(keyOf(tag))))]
      .filter(at => at !== undefined)
      .toSorted((a, b) => a - b)
      .flatMap(at => held[at] ?? []);
}

/** Those of the tags that are among the others too. */
export function tagsInBoth(tags: Tag[], others: Tag[]): Set<Tag> {
  const keys = keysOf(others);
  return new Set(tags.filter(tag => keys.has(keyOf(tag))));
}
