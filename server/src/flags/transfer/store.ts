import { sql } from 'kysely';
import { isInReadableProject } from '../../access/store.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Reader } from '../../platform/db/database.ts';
import { type ExportQuery, MAX_FEATURES } from './schema.ts';

/**
 * Returns the names of the active features that the query selects, in projects that the actor may read. Returns up to one more than
 * the maximum, so that the caller can tell that there are too many.
 */
export async function listSelectedFeatures(db: Reader, actor: Actor, query: ExportQuery): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from features
    where archived_at is null and ${isInReadableProject(actor)} and ${isSelected(query)}
    order by name limit ${MAX_FEATURES + 1}`.execute(db);
  return rows.map(row => row.name);
}

function isSelected({ features, project, tag }: ExportQuery) {
  if (features !== undefined) return sql<boolean>`name = any(${features})`;
  if (project !== undefined) return sql<boolean>`project = ${project}`;
  const [type, ...value] = String(tag).split(':');
  return sql<boolean>`exists (
    select from feature_tags
    where feature_name = features.name and feature_tags.type = ${type} and value = ${value.join(':')}
  )`;
}

/** Objects that exported features refer to and that the importing instance may not have. */
export type References = {
  segments: { id: number; name: string }[];
  tagTypes: { name: string; description: string | null; icon: string | null; color: string | null }[];
  contextFields: {
    name: string;
    description: string | null;
    stickiness: boolean;
    sortOrder: number;
    legalValues: { value: string; description?: string }[];
  }[];
};

/** Returns the referenced objects that the actor may read. A strategy can refer to a context field of a hidden project. */
export async function findReferences(
  db: Reader,
  actor: Actor,
  references: { segments: number[]; tagTypes: string[]; contextFields: string[] },
): Promise<References> {
  const isVisible = sql<boolean>`(project is null or ${isInReadableProject(actor)})`;
  const { rows } = await sql<References>`
    select
      coalesce((
        select jsonb_agg(jsonb_build_object('id', id, 'name', name) order by id)
        from segments where id = any(${references.segments}) and ${isVisible}
      ), '[]') as segments,
      coalesce((
        select jsonb_agg(jsonb_build_object(
          'name', name, 'description', description, 'icon', icon, 'color', color) order by name)
        from tag_types where name = any(${references.tagTypes})
      ), '[]') as "tagTypes",
      coalesce((
        select jsonb_agg(jsonb_build_object(
          'name', name, 'description', description, 'stickiness', stickiness, 'sortOrder', sort_order,
          'legalValues', legal_values) order by name)
        from context_fields where name = any(${references.contextFields}) and ${isVisible}
      ), '[]') as "contextFields"`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('A select without a table returned no row');
  return row;
}

export type ExistingNames = {
  environments: string[];
  taken: { name: string; project: string; archived: boolean }[];
  featureTypes: string[];
  strategyTypes: string[];
  segments: { id: number; name: string }[];
  contextFields: { name: string; legalValues: { value: string }[] }[];
  /** Context fields that belong to other projects. */
  foreignContextFields: string[];
  tagTypes: string[];
  tags: { type: string; value: string }[];
};

/** Returns which of the names in an import exist in this instance, in one statement. */
export async function findExistingNames(
  db: Reader,
  project: string,
  names: {
    features: string[];
    strategyTypes: string[];
    segments: string[];
    contextFields: string[];
    tags: { type: string; value: string }[];
  },
): Promise<ExistingNames> {
  const { rows } = await sql<ExistingNames>`
    select
      array(select environment_name from project_environments where project_id = ${project}) as environments,
      coalesce((
        select jsonb_agg(jsonb_build_object(
          'name', name, 'project', project, 'archived', archived_at is not null))
        from features where name = any(${names.features})
      ), '[]') as taken,
      array(select id from feature_types) as "featureTypes",
      array(select name from strategies where name = any(${names.strategyTypes})) as "strategyTypes",
      coalesce((
        select jsonb_agg(jsonb_build_object('id', id, 'name', name))
        from segments where name = any(${names.segments}) and (project is null or project = ${project})
      ), '[]') as segments,
      coalesce((
        select jsonb_agg(jsonb_build_object('name', name, 'legalValues', legal_values))
        from context_fields where name = any(${names.contextFields}) and (project is null or project = ${project})
      ), '[]') as "contextFields",
      array(
        select name from context_fields where name = any(${names.contextFields}) and project <> ${project}
      ) as "foreignContextFields",
      array(select name from tag_types) as "tagTypes",
      coalesce((
        select jsonb_agg(jsonb_build_object('type', tags.type, 'value', tags.value))
        from tags join jsonb_to_recordset(${JSON.stringify(names.tags)}::jsonb) as imported (type text, value text)
          on imported.type = tags.type and imported.value = tags.value
      ), '[]') as tags`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('A select without a table returned no row');
  return row;
}
