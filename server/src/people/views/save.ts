import { exceedsLimit, notFound } from '@halyard/plane/platform/errors.ts';
import type { Tx } from '../../platform/db/database.ts';
import { MAX_VIEWS, type SavedView, type SavedViewInput } from './schema.ts';
import { deleteUserViews, deleteView, insertView, lockAndCountViews, updateView } from './store.ts';

// Changes to saved views record no events, because they affect nobody else, and because a query can name projects that readers of
// the event log cannot see.

const trimName = (input: SavedViewInput): SavedViewInput => ({ ...input, name: input.name.trim() });

export async function addView(tx: Tx, userId: number, input: SavedViewInput): Promise<SavedView> {
  if ((await lockAndCountViews(tx, userId)) >= MAX_VIEWS)
    throw exceedsLimit(`A user can have at most ${MAX_VIEWS} saved views. Delete one first.`);
  return await insertView(tx, userId, trimName(input));
}

export async function changeView(
  tx: Tx,
  userId: number,
  id: number,
  input: SavedViewInput,
): Promise<SavedView> {
  const view = await updateView(tx, userId, id, trimName(input));
  if (!view) throw notFound(`Saved view ${id}`);
  return view;
}

export async function removeView(tx: Tx, userId: number, id: number): Promise<void> {
  if (!(await deleteView(tx, userId, id))) throw notFound(`Saved view ${id}`);
}

/** Deletes the views of users, as part of the change that deletes the users. */
export async function removeUserViews(tx: Tx, userIds: number[]): Promise<void> {
  await deleteUserViews(tx, userIds);
}
