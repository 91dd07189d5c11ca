import { type RawBuilder, sql } from 'kysely';
import { type IntegrationRow, listIntegrationsById } from '../../delivery/integrations/store.ts';
import type { Reader, Tx } from '../../platform/db/database.ts';
import { EVENT_COLUMNS, type EventRow } from '../../record/events/store.ts';
import type { FeatureState } from './kinds/features.ts';

export { INSERT_CREATORS } from '../../record/events/store.ts';

/** Prevents simultaneous imports, because both would create what is missing and record it twice. */
export async function lockImports(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('import'))`.execute(tx);
}

export async function lockRows(tx: Tx, rows: RawBuilder<unknown>): Promise<void> {
  await sql`select from ${rows} for update`.execute(tx);
}

/** The digest of the state that an import wrote for an item, with the rules that the state violates and their environments. */
export type ImportMark = { key: string; digest: string; problems: string[]; environments: string[] };

export async function findMarks(db: Reader, kind: string, keys: string[]): Promise<Map<string, ImportMark>> {
  const { rows } = await sql<ImportMark>`
    select key, digest, problems, environments from imported
    where kind = ${kind} and key = any(${keys})`.execute(db);
  return new Map(rows.map(row => [row.key, row]));
}

export async function upsertMarks(tx: Tx, kind: string, marks: ImportMark[]): Promise<void> {
  await sql`
    insert into imported (kind, key, digest, problems, environments)
    select ${kind}, key, digest, problems, environments
    from jsonb_to_recordset(${JSON.stringify(marks)}::jsonb) as given (
      key text, digest text, problems text[], environments text[])
    order by key
    on conflict (kind, key) do update set digest = excluded.digest, problems = excluded.problems,
      environments = excluded.environments, imported_at = now()
    where (imported.digest, imported.problems)
      is distinct from (excluded.digest, excluded.problems)`.execute(tx);
}

export async function deleteMarks(tx: Tx, kind: string, keys: string[]): Promise<void> {
  await sql`delete from imported where kind = ${kind} and key = any(${keys})`.execute(tx);
}

/** Returns the keys of imported items of this kind that come after `lastKey`, in order. */
export async function listMarkedKeys(
  db: Reader,
  kind: string,
  lastKey: string,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    select key from imported where kind = ${kind} and key > ${lastKey}
    order by key limit ${limit}`.execute(db);
  return rows.map(row => row.key);
}

export async function findIntegrations(db: Reader, ids: number[]): Promise<IntegrationRow[]> {
  return await listIntegrationsById(db, ids);
}

export async function hasMarks(db: Reader, kind: string): Promise<boolean> {
  const { rows } = await sql`select from imported where kind = ${kind} limit 1`.execute(db);
  return rows.length > 0;
}

export async function listMarks(db: Reader, kind: string): Promise<{ key: string; digest: string }[]> {
  const { rows } = await sql<{ key: string; digest: string }>`
    select key, digest from imported where kind = ${kind} order by key`.execute(db);
  return rows;
}

/** Returns the features as an import last wrote them. Features that already matched on the first import are missing. */
export async function listImportedStates(
  db: Reader,
  importActor: string,
  names: string[],
): Promise<Map<string, FeatureState>> {
  const { rows } = await sql<{ state: FeatureState | null }>`
    select distinct on (feature_name) data as state from events
    where feature_name = any(${names}) and type = 'feature-import' and id > 0 and created_by = ${importActor}
    order by feature_name, id desc`.execute(db);
  return new Map(rows.flatMap(({ state }) => (state === null ? [] : [[state.name, state]])));
}

/** Returns the environments of each project as an import last wrote them. */
export async function listImportedEnvironments(
  db: Reader,
  importActor: string,
): Promise<Map<string, string[]>> {
  const { rows } = await sql<{ project: string; environments: string[] }>`
    select distinct on (data ->> 'id') data ->> 'id' as project, data -> 'environments' as environments from events
    where type = 'project-import' and id > 0 and created_by = ${importActor}
    order by data ->> 'id', id desc`.execute(db);
  return new Map(rows.map(({ project, environments }) => [project, environments]));
}

/** Returns the keys of the dependencies that these flags have or had when they were imported, in order. */
export async function listDependencyKeys(db: Reader, children: string[]): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    select child || ' → ' || parent as key from feature_dependencies where child = any(${children})
    union
    select key from imported where kind = 'dependencies' and split_part(key, ' → ', 1) = any(${children})
    order by key`.execute(db);
  return rows.map(({ key }) => key);
}

export async function listFeatureNames(db: Reader, lastName: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from features where name > ${lastName} order by name limit ${limit}`.execute(db);
  return rows.map(({ name }) => name);
}

/** Returns the features that were imported and no longer exist. */
export async function listDeletedFeatures(db: Reader): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    select key from imported where kind = 'features' and not exists (select from features where name = key)
    order by key`.execute(db);
  return rows.map(({ key }) => key);
}

/** Events that nobody would repeat in Unleash, because they change no data or concern functionality that only Halyard has. */
const NOT_REPEATED =
  '^(feature-owners-|features-exported|(feature|project)-(un)?favorited|application-|health-|integration-|project-view-|user-(preference|password|sessions|identity)-|login-)';

/**
 * Returns events by people and tokens, about one of these features or about no feature. It omits what an import replaced later,
 * and changes to maintenance mode.
 */
export async function listEventsSinceImport(
  db: Reader,
  importActor: string,
  features: string[],
  afterId: number,
  limit: number,
): Promise<EventRow[]> {
  const { rows } = await sql<EventRow>`
    select ${EVENT_COLUMNS} from events
    where id > greatest(${afterId}, coalesce((select min(id) from events where id > 0 and type = 'feature-import' and created_by = ${importActor}), 0))
      and (feature_name is null or feature_name = any(${features}))
      and coalesce(created_by_kind, '') <> 'system' and created_by <> ${importActor}
      and not exists (select from imported where kind = 'features' and key = feature_name and imported_at > created_at)
      and type !~ ${NOT_REPEATED} and not (type = 'setting-updated' and data ->> 'id' = 'maintenance.mode')
      and not exists (
        select from events as later
        where later.id > events.id and later.created_by = ${importActor} and case
          when events.feature_name is not null then later.feature_name = events.feature_name and later.type = 'feature-import'
          else later.feature_name is null and later.created_by_kind = 'system'
            and split_part(later.type, '-', 1) = split_part(events.type, '-', 1)
            and later.project is not distinct from events.project
            and (later.data ->> 'name' in (events.data ->> 'name', events.pre_data ->> 'name') or later.type = 'project-import')
        end)
    order by id limit ${limit}`.execute(db);
  return rows;
}
