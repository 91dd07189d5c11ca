import { sql } from 'kysely';
import type { Reader, Tx } from '../../platform/db/database.ts';
import { type FeaturePart, selectPart } from '../feature-rows/store.ts';
import type { Dependency } from './schema.ts';

/** The parents of a feature, and what the feature requires from each. */
export const PARENTS: FeaturePart = {
  table: 'feature_dependencies',
  column: 'child',
  item: sql`'{"feature":' || to_json(parent) || ',"enabled":' || enabled || ',"variants":' || variants || '}'`,
  order: sql`parent`,
};

/** The names of the features that depend on a feature. */
export const CHILDREN: FeaturePart = {
  table: 'feature_dependencies',
  column: 'parent',
  item: sql`to_json(child)::text`,
  order: sql`child`,
};

/** A feature with its parents and children. */
export type FeatureFamily = {
  name: string;
  project: string;
  archived: boolean;
  dependencies: Dependency[];
  children: string[];
};

/** Returns the features of the project with their parents and children, sorted by name. */
export async function listFamilies(db: Reader, project: string, names: string[]): Promise<FeatureFamily[]> {
  const { rows } = await sql<FeatureFamily>`
    select name, project, archived_at is not null as archived,
      (${selectPart(PARENTS, 'few')})::jsonb as dependencies, (${selectPart(CHILDREN, 'few')})::jsonb as children
    from features where name = any(${names}) and project = ${project} order by name`.execute(db);
  return rows;
}

/** Adds parents, or replaces what a feature requires from them. */
export async function upsertDependencies(tx: Tx, rows: (Dependency & { child: string })[]): Promise<void> {
  await sql`
    insert into feature_dependencies (child, parent, enabled, variants)
    select child, feature, enabled, variants from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given (
      child text, feature text, enabled boolean, variants jsonb)
    on conflict (child, parent) do update
    set enabled = excluded.enabled, variants = excluded.variants`.execute(tx);
}

export async function deleteDependency(tx: Tx, child: string, parent: string): Promise<void> {
  await tx
    .deleteFrom('feature_dependencies')
    .where('child', '=', child)
    .where('parent', '=', parent)
    .execute();
}

/** Deletes all dependencies of the features on their parents. */
export async function deleteDependencies(tx: Tx, children: string[]): Promise<void> {
  await sql`delete from feature_dependencies where child = any(${children})`.execute(tx);
}

/** Returns the names of the active features of the project that have no parents. */
export async function listPossibleParents(db: Reader, project: string, child: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from features
    where project = ${project} and archived_at is null and name <> ${child}
      and not exists (select from feature_dependencies where child = features.name)
    order by name`.execute(db);
  return rows.map(row => row.name);
}

export async function hasDependencies(db: Reader, project: string): Promise<boolean> {
  const { rows } = await sql`
    select from feature_dependencies join features on features.name = child
    where features.project = ${project} limit 1`.execute(db);
  return rows.length > 0;
}
