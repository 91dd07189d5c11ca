import type { Actor } from '../actor.ts';
import { change } from '../change.ts';
import type { Db } from '../db/database.ts';
import { notFound } from '../errors.ts';
import { deleteTag, deleteTagsOfType, deleteTagType, lockTagType } from './store.ts';

/** Deletes a tag type with its tags; each of them gets an event of its own. */
export async function removeTagType(db: Db, actor: Actor, name: string): Promise<void> {
  await change(db, actor, async ({ tx, record }) => {
    const tagType = await lockTagType(tx, name);
    if (!tagType) throw notFound(`Tag type ${name}`);
    for (const tag of await deleteTagsOfType(tx, name)) record({ type: 'tag-deleted', preData: tag });
    await deleteTagType(tx, name);
    record({ type: 'tag-type-deleted', preData: tagType });
  });
}

export async function removeTag(db: Db, actor: Actor, type: string, value: string): Promise<void> {
  await change(db, actor, async ({ tx, record }) => {
    if (!(await deleteTag(tx, type, value))) throw notFound(`Tag ${type}:${value}`);
    record({ type: 'tag-deleted', preData: { type, value } });
  });
}
