import { badData, type Violation } from '@halyard/plane/platform/errors.ts';
import type { Reader } from '../../platform/db/database.ts';
import type { Change } from '../../record/change.ts';
import type { NewTag, NewTagType, Tag, TagType } from './schema.ts';
import { findTagType, insertMissingTagTypes, insertTag, insertTagType } from './store.ts';
import { findTagValueViolations, trimTag } from './validate.ts';

export async function createTagType({ tx, record }: Change, input: NewTagType): Promise<TagType> {
  const tagType = completeTagType(input);
  await insertTagType(tx, tagType);
  record({ type: 'tag-type-created', data: tagType });
  return tagType;
}

/** Creates the tag types that do not exist yet. */
export async function addMissingTagTypes({ tx, record }: Change, tagTypes: NewTagType[]): Promise<void> {
  for (const data of await insertMissingTagTypes(tx, tagTypes.map(completeTagType)))
    record({ type: 'tag-type-created', data });
}

/** Returns the tag type with its defaults and without unknown fields. */
export const completeTagType = (input: NewTagType): TagType => ({
  name: input.name,
  description: input.description ?? null,
  icon: input.icon ?? null,
  color: input.color ?? null,
});

/** Returns the violations in the given fields of a new tag. */
export async function findTagViolations(db: Reader, { type, value }: Partial<NewTag>): Promise<Violation[]> {
  const isUnknownType = type !== undefined && (await findTagType(db, type.trim())) === undefined;
  return [
    ...(isUnknownType ? [{ message: `tag type "${type.trim()}" does not exist`, path: '/body/type' }] : []),
    ...(value === undefined ? [] : findTagValueViolations(trimTag({ type: type ?? '', value }), '/body')),
  ];
}

export async function createTag({ tx, record }: Change, input: NewTag): Promise<Tag> {
  const tag = trimTag(input);
  const details = [...findTagValueViolations(tag, '/body')];
  if (details.length > 0) throw badData(details);
  await insertTag(tx, tag);
  record({ type: 'tag-created', data: tag });
  return tag;
}
