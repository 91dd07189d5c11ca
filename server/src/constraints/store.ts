import { sql } from 'kysely';
import type { Reader } from '../db/database.ts';

/** The legal values of those named fields that have any. A field of a project counts in that project only. */
export async function listLegalValues(
  db: Reader,
  names: string[],
  project: string | null,
): Promise<Map<string, string[]>> {
  const { rows } = await sql<{ name: string; legalValues: string[] }>`
    select name, array(select legal ->> 'value' from jsonb_array_elements(legal_values) as legal) as "legalValues"
    from context_fields
    where name = any(${names}) and legal_values <> '[]' and (project is null or project = ${project})`.execute(
    db,
  );
  return new Map(rows.map(row => [row.name, row.legalValues]));
}
