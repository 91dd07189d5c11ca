import { sql } from 'kysely';
import type { Reader } from '../../platform/db/database.ts';
import type { Constraint } from '../../targeting/constraints/schema.ts';

type SegmentHere = { name: string; project: string | null; constraints: Constraint[] };

/** The segments with these names, whatever project they belong to. */
export async function listSegmentsNamed(db: Reader, names: string[]): Promise<SegmentHere[]> {
  const { rows } = await sql<SegmentHere>`
    select name, project, constraints from segments where name = any(${names}) order by name`.execute(db);
  return rows;
}
