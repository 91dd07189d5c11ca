import type { Actor } from '../actor.ts';
import { type Change, change } from '../change.ts';
import type { Db } from '../db/database.ts';
import { badData, type Violation } from '../errors.ts';
import { hasControlCharacter } from '../http/text.ts';
import type { NewTag, NewTagType, Tag, TagType } from './schema.ts';
import { insertMissingTagTypes, insertTag, insertTagType } from './store.ts';

const MIN_LENGTH = 2;
const MAX_LENGTH = 50;

export async function createTagType(db: Db, actor: Actor, input: NewTagType): Promise<TagType> {
  const tagType = completed(input);
  return await change(db, actor, async ({ tx, record }) => {
    await insertTagType(tx, tagType);
    record({ type: 'tag-type-created', data: tagType });
    return tagType;
  });
}

/** Part of a change that needs tag types: those that are not there yet are made. */
export async function addMissingTagTypes({ tx, record }: Change, wanted: NewTagType[]): Promise<void> {
  for (const data of await insertMissingTagTypes(tx, wanted.map(completed))) {
    record({ type: 'tag-type-created', data });
  }
}

/** The tag type with everything that was left out, and nothing that is not known. */
export const completed = (input: NewTagType): TagType => ({
  name: input.name,
  description: input.description ?? null,
  icon: input.icon ?? null,
  color: input.color ?? null,
});

export async function createTag(db: Db, actor: Actor, input: NewTag): Promise<Tag> {
  const tag = { type: input.type, value: input.value.trim() };
  const details = [...valueViolations(tag.value)];
  if (details.length > 0) throw badData(details);
  return await change(db, actor, async ({ tx, record }) => {
    await insertTag(tx, tag);
    record({ type: 'tag-created', data: tag });
    return tag;
  });
}

function* valueViolations(value: string): Generator<Violation> {
  const path = '/body/value';
  // Characters, not UTF-16 units: the database and the validator count the same way.
  const length = [...value].length;
  if (length < MIN_LENGTH || length > MAX_LENGTH) {
    yield { message: `value must have ${MIN_LENGTH} to ${MAX_LENGTH} characters between its blanks`, path };
  }
  // A value with control characters could not be named in an address, and so not be deleted.
  if (hasControlCharacter(value)) yield { message: 'value must not hold control characters', path };
}
