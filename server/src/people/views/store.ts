import { sql } from 'kysely';
import type { Reader, Tx } from '../../platform/db/database.ts';
import type { SavedView, SavedViewInput } from './schema.ts';

const VIEW = sql`id, name, page, query, created_at as "createdAt", updated_at as "updatedAt"`;

export async function listViews(db: Reader, userId: number): Promise<SavedView[]> {
  const { rows } = await sql<SavedView>`
    select ${VIEW} from user_views where user_id = ${userId} order by name, id`.execute(db);
  return rows;
}

export async function findView(db: Reader, userId: number, id: number): Promise<SavedView | undefined> {
  const { rows } = await sql<SavedView>`
    select ${VIEW} from user_views where user_id = ${userId} and id = ${id}`.execute(db);
  return rows[0];
}

export async function lockView(tx: Tx, userId: number, id: number): Promise<SavedView | undefined> {
  const { rows } = await sql<SavedView>`
    select ${VIEW} from user_views where user_id = ${userId} and id = ${id} for update`.execute(tx);
  return rows[0];
}

/** Locks the user until the transaction ends, so that nobody else adds a view for them, and counts their views. */
export async function lockAndCountViews(tx: Tx, userId: number): Promise<number> {
  await sql`select from users where id = ${userId} for no key update`.execute(tx);
  const { count } = await tx
    .selectFrom('user_views')
    .select(eb => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  return count;
}

export async function insertView(
  tx: Tx,
  userId: number,
  { name, page, query }: SavedViewInput,
): Promise<SavedView> {
  const { rows } = await sql<SavedView>`
    insert into user_views (user_id, name, page, query) values (${userId}, ${name}, ${page}, ${query})
    returning ${VIEW}`.execute(tx);
  const [view] = rows;
  if (!view) throw new Error('The inserted view was not returned');
  return view;
}

/** Updates the view. Returns undefined if the user does not have this view. */
export async function updateView(
  tx: Tx,
  userId: number,
  id: number,
  { name, page, query }: SavedViewInput,
): Promise<SavedView | undefined> {
  const { rows } = await sql<SavedView>`
    update user_views set name = ${name}, page = ${page}, query = ${query}, updated_at = now()
    where user_id = ${userId} and id = ${id} returning ${VIEW}`.execute(tx);
  return rows[0];
}

/** Deletes the view. Returns whether the user had it. */
export async function deleteView(tx: Tx, userId: number, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('user_views')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

export async function deleteUserViews(tx: Tx, userIds: number[]): Promise<void> {
  await sql`delete from user_views where user_id = any(${userIds})`.execute(tx);
}
