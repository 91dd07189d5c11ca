import { sql } from 'kysely';
import type { Reader } from '../../platform/db/database.ts';
import type { Constraint } from '../../targeting/constraints/schema.ts';

type ExistingSegment = { name: string; project: string | null; constraints: Constraint[] };

/** Returns the segments with these names, in any project. */
export async function listSegmentsByName(db: Reader, names: string[]): Promise<ExistingSegment[]> {
  const { rows } = await sql<ExistingSegment>`
    select name, project, constraints from segments where name = any(${names}) order by name`.execute(db);
  return rows;
}
