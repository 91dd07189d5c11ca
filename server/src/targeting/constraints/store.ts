import { sql } from 'kysely';
import type { Reader } from '../../platform/db/database.ts';

export type RestrictedField = { name: string; legalValues: string[]; inOtherProject: boolean };

/** Lists the named context fields that restrict constraints, because they have legal values or belong to a project. */
export async function listRestrictedFields(
  db: Reader,
  names: string[],
  project: string | null,
): Promise<RestrictedField[]> {
  const { rows } = await sql<RestrictedField>`
    select name, array(select legal ->> 'value' from jsonb_array_elements(legal_values) as legal) as "legalValues",
      project is not null and project is distinct from ${project} as "inOtherProject"
    from context_fields
    where name = any(${names}) and (legal_values <> '[]' or project is not null)`.execute(db);
  return rows;
}
