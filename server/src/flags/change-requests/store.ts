import { sql } from 'kysely';
import type { Reader } from '../../platform/db/database.ts';

/** An environment of a project and its type. */
export type EnvironmentType = { environment: string; type: string };

export async function listEnvironmentTypes(db: Reader, project: string): Promise<EnvironmentType[]> {
  const { rows } = await sql<EnvironmentType>`
    select environments.name as environment, environments.type
    from project_environments join environments on environments.name = environment_name
    where project_id = ${project}
    order by environments.sort_order, environments.name`.execute(db);
  return rows;
}
