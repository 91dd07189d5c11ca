import { badData, exceedsLimit, notFound } from '../../../../plane/src/platform/errors.ts';
import type { Reader } from '../../platform/db/database.ts';
import type { Change } from '../../record/change.ts';
import { lockActiveFeatures } from '../feature-rows/lock.ts';
import { attachTags, detachTags, lockOrCreateTags, tagsInBoth } from './attach.ts';
import type { NewTag, Tag, TagChange } from './schema.ts';
import { listTaggedFeatures } from './store.ts';
import { trimmed } from './validate.ts';

// Each is an event. 4,000 events took 4.5 s on two busy cores, and a statement can run for 15 s.
const MAX_CHANGES = 5_000;

/** Attaches one tag to a feature. Returns the trimmed tag. */
export async function tagFeature(
  current: Change,
  project: string,
  feature: string,
  input: NewTag,
): Promise<Tag> {
  await changeTags(current, project, [feature], { addedTags: [input] }, () => '/body');
  return trimmed(input);
}

export async function untagFeature(
  current: Change,
  project: string,
  feature: string,
  tag: Tag,
): Promise<void> {
  await changeTags(current, project, [feature], { removedTags: [tag] }, () => '/body');
}

/** Removes and attaches tags on all features or, if one cannot be changed, on none. */
export async function changeTags(
  current: Change,
  project: string,
  features: string[],
  { addedTags = [], removedTags = [] }: TagChange,
  pathOfAdded: (index: number) => string,
): Promise<void> {
  if (features.length * (addedTags.length + removedTags.length) > MAX_CHANGES) {
    throw exceedsLimit(
      `One request can change at most ${MAX_CHANGES} tags of features. Name fewer features or tags.`,
    );
  }
  const removed = removedTags.map(trimmed);
  const wanted = addedTags.map(trimmed);
  const both = tagsInBoth(wanted, removed);
  const contradictions = wanted.flatMap((tag, index) =>
    both.has(tag) ? [{ message: 'the tag is also in removedTags', path: pathOfAdded(index) }] : [],
  );
  if (contradictions.length > 0) throw badData(contradictions);

  const added = await lockOrCreateTags(current, project, addedTags, pathOfAdded);
  await lockActiveFeatures(current.tx, project, features);
  const tagged = await listTaggedFeatures(current.tx, project, features);
  const rest = await detachTags(current, tagged, removed);
  await attachTags(
    current,
    rest.map(feature => ({ feature, tags: added })),
  );
}

export async function readTags(db: Reader, project: string, feature: string): Promise<Tag[]> {
  const [tagged] = await listTaggedFeatures(db, project, [feature]);
  if (!tagged) throw notFound(`Feature "${feature}" in project "${project}"`);
  return tagged.tags;
}
