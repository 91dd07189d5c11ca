import { badData, exceedsLimit } from '../../platform/errors.ts';
import type { Change } from '../../record/change.ts';
import { holdActiveFeatures } from '../features/load.ts';
import { trimmed } from './accept.ts';
import { attachTags, detachTags, holdTags, tagsInBoth } from './attach.ts';
import type { NewTag, Tag, TagChange } from './schema.ts';

// Each is an event; 4,000 took 4.5 s on two busy cores, and a statement may take 15 s.
const MAX_CHANGES = 5_000;

/** Attaches one tag to a feature; returns it as it is stored. */
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

/** Takes tags off and attaches others, to all of the features or, if one cannot be changed, to none. */
export async function changeTags(
  current: Change,
  project: string,
  features: string[],
  { addedTags = [], removedTags = [] }: TagChange,
  pathOfAdded: (index: number) => string,
): Promise<void> {
  if (features.length * (addedTags.length + removedTags.length) > MAX_CHANGES) {
    throw exceedsLimit(
      `One request changes at most ${MAX_CHANGES} tags of features. Name fewer features or tags.`,
    );
  }
  const removed = removedTags.map(trimmed);
  const wanted = addedTags.map(trimmed);
  const both = tagsInBoth(wanted, removed);
  const contradictions = wanted.flatMap((tag, index) =>
    both.has(tag) ? [{ message: 'the tag stands in removedTags too', path: pathOfAdded(index) }] : [],
  );
  if (contradictions.length > 0) throw badData(contradictions);

  const added = await holdTags(current, project, addedTags, pathOfAdded);
  const held = await holdActiveFeatures(current.tx, current.actor, project, features);
  const rest = await detachTags(current, held, removed);
  await attachTags(
    current,
    rest.map(feature => ({ feature, tags: added })),
  );
}
