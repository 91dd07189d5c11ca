import type { Actor } from '../actor.ts';
import { type Change, change } from '../change.ts';
import type { Db } from '../db/database.ts';
import { badData } from '../errors.ts';
import { trimmed, valueViolations } from './accept.ts';
import type { NewTag, NewTagType, Tag, TagType } from './schema.ts';
import { insertTag, insertTagTypes } from './store.ts';

export async function createTagType(db: Db, actor: Actor, input: NewTagType): Promise<TagType> {
  const tagType = completed(input);
  await change(db, actor, async current => await addTagTypes(current, [tagType]));
  return tagType;
}

/** Part of a change. */
export async function addTagTypes({ tx, record }: Change, tagTypes: TagType[]): Promise<void> {
  if (tagTypes.length === 0) return;
  await insertTagTypes(tx, tagTypes);
  for (const tagType of tagTypes) record({ type: 'tag-type-created', data: tagType });
}

/** The tag type with everything that was left out, and nothing that is not known. */
export const completed = (input: NewTagType): TagType => ({
  name: input.name,
  description: input.description ?? null,
  icon: input.icon ?? null,
  color: input.color ?? null,
});

export async function createTag(db: Db, actor: Actor, input: NewTag): Promise<Tag> {
  const tag = trimmed(input);
  const details = [...valueViolations(tag, '/body')];
  if (details.length > 0) throw badData(details);
  return await change(db, actor, async ({ tx, record }) => {
    await insertTag(tx, tag);
    record({ type: 'tag-created', data: tag });
    return tag;
  });
}
