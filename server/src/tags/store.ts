import type { Reader, Tx } from '../db/database.ts';
import type { Tag, TagType } from './schema.ts';

const TAG_TYPE = ['name', 'description', 'icon', 'color'] as const;
const TAG = ['type', 'value'] as const;

export async function findTagType(db: Reader, name: string): Promise<TagType | undefined> {
  return await db.selectFrom('tag_types').select(TAG_TYPE).where('name', '=', name).executeTakeFirst();
}

/** The tag type, kept from changing and from getting new tags until the transaction ends. */
export async function lockTagType(tx: Tx, name: string): Promise<TagType | undefined> {
  return await tx
    .selectFrom('tag_types')
    .select(TAG_TYPE)
    .where('name', '=', name)
    .forUpdate()
    .executeTakeFirst();
}

export async function listTagTypes(db: Reader): Promise<TagType[]> {
  return await db.selectFrom('tag_types').select(TAG_TYPE).orderBy('name').execute();
}

export async function insertTagType(tx: Tx, tagType: TagType): Promise<void> {
  await tx.insertInto('tag_types').values(tagType).execute();
}

/** Returns those it inserted. */
export async function insertMissingTagTypes(tx: Tx, tagTypes: TagType[]): Promise<TagType[]> {
  return await tx
    .insertInto('tag_types')
    .values(tagTypes)
    .onConflict(conflict => conflict.constraint('tag_types_pkey').doNothing())
    .returning(TAG_TYPE)
    .execute();
}

export async function updateTagType(tx: Tx, { name, ...columns }: TagType): Promise<void> {
  await tx.updateTable('tag_types').set(columns).where('name', '=', name).execute();
}

export async function deleteTagType(tx: Tx, name: string): Promise<void> {
  await tx.deleteFrom('tag_types').where('name', '=', name).execute();
}

export async function findTag(db: Reader, type: string, value: string): Promise<Tag | undefined> {
  return await db
    .selectFrom('tags')
    .select(TAG)
    .where('type', '=', type)
    .where('value', '=', value)
    .executeTakeFirst();
}

/** All tags, or those of one type. */
export async function listTags(db: Reader, type?: string): Promise<Tag[]> {
  return await db
    .selectFrom('tags')
    .select(TAG)
    .$if(type !== undefined, query => query.where('type', '=', type ?? ''))
    .orderBy('type')
    .orderBy('value')
    .execute();
}

export async function insertTag(tx: Tx, tag: Tag): Promise<void> {
  await tx.insertInto('tags').values(tag).execute();
}

/** Returns false if there is no such tag. */
export async function deleteTag(tx: Tx, type: string, value: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('tags')
    .where('type', '=', type)
    .where('value', '=', value)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

/** Returns what it deleted. */
export async function deleteTagsOfType(tx: Tx, type: string): Promise<Tag[]> {
  return await tx.deleteFrom('tags').where('type', '=', type).returning(TAG).execute();
}
