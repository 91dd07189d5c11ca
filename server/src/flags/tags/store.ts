import { sql } from 'kysely';
import { isInReadableProject } from '../../access/store.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Columns, Reader, Tx } from '../../platform/db/database.ts';
import { type FeaturePart, selectPart } from '../feature-rows/store.ts';
import type { Tag, TagType } from './schema.ts';

const TAG_TYPE_COLUMNS = ['name', 'description', 'icon', 'color'] as const;
const TAG_COLUMNS = ['type', 'value'] as const;

export async function findTagType(db: Reader, name: string): Promise<TagType | undefined> {
  return await db
    .selectFrom('tag_types')
    .select(TAG_TYPE_COLUMNS)
    .where('name', '=', name)
    .executeTakeFirst();
}

/** Locks the tag type, so that it cannot change or get new tags until the transaction ends. */
export async function lockTagType(tx: Tx, name: string): Promise<TagType | undefined> {
  return await tx
    .selectFrom('tag_types')
    .select(TAG_TYPE_COLUMNS)
    .where('name', '=', name)
    .forUpdate()
    .executeTakeFirst();
}

export async function listTagTypes(db: Reader): Promise<TagType[]> {
  return await db.selectFrom('tag_types').select(TAG_TYPE_COLUMNS).orderBy('name').execute();
}

export async function insertTagType(tx: Tx, tagType: TagType): Promise<void> {
  await tx.insertInto('tag_types').values(tagTypeColumns(tagType)).execute();
}

/** Returns the tag types that it inserted. */
export async function insertMissingTagTypes(tx: Tx, tagTypes: TagType[]): Promise<TagType[]> {
  return await tx
    .insertInto('tag_types')
    .values(tagTypes.map(tagTypeColumns))
    .onConflict(conflict => conflict.constraint('tag_types_pkey').doNothing())
    .returning(TAG_TYPE_COLUMNS)
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

/**
 * Selects tags that the actor may see: tags of features that the actor may read, and unused tags that were created in a project
 * that the actor may read, or in no project.
 */
const isVisible = (actor: Actor) =>
  actor.isAdmin
    ? sql<boolean>`true`
    : sql<boolean>`case when exists (
          select from feature_tags where feature_tags.type = tags.type and feature_tags.value = tags.value
        ) then exists (
          select from feature_tags join features on features.name = feature_tags.feature_name
          where feature_tags.type = tags.type and feature_tags.value = tags.value and ${isInReadableProject(actor)}
        ) else tags.project is null or ${isInReadableProject(actor)} end`;

export async function findTag(
  db: Reader,
  actor: Actor,
  type: string,
  value: string,
): Promise<Tag | undefined> {
  return await db
    .selectFrom('tags')
    .select(TAG_COLUMNS)
    .where('type', '=', type)
    .where('value', '=', value)
    .where(isVisible(actor))
    .executeTakeFirst();
}

/** Returns all tags that the actor may see, or those of one type. */
export async function listTags(db: Reader, actor: Actor, type?: string): Promise<Tag[]> {
  return await db
    .selectFrom('tags')
    .select(TAG_COLUMNS)
    .$if(type !== undefined, query => query.where('type', '=', type ?? ''))
    .where(isVisible(actor))
    .orderBy('type')
    .orderBy('value')
    .execute();
}

/** Locks those of the given types that exist, so that they cannot be deleted until the transaction ends. */
export async function lockTagTypes(tx: Tx, names: string[]): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from tag_types where name = any(${names}) order by name for key share`.execute(tx);
  return rows.map(row => row.name);
}

/**
 * Inserts missing tags and returns them. Locks all of the tags until the transaction ends. The update in the statement changes
 * nothing, but it locks existing tags and makes the insert succeed if another transaction is deleting a tag.
 */
export async function insertMissingTags(tx: Tx, project: string, tags: Tag[]): Promise<Tag[]> {
  const { rows } = await sql<Tag>`
    insert into tags (type, value, project)
    select type, value, ${project} from jsonb_to_recordset(${JSON.stringify(tags)}::jsonb) as given (type text, value text)
    order by type, value
    on conflict (type, value) do update set created_at = tags.created_at where false
    returning type, value`.execute(tx);
  return rows;
}

/** The tags of a feature. */
export const TAGS: FeaturePart = {
  table: 'feature_tags',
  column: 'feature_name',
  item: sql`'{"type":' || to_json(type) || ',"value":' || to_json(value) || '}'`,
  order: sql`type, value`,
};

/** A feature and its tags. */
export type TaggedFeature = { name: string; project: string; tags: Tag[] };

/** Returns the features of the project with their tags, by name. */
export async function listTaggedFeatures(
  db: Reader,
  project: string,
  names: string[],
): Promise<TaggedFeature[]> {
  const { rows } = await sql<TaggedFeature>`
    select name, project, (${selectPart(TAGS, 'few')})::jsonb as tags
    from features where name = any(${names}) and project = ${project} order by name`.execute(db);
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
    where feature_name = "featureName" and feature_tags.type = given.type
      and feature_tags.value = given.value`.execute(tx);
}

