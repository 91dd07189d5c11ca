import { sql } from 'kysely';
import type { Constraint } from '../../../targeting/constraints/schema.ts';
import { optionalText, parseList, parseTime, readBatches, type Source, toText } from '../source/source.ts';
import { asConstraint, findConstraintProblems, type Rules, readRules } from './constraints.ts';
import { type Kind, toPreservedId } from './kind.ts';
import { rejectedProblem, toJsonRows } from './vocabulary.ts';

export type SegmentState = {
  name: string;
  description: string | null;
  project: string | null;
  constraints: Constraint[];
};

const COLUMNS = [
  'id',
  'name',
  'description',
  'segment_project_id',
  'constraints',
  'created_by',
  'created_at',
];

/** Segments are identified by name, because their ids may already be taken in Halyard. */
export type SegmentNames = ReadonlyMap<number, string>;

export async function readSegmentNames(source: Source): Promise<SegmentNames> {
  const names = new Map<number, string>();
  for await (const rows of readBatches(source, { table: 'segments', columns: ['id', 'name'], orderBy: 'id' }))
    for (const row of rows) names.set(Number(row.id), toText(row.name));
  return names;
}

export const SEGMENTS: Kind<SegmentState> = {
  name: 'segments',
  async *read({ source, isRejected }) {
    const rules: Rules = await readRules(source);
    for await (const rows of readBatches(source, { table: 'segments', columns: COLUMNS, orderBy: 'id' })) {
      const items = [];
      for (const row of rows) {
        const name = toText(row.name);
        const project = optionalText(row.segment_project_id);
        const constraints = parseList(row.constraints).map(asConstraint);
        const problems = await findConstraintProblems(constraints, rules);
        if (project !== null && isRejected('projects', project))
          problems.push(rejectedProblem(`its project "${project}" was not imported`));
        items.push({
          key: name,
          id: toPreservedId(row.id),
          createdAt: parseTime(row.created_at),
          state: { name, description: optionalText(row.description), project, constraints },
          problems,
        });
      }
      yield items;
    }
  },
  rowsToLock: keys => sql`segments where name = any(${keys}) order by id`,
  async find(db, keys) {
    const { rows } = await sql<SegmentState>`
      select name, description, project, constraints from segments
      where name = any(${keys}) order by name`.execute(db);
    return new Map(rows.map(row => [row.name, row]));
  },
  /** Segments keep their ids, which SDKs see, unless a different segment in Halyard has the id. */
  async write(tx, items) {
    // New ids start after all imported ids, so that none collides with another segment in the batch.
    await sql`
      select setval(pg_get_serial_sequence('segments', 'id'),
        greatest(max(id), ${Math.max(1, ...items.map(({ id = 0 }) => id))})) from segments`.execute(tx);
    await sql`
      insert into segments (id, name, description, project, constraints, created_at, created_by)
      overriding system value
      select case when exists (select from segments where segments.id = given.id) or given.id is null
          then nextval(pg_get_serial_sequence('segments', 'id')) else given.id end,
        name, description, project, constraints, coalesce("createdAt", now()), 'import from Unleash'
      from jsonb_to_recordset(${toJsonRows(items)}::jsonb) as given (
        id integer, name text, description text, project text, constraints jsonb, "createdAt" timestamptz)
      order by name
      on conflict (name) do update set description = excluded.description, project = excluded.project,
        constraints = excluded.constraints`.execute(tx);
  },
  event: (state, stateBefore) => ({
    type: 'segment-import',
    project: state.project,
    data: state,
    preData: stateBefore ?? null,
  }),
};
