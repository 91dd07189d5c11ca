import { sql } from 'kysely';
import type { Reader } from '../../platform/db/database.ts';

export type NamedField = { name: string; legalValues: string[]; elsewhere: boolean };

/** Those of the named fields that have a say: legal values, or a project that is not the given one. */
export async function listNamedFields(
  db: Reader,
  names: string[],
  project: string | null,
): Promise<NamedField[]> {
  const { rows } = await sql<NamedField>`
    select name, array(select legal ->> 'value' from jsonb_array_elements(legal_values) as legal) as "legalValues",
      project is not null and project is distinct from ${project} as elsewhere
    from context_fields
    where name = any(${names}) and (legal_values <> '[]' or project is not null)`.execute(db);
  return rows;
}