const recordset = (rows: FeatureTag[]) => sql`
  jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given ("featureName" text, type text, value text)`;

/** Counts the features with the tag, or the tags of this type on all features. Stops counting at a limit. */
export async function countUses(db: Reader, limit: number, type: string, value?: string): Promise<number> {
  const { rows } = await sql<{ uses: number }>`
    select count(*)::integer as uses
    from (select from feature_tags where ${isTag(type, value)} limit ${limit}) as counted`.execute(db);
  return rows[0]?.uses ?? 0;
}

/** Locks the features that have the tag, or any tag of the type, until the transaction ends. */
export async function lockFeaturesWith(tx: Tx, type: string, value?: string): Promise<void> {
  await sql`
    select from features where name = any(array(select feature_name from feature_tags where ${isTag(type, value)}))
    order by name for update`.execute(tx);
}

/** Removes the tag, or all tags of the type, from all features, and returns the removed rows. */
export async function deleteFromFeatures(
  tx: Tx,
  type: string,
  value?: string,
): Promise<(FeatureTag & { project: string })[]> {
  const { rows } = await sql<FeatureTag & { project: string }>`
    with removed as (
      delete from feature_tags using features where feature_name = features.name and ${isTag(type, value)}
      returning feature_name as "featureName", features.project, feature_tags.type, value
    )
    select * from removed order by "featureName", type, value`.execute(tx);
  return rows;
}

const isTag = (type: string, value: string | undefined) =>
  value === undefined
    ? sql`feature_tags.type = ${type}`
    : sql`feature_tags.type = ${type} and feature_tags.value = ${value}`;

export async function insertTag(tx: Tx, { type, value }: Tag): Promise<void> {
  await tx.insertInto('tags').values({ type, value }).execute();
}

/** A tag. If the actor cannot see it, `hiddenIn` is a project that uses the tag or where it was created. */
export type LockedTag = { tag: Tag; hiddenIn: string | null };

/** Locks the tag, or all tags of the type, so that they cannot be attached to features until the transaction ends. */
export async function lockTags(tx: Tx, actor: Actor, type: string, value?: string): Promise<LockedTag[]> {
  const hasValue = value === undefined ? sql`true` : sql`tags.value = ${value}`;
  await sql`select from tags where tags.type = ${type} and ${hasValue} order by value for update`.execute(tx);
  const { rows } = await sql<LockedTag>`
    select jsonb_build_object('type', type, 'value', value) as tag, case when not ${isVisible(actor)} then coalesce((
      select min(features.project) from feature_tags join features on features.name = feature_tags.feature_name
      where feature_tags.type = tags.type and feature_tags.value = tags.value
    ), tags.project) end as "hiddenIn"
    from tags where tags.type = ${type} and ${hasValue} order by value`.execute(tx);
  return rows;
}

export async function deleteTags(tx: Tx, type: string, value?: string): Promise<void> {
  await tx
    .deleteFrom('tags')
    .where('type', '=', type)
    .$if(value !== undefined, query => query.where('value', '=', value ?? ''))
    .execute();
}
