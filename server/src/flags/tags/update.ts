import { isDeepStrictEqual } from 'node:util';
import { notFound } from '@halyard/plane/platform/errors.ts';
import type { Change } from '../../record/change.ts';
import type { TagType, TagTypeUpdate } from './schema.ts';
import { lockTagType, updateTagType } from './store.ts';

/** Changes the given fields. An update that changes nothing writes nothing. */
export async function changeTagType(
  { tx, record }: Change,
  name: string,
  input: TagTypeUpdate,
): Promise<TagType> {
  const tagTypeBefore = await lockTagType(tx, name);
  if (!tagTypeBefore) throw notFound(`Tag type "${name}"`);
  const tagTypeAfter = {
    name,
    description: input.description === undefined ? tagTypeBefore.description : input.description,
    icon: input.icon === undefined ? tagTypeBefore.icon : input.icon,
    color: input.color === undefined ? tagTypeBefore.color : input.color,
  };
  if (isDeepStrictEqual(tagTypeAfter, tagTypeBefore)) return tagTypeBefore;

  await updateTagType(tx, tagTypeAfter);
  record({ type: 'tag-type-updated', data: tagTypeAfter, preData: tagTypeBefore });
  return tagTypeAfter;
}
