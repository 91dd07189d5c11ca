import { sql } from 'kysely';
import type { Reader, Tx } from '../../platform/db/database.ts';
import { selectUserName } from '../../record/actor-names.ts';
import type { ProjectView, ProjectViewInput } from './schema.ts';

const VIEW = sql`id, name, page, query, created_by_user_id as "createdByUserId",
  ${selectUserName(sql`created_by_user_id`)} as "createdBy", created_at as "createdAt"`;

export async function listViews(db: Reader, project: string): Promise<ProjectView[]> {
  const { rows } = await sql<ProjectView>`
    select ${VIEW} from project_views where project = ${project} order by name, id`.execute(db);
  return rows;
}

export async function findView(db: Reader, project: string, id: number): Promise<ProjectView | undefined> {
  const { rows } = await sql<ProjectView>`
    select ${VIEW} from project_views where project = ${project} and id = ${id}`.execute(db);
  return rows[0];
}

export async function lockView(tx: Tx, project: string, id: number): Promise<ProjectView | undefined> {
  const { rows } = await sql<ProjectView>`
    select ${VIEW} from project_views where project = ${project} and id = ${id} for update`.execute(tx);
  return rows[0];
}

export async function countViews(db: Reader, project: string): Promise<number> {
  const { count } = await db
    .selectFrom('project_views')
    .select(eb => eb.fn.countAll<number>().as('count'))
    .where('project', '=', project)
    .executeTakeFirstOrThrow();
  return count;
}

export async function insertView(
  tx: Tx,
  project: string,
  userId: number,
  { name, page, query }: ProjectViewInput,
): Promise<ProjectView> {
  const { rows } = await sql<ProjectView>`
    insert into project_views (project, name, page, query, created_by_user_id)
    values (${project}, ${name}, ${page}, ${query}, ${userId}) returning ${VIEW}`.execute(tx);
  const [view] = rows;
  if (!view) throw new Error('The inserted view was not returned');
  return view;
}

export async function updateView(
  tx: Tx,
  id: number,
  { name, page, query }: ProjectViewInput,
): Promise<ProjectView> {
  const { rows } = await sql<ProjectView>`
    update project_views set name = ${name}, page = ${page}, query = ${query} where id = ${id}
    returning ${VIEW}`.execute(tx);
  const [view] = rows;
  if (!view) throw new Error('The updated view was not returned');
  return view;
}

export async function deleteView(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('project_views').where('id', '=', id).execute();
}
