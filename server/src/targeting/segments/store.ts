import { sql } from 'kysely';
import { isInReadableProject } from '../../access/store.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Columns, Reader, Tx } from '../../platform/db/database.ts';
import type { StrategyUse } from '../strategy-uses/schema.ts';
import { STRATEGY_USE, STRATEGY_USE_ORDER } from '../strategy-uses/store.ts';
import type { Segment } from './schema.ts';

/** The part of a segment that users write. */
export type SegmentFields = Pick<Segment, 'name' | 'description' | 'project' | 'constraints'>;

/** A segment without its usage counts. */
export type SegmentRow = Omit<Segment, 'usedInFeatures' | 'usedInProjects'>;

const ROW = sql`
  segments.id, segments.name, segments.description, segments.constraints, segments.project,
  segments.created_at as "createdAt", segments.created_by as "createdBy"`;

const USES = sql`
  feature_strategy_segments
  join feature_strategies on feature_strategies.id = feature_strategy_segments.strategy_id
  join features on features.name = feature_strategies.feature_name`;

/** A condition on `segments`. Global segments are visible to everyone, segments of a project to callers who may read it. */
const isVisible = (actor: Actor) => sql<boolean>`(project is null or ${isInReadableProject(actor)})`;

const selectSegments = (actor: Actor) => sql`
  select ${ROW}, used."usedInFeatures", used."usedInProjects"
  from segments cross join lateral (
    select count(distinct features.name) as "usedInFeatures", count(distinct features.project) as "usedInProjects"
    from ${USES}
    where segment_id = segments.id and ${isInReadableProject(actor)}
  ) as used
  where ${isVisible(actor)}`;

export async function listSegments(db: Reader, actor: Actor): Promise<Segment[]> {
  const { rows } = await sql<Segment>`${selectSegments(actor)} order by name`.execute(db);
  return rows;
}

export async function findSegment(db: Reader, actor: Actor, id: number): Promise<Segment | undefined> {
  const { rows } = await sql<Segment>`${selectSegments(actor)} and id = ${id}`.execute(db);
  return rows[0];
}

export async function listStrategySegments(db: Reader, actor: Actor, strategyId: string): Promise<Segment[]> {
  const { rows } = await sql<Segment>`
    ${selectSegments(actor)} and id = any(array(
      select segment_id from ${USES} where strategy_id = ${strategyId} and ${isInReadableProject(actor)}
    ))
    order by name`.execute(db);
  return rows;
}

export async function listStrategiesOfSegment(db: Reader, actor: Actor, id: number): Promise<StrategyUse[]> {
  const { rows } = await sql<StrategyUse>`
    select ${STRATEGY_USE} from ${USES}
    where segment_id = ${id} and ${isInReadableProject(actor)}
    order by ${STRATEGY_USE_ORDER}`.execute(db);
  return rows;
}

/** Locks the segment. Until the transaction ends, it cannot change, and no strategy can start to use it. */
export async function lockSegment(tx: Tx, actor: Actor, id: number): Promise<SegmentRow | undefined> {
  const { rows } = await sql<SegmentRow>`
    select ${ROW} from segments where id = ${id} and ${isVisible(actor)} for update`.execute(tx);
  return rows[0];
}

export async function countSegments(db: Reader): Promise<number> {
  const { count } = await db
    .selectFrom('segments')
    .select(eb => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

export async function isNameTaken(db: Reader, name: string): Promise<boolean> {
  const row = await db.selectFrom('segments').select('id').where('name', '=', name).executeTakeFirst();
  return row !== undefined;
}

/** Returns whether a feature or a default strategy of a different project uses the segment. */
export async function isUsedOutsideProject(tx: Tx, id: number, project: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from ${USES} where segment_id = ${id} and features.project <> ${project}
    union all
    select 1 from project_environments where ${isInDefaultStrategy(id)} and project_id <> ${project}
    limit 1`.execute(tx);
  return rows.length > 0;
}

/** Returns whether a default strategy uses the segment. No foreign key protects those uses. */
export async function isInAnyDefaultStrategy(tx: Tx, id: number): Promise<boolean> {
  const { rows } = await sql`
    select from project_environments where ${isInDefaultStrategy(id)} limit 1`.execute(tx);
  return rows.length > 0;
}

const isInDefaultStrategy = (id: number) =>
  sql<boolean>`default_strategy -> 'segments' @> to_jsonb(${id}::integer)`;

export async function insertSegment(
  tx: Tx,
  fields: SegmentFields,
  createdBy: string,
): Promise<{ id: number; createdAt: string }> {
  return await tx
    .insertInto('segments')
    .values({ ...columns(fields), created_by: createdBy })
    .returning(['id', 'created_at as createdAt'])
    .executeTakeFirstOrThrow();
}

export async function updateSegment(tx: Tx, id: number, fields: SegmentFields): Promise<void> {
  await tx.updateTable('segments').set(columns(fields)).where('id', '=', id).execute();
}

const columns = ({ name, description, project, constraints }: SegmentFields) =>
  ({
    name,
    description,
    project,
    constraints: JSON.stringify(constraints),
  }) satisfies Columns<'segments'>;

/** Locks and returns the segments that the project may use. They cannot be deleted until the transaction ends. */
export async function lockUsableSegmentIds(tx: Tx, project: string, ids: number[]): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from segments where id = any(${ids}) and (project is null or project = ${project})
    order by id for key share`.execute(tx);
  return rows.map(row => row.id);
}

/** Returns the names of segments by their ids. */
export async function readSegmentNames(tx: Tx, ids: number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ id: number; name: string }>`
    select id, name from segments where id = any(${ids})`.execute(tx);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Deletes the segments of the project and returns them. */
export async function deleteProjectSegments(tx: Tx, project: string): Promise<SegmentRow[]> {
  const { rows } =
    await sql<SegmentRow>`delete from segments where project = ${project} returning ${ROW}`.execute(tx);
  return rows;
}

export async function deleteSegment(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('segments').where('id', '=', id).execute();
}
