import { type RawBuilder, sql } from 'kysely';
import type { Actor } from '../actor.ts';
import type { Reader, Tx } from '../db/database.ts';
import { iso } from '../db/iso.ts';
import { CHILDREN, PARENTS } from '../dependencies/store.ts';
import { COLLABORATORS } from '../events/store.ts';
import { isFavorite } from '../favorites/store.ts';
import { ENVIRONMENTS, LAST_SEEN_AT } from '../feature-environments/store.ts';
import { STAGE } from '../lifecycle/store.ts';
import { LINKS } from '../links/store.ts';
import { tagsOf } from '../tags/store.ts';
import { nameOfUser } from '../users/store.ts';
import type { Feature } from './schema.ts';

/** Who created `features`. */
export const CREATED_BY = sql`case when features.created_by_user_id is not null then jsonb_build_object(
    'id', features.created_by_user_id,
    'name', ${nameOfUser(sql`features.created_by_user_id`)}
  ) end`;

type Time = (column: RawBuilder<unknown>) => RawBuilder<unknown>;

const featureAsSeenBy = (actor: Actor, time: Time = column => column) => sql`
  features.name, features.type, features.description, features.project, features.stale,
  features.impression_data as "impressionData",
  features.archived_at is not null as archived, ${time(sql`features.archived_at`)} as "archivedAt",
  ${time(sql`features.created_at`)} as "createdAt",
  ${CREATED_BY} as "createdBy",
  exists (select from feature_environments where feature_name = features.name and enabled) as enabled,
  ${isFavorite(actor)} as favorite, ${time(LAST_SEEN_AT)} as "lastSeenAt",
  ${ENVIRONMENTS} as environments, ${tagsOf(sql`features.name`)} as tags, ${PARENTS} as dependencies, ${CHILDREN} as children,
  ${LINKS} as links, ${STAGE} as lifecycle, ${COLLABORATORS} as collaborators`;

/** One statement, whatever the feature is made of. */
export async function findFeature(
  db: Reader,
  actor: Actor,
  project: string,
  name: string,
): Promise<Feature | undefined> {
  const { rows } = await sql<Feature>`
    select ${featureAsSeenBy(actor)} from features where name = ${name} and project = ${project}`.execute(db);
  return rows[0];
}

/**
 * Each feature as JSON text, ready to be sent. Of a project of 10,000 that is 39 MB: making objects of it and text
 * again took 1.3 s of CPU and, after three calls, 970 MB; so it takes 0.36 s and 430 MB.
 */
export async function listFeatureTexts(db: Reader, actor: Actor, project: string): Promise<string[]> {
  const { rows } = await sql<{ text: string }>`
    select to_json(feature)::text as text from (
      select ${featureAsSeenBy(actor, iso)} from features where project = ${project} and archived_at is null
    ) as feature
    order by feature.name`.execute(db);
  return rows.map(row => row.text);
}

/** Features of the project, kept from changing until the transaction ends; always in one order, so nobody deadlocks. */
export async function lockFeatures(
  tx: Tx,
  actor: Actor,
  project: string,
  names: string[],
): Promise<Feature[]> {
  await sql`
    select from features where name = any(${names}) and project = ${project} order by name for update`.execute(
    tx,
  );
  const { rows } = await sql<Feature>`
    select ${featureAsSeenBy(actor)} from features where name = any(${names}) and project = ${project} order by name`.execute(
    tx,
  );
  return rows;
}

export type ReceivingProject = {
  featureLimit: number | null;
  namingPattern: string | null;
  namingExample: string | null;
  namingDescription: string | null;
  defaultStickiness: string;
  archived: boolean;
  activeFeatures: number;
};

/** What a project asks of a feature that comes into it. Locked, so that two cannot both take the last place. */
export async function lockReceivingProject(tx: Tx, id: string): Promise<ReceivingProject | undefined> {
  await sql`select from projects where id = ${id} for no key update`.execute(tx);
  const { rows } = await sql<ReceivingProject>`
    select feature_limit as "featureLimit", naming_pattern as "namingPattern", naming_example as "namingExample",
      naming_description as "namingDescription", default_stickiness as "defaultStickiness",
      archived_at is not null as archived,
      case when feature_limit is null then 0 else (
        select count(*) from features where project = projects.id and features.archived_at is null
      ) end as "activeFeatures"
    from projects where id = ${id}`.execute(tx);
  return rows[0];
}

export type NewFeatureRow = {
  name: string;
  project: string;
  type: string;
  description: string | null;
  impressionData: boolean;
};

/** Inserts the feature, switched off in every environment of its project; returns when that was. */
export async function insertFeature(
  tx: Tx,
  feature: NewFeatureRow,
  createdByUserId: number,
): Promise<string> {
  const { createdAt } = await tx
    .insertInto('features')
    .values({
      name: feature.name,
      project: feature.project,
      type: feature.type,
      description: feature.description,
      impression_data: feature.impressionData,
      created_by_user_id: createdByUserId,
    })
    .returning('created_at as createdAt')
    .executeTakeFirstOrThrow();
  await sql`
    insert into feature_environments (feature_name, environment)
    select ${feature.name}, environment_name from project_environments where project_id = ${feature.project}`.execute(
    tx,
  );
  return createdAt;
}

export async function updateFeature(
  tx: Tx,
  name: string,
  fields: Pick<Feature, 'type' | 'description' | 'impressionData' | 'stale'>,
): Promise<void> {
  await tx
    .updateTable('features')
    .set({
      type: fields.type,
      description: fields.description,
      impression_data: fields.impressionData,
      stale: fields.stale,
    })
    .where('name', '=', name)
    .execute();
}

export async function setStale(tx: Tx, names: string[], stale: boolean): Promise<void> {
  await tx.updateTable('features').set({ stale }).where('name', 'in', names).execute();
}

/** A revived feature is off everywhere: nothing comes back on by itself. */
export async function setArchived(tx: Tx, names: string[], archived: boolean): Promise<void> {
  await tx
    .updateTable('features')
    .set({ archived_at: archived ? sql<string>`now()` : null })
    .where('name', 'in', names)
    .execute();
  if (!archived) {
    await tx
      .updateTable('feature_environments')
      .set({ enabled: false })
      .where('feature_name', 'in', names)
      .execute();
  }
}

export async function deleteFeatures(tx: Tx, names: string[]): Promise<void> {
  await tx.deleteFrom('features').where('name', 'in', names).execute();
}

export async function countActiveFeatures(db: Reader, project: string): Promise<number> {
  const { count } = await db
    .selectFrom('features')
    .select(eb => eb.fn.countAll<number>().as('count'))
    .where('project', '=', project)
    .where('archived_at', 'is', null)
    .executeTakeFirstOrThrow();
  return count;
}

/** Returns what was deleted, as events tell it. */
export async function deleteFeaturesOfProject(tx: Tx, project: string): Promise<{ name: string }[]> {
  return await tx
    .deleteFrom('features')
    .where('project', '=', project)
    .returning([
      'name',
      'type',
      'description',
      'project',
      'stale',
      'impression_data as impressionData',
      'created_at as createdAt',
      sql<boolean>`archived_at is not null`.as('archived'),
    ])
    .execute();
}

export async function isNameTaken(db: Reader, name: string): Promise<boolean> {
  return (
    (await db.selectFrom('features').select('name').where('name', '=', name).executeTakeFirst()) !== undefined
  );
}
