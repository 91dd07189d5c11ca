import { sql } from 'kysely';
import type { Reader, Tx } from '../../platform/db/database.ts';
import type { Dependency } from './schema.ts';

/** Names of what depends on `features`. */
export const CHILDREN = sql`array(
  select child from feature_dependencies where parent = features.name order by child
)`;

/** Adds the parents, or replaces what is asked of them. */
export async function upsertDependencies(tx: Tx, rows: (Dependency & { child: string })[]): Promise<void> {
  await sql`
    insert into feature_dependencies (child, parent, enabled, variants)
    select child, feature, enabled, variants from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as wanted (
      child text, feature text, enabled boolean, variants jsonb)
    on conflict (child, parent) do update set enabled = excluded.enabled, variants = excluded.variants`.execute(
    tx,
  );
}

export async function deleteDependency(tx: Tx, child: string, parent: string): Promise<void> {
  await tx
    .deleteFrom('feature_dependencies')
    .where('child', '=', child)
    .where('parent', '=', parent)
    .execute();
}

/** Takes all parents from the features. */
export async function deleteDependencies(tx: Tx, children: string[]): Promise<void> {
  await sql`delete from feature_dependencies where child = any(${children})`.execute(tx);
}

/** Active features of the project that have no parent themselves, by name. */
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
