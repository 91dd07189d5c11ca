import { sql } from 'kysely';
import type { Reader } from '../../platform/db/database.ts';

export type PlaceOfChanges = { environment: string; type: string };

export async function listPlaces(db: Reader, project: string): Promise<PlaceOfChanges[]> {
  const { rows } = await sql<PlaceOfChanges>`
    select environments.name as environment, environments.type
    from project_environments join environments on environments.name = environment_name
    where project_id = ${project}
    order by environments.sort_order, environments.name`.execute(db);
  return rows;
}
