import { type RawBuilder, sql } from 'kysely';
import { type IntegrationRow, listIntegrationsOf } from '../../delivery/integrations/store.ts';
import type { Reader, Tx } from '../../platform/db/database.ts';
import { CREATORS_OF_WRITTEN, EVENT_COLUMNS, type EventRow } from '../../record/events/store.ts';

/** Two imports at the same time would both create what is missing, and record it twice. */
export async function lockImports(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('import'))`.execute(tx);
}

export async function lockRows(tx: Tx, rows: RawBuilder<unknown>): Promise<void> {
  await sql`select from ${rows} for update`.execute(tx);
}

/** What an import wrote for an item: the digest of its state, the rules that it violates, and in which environments. */
export type Mark = { key: string; digest: string; problems: string[]; environments: string[] };

export async function findMarks(db: Reader, kind: string, keys: string[]): Promise<Map<string, Mark>> {
  const { rows } = await sql<Mark>`
    select key, digest, problems, environments from imported where kind = ${kind} and key = any(${keys})`.execute(
    db,
  );
  return new Map(rows.map(row => [row.key, row]));
}

export async function upsertMarks(tx: Tx, kind: string, marks: Mark[]): Promise<void> {
  await sql`
    insert into imported (kind, key, digest, problems, environments)
    select ${kind}, key, digest, problems, environments
    from jsonb_to_recordset(${JSON.stringify(marks)}::jsonb) as given (
      key text, digest text, problems text[], environments text[])
    order by key
    on conflict (kind, key) do update set digest = excluded.digest, problems = excluded.problems,
      environments = excluded.environments, imported_at = now()
    where (imported.digest, imported.problems) is distinct from (excluded.digest, excluded.problems)`.execute(
    tx,
  );
}

export async function deleteMarks(tx: Tx, kind: string, keys: string[]): Promise<void> {
  await sql`delete from imported where kind = ${kind} and key = any(${keys})`.execute(tx);
}

/** The keys of all imported items of this kind after the given key, in order. */
export async function listMarkedKeys(
  db: Reader,
  kind: string,
  after: string,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    select key from imported where kind = ${kind} and key > ${after}
    order by key limit ${limit}`.execute(db);
  return rows.map(row => row.key);
}

export async function findIntegrations(db: Reader, ids: number[]): Promise<IntegrationRow[]> {
  return await listIntegrationsOf(db, ids);
}

/** When the first item of this kind was imported. */
export async function findImportTime(db: Reader, kind: string): Promise<string | undefined> {
  const { rows } = await sql<{ since: string | null }>`
    select min(imported_at) as since from imported where kind = ${kind}`.execute(db);
  return rows[0]?.since ?? undefined;
}

export async function listFeatureNames(db: Reader, after: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from features where name > ${after} order by name limit ${limit}`.execute(db);
  return rows.map(({ name }) => name);
}

/** Features that were imported and no longer exist. */
export async function listFeaturesOnlyMarked(db: Reader): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    select key from imported where kind = 'features' and not exists (select from features where name = key)
    order by key`.execute(db);
  return rows.map(({ key }) => key);
}

export async function listEventsSince(
  db: Reader,
  time: string,
  exceptBy: string,
  afterId: number,
  limit: number,
): Promise<EventRow[]> {
  const { rows } = await sql<EventRow>`
    select ${EVENT_COLUMNS} from events
    where id > ${afterId} and created_at >= ${time} and created_by <> ${exceptBy}
    order by id limit ${limit}`.execute(db);
  return rows;
}

/** Part of a statement: stores who wrote the events in `written`. */
export const CREATORS = CREATORS_OF_WRITTEN;
