import { badData, type Violation } from '../../../../plane/src/platform/errors.ts';
import type { Reader } from '../../platform/db/database.ts';
import type { Change } from '../../record/change.ts';
import type { NewTag, NewTagType, Tag, TagType } from './schema.ts';
import { findTagType, insertMissingTagTypes, insertTag, insertTagType } from './store.ts';
import { trimmed, valueViolations } from './validate.ts';

export async function createTagType({ tx, record }: Change, input: NewTagType): Promise<TagType> {
  const tagType = completed(input);
  await insertTagType(tx, tagType);
  record({ type: 'tag-type-created', data: tagType });
  return tagType;
}

/** Part of a change that needs tag types: creates the missing ones. */
export async function addMissingTagTypes({ tx, record }: Change, wanted: NewTagType[]): Promise<void> {
  for (const data of await insertMissingTagTypes(tx, wanted.map(completed))) {
    record({ type: 'tag-type-created', data });
  }
}

/** The tag type with its defaults and without unknown fields. */
export const completed = (input: NewTagType): TagType => ({
  name: input.name,
  description: input.description ?? null,
  icon: input.icon ?? null,
  color: input.color ?? null,
});

/** The violations in the given fields of a new tag. */
export async function tagViolations(db: Reader, { type, value }: Partial<NewTag>): Promise<Violation[]> {
  const unknown = type !== undefined && (await findTagType(db, type.trim())) === undefined;
  return [
    ...(unknown ? [{ message: `tag type "${type.trim()}" does not exist`, path: '/body/type' }] : []),
    ...(value === undefined ? [] : valueViolations(trimmed({ type: type ?? '', value }), '/body')),
  ];
}

export async function createTag({ tx, record }: Change, input: NewTag): Promise<Tag> {
  const tag = trimmed(input);
  const details = [...valueViolations(tag, '/body')];
  if (details.length > 0) throw badData(details);
  await insertTag(tx, tag);
  record({ type: 'tag-created', data: tag });
  return tag;
}
