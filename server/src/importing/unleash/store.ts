import { sql } from 'kysely';
import { type IntegrationRow, listIntegrationsOf } from '../../delivery/integrations/store.ts';
import type { Reader, Tx } from '../../platform/db/database.ts';

/** What an import wrote of something: the digest of its state, and the rules that it violates. */
export type Mark = { key: string; digest: string; problems: string[] };

export async function findMarks(db: Reader, kind: string, keys: string[]): Promise<Map<string, Mark>> {
  const { rows } = await sql<Mark>`
    select key, digest, problems from imported where kind = ${kind} and key = any(${keys})`.execute(db);
  return new Map(rows.map(row => [row.key, row]));
}

export async function upsertMarks(tx: Tx, kind: string, marks: Mark[]): Promise<void> {
  await sql`
    insert into imported (kind, key, digest, problems)
    select ${kind}, key, digest, problems
    from jsonb_to_recordset(${JSON.stringify(marks)}::jsonb) as given (key text, digest text, problems text[])
    order by key
    on conflict (kind, key) do update set digest = excluded.digest, problems = excluded.problems, imported_at = now()
    where (imported.digest, imported.problems) is distinct from (excluded.digest, excluded.problems)`.execute(
    tx,
  );
}

export async function deleteMarks(tx: Tx, kind: string, keys: string[]): Promise<void> {
  await sql`delete from imported where kind = ${kind} and key = any(${keys})`.execute(tx);
}

/** The keys of everything of this kind that was imported, after a key, in order. */
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
