import { type RawBuilder, sql } from 'kysely';
import type { Columns, Reader, Tx } from '../db/database.ts';
import type { Tag, TagType } from './schema.ts';

const TAG_TYPE = ['name', 'description', 'icon', 'color'] as const;
const TAG = ['type', 'value'] as const;

/** Tags of the feature of this name, as they stand on it and on its events. Name the column with its table. */
export const tagsOf = (featureName: RawBuilder<unknown>) => sql`coalesce((
  select jsonb_agg(jsonb_build_object('type', type, 'value', value) order by type, value)
  from feature_tags where feature_name = ${featureName}
), '[]')`;

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
  await tx.insertInto('tag_types').values(tagTypeColumns(tagType)).execute();
}

/** Returns those it inserted. */
export async function insertMissingTagTypes(tx: Tx, tagTypes: TagType[]): Promise<TagType[]> {
  return await tx
    .insertInto('tag_types')
    .values(tagTypes.map(tagTypeColumns))
    .onConflict(conflict => conflict.constraint('tag_types_pkey').doNothing())
    .returning(TAG_TYPE)
    .execute();
}

export async function updateTagType(tx: Tx, { name, description, icon, color }: TagType): Promise<void> {
  await tx.updateTable('tag_types').set({ description, icon, color }).where('name', '=', name).execute();
}

const tagTypeColumns = ({ name, description, icon, color }: TagType) =>
  ({ name, description, icon, color }) satisfies Columns<'tag_types'>;

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

/** Those of the types that exist, kept from being deleted until the transaction ends. */
export async function lockTagTypes(tx: Tx, tags: Tag[]): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from tag_types where name = any(${tags.map(tag => tag.type)}) order by name for key share`.execute(
    tx,
  );
  return rows.map(row => row.name);
}

/**
 * Returns the tags that did not exist; all of them are kept from being deleted until the transaction ends. The update that
 * never happens is what locks a tag that is there already, and makes one anew that another transaction is deleting.
 */
export async function insertMissingTags(tx: Tx, tags: Tag[]): Promise<Tag[]> {
  const { rows } = await sql<Tag>`
    insert into tags (type, value)
    select type, value from jsonb_to_recordset(${JSON.stringify(tags)}::jsonb) as wanted (type text, value text)
    order by type, value
    on conflict (type, value) do update set created_at = tags.created_at where false
    returning type, value`.execute(tx);
  return rows;
}

export type FeatureTag = Tag & { featureName: string };

export async function insertFeatureTags(tx: Tx, rows: FeatureTag[]): Promise<void> {
  await sql`
    insert into feature_tags (feature_name, type, value)
    select "featureName", type, value from ${recordset(rows)}`.execute(tx);
}

export async function deleteFeatureTags(tx: Tx, rows: FeatureTag[]): Promise<void> {
  await sql`
    delete from feature_tags using ${recordset(rows)}
    where feature_name = "featureName" and feature_tags.type = wanted.type and feature_tags.value = wanted.value`.execute(
    tx,
  );
}

const recordset = (rows: FeatureTag[]) => sql`
  jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as wanted ("featureName" text, type text, value text)`;

/** Keeps the features that have tags of the type, or the one tag, from changing until the transaction ends. */
export async function lockFeaturesWith(tx: Tx, type: string, value?: string): Promise<void> {
  await sql`
    select from features where name = any(array(select feature_name from feature_tags where ${isTag(type, value)}))
    order by name for update`.execute(tx);
}

/** Takes the tags of the type, or the one tag, off all features; returns what was taken off. */
export async function deleteFromFeatures(
  tx: Tx,
  type: string,
  value?: string,
): Promise<(FeatureTag & { project: string })[]> {
  const { rows } = await sql<FeatureTag & { project: string }>`
    with gone as (
      delete from feature_tags using features where feature_name = features.name and ${isTag(type, value)}
      returning feature_name as "featureName", features.project, feature_tags.type, value
    )
    select * from gone order by "featureName", type, value`.execute(tx);
  return rows;
}

const isTag = (type: string, value: string | undefined) =>
  value === undefined
    ? sql`feature_tags.type = ${type}`
    : sql`feature_tags.type = ${type} and feature_tags.value = ${value}`;

export async function insertTag(tx: Tx, { type, value }: Tag): Promise<void> {
  await tx.insertInto('tags').values({ type, value }).execute();
}

/** The tags of the type, or the one tag, kept from being attached to features until the transaction ends. */
export async function lockTags(tx: Tx, type: string, value?: string): Promise<Tag[]> {
  return await tx
    .selectFrom('tags')
    .select(TAG)
    .where('type', '=', type)
    .$if(value !== undefined, query => query.where('value', '=', value ?? ''))
    .orderBy('value')
    .forUpdate()
    .execute();
}

export async function deleteTags(tx: Tx, type: string, value?: string): Promise<void> {
  await tx
    .deleteFrom('tags')
    .where('type', '=', type)
    .$if(value !== undefined, query => query.where('value', '=', value ?? ''))
    .execute();
}
