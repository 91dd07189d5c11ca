import { isDeepStrictEqual } from 'node:util';
import { notFound } from '../../../../plane/src/platform/errors.ts';
import type { Change } from '../../record/change.ts';
import type { TagType, TagTypeUpdate } from './schema.ts';
import { lockTagType, updateTagType } from './store.ts';

/** Changes the given fields. An update that changes nothing writes nothing. */
export async function changeTagType(
  { tx, record }: Change,
  name: string,
  input: TagTypeUpdate,
): Promise<TagType> {
  const before = await lockTagType(tx, name);
  if (!before) throw notFound(`Tag type "${name}"`);
  const after = {
    name,
    description: input.description === undefined ? before.description : input.description,
    icon: input.icon === undefined ? before.icon : input.icon,
    color: input.color === undefined ? before.color : input.color,
  };
  if (isDeepStrictEqual(after, before)) return before;

  await updateTagType(tx, after);
  record({ type: 'tag-type-updated', data: after, preData: before });
  return after;
}
