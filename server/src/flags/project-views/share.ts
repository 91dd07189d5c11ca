import { isDeepStrictEqual } from 'node:util';
import { exceedsLimit, notFound } from '@halyard/plane/platform/errors.ts';
import { requireUser } from '../../access/caller.ts';
import { requireInProject } from '../../access/guard.ts';
import type { Change } from '../../record/change.ts';
import { lockProject } from '../projects/store.ts';
import { MAX_PROJECT_VIEWS, type ProjectView, type ProjectViewInput } from './schema.ts';
import { countViews, deleteView, insertView, lockView, updateView } from './store.ts';

export async function shareView(
  { tx, actor, record }: Change,
  project: string,
  input: ProjectViewInput,
): Promise<ProjectView> {
  const userId = requireUser(actor);
  // Without the lock, two simultaneous requests could together exceed the limit.
  if (!(await lockProject(tx, project))) throw notFound(`Project "${project}"`);
  if ((await countViews(tx, project)) >= MAX_PROJECT_VIEWS)
    throw exceedsLimit(`A project can have at most ${MAX_PROJECT_VIEWS} shared views. Delete one first.`);
  const view = await insertView(tx, project, userId, { ...input, name: input.name.trim() });
  record({ type: 'project-view-created', project, data: toEventData(view) });
  return view;
}

export async function changeSharedView(
  current: Change,
  project: string,
  id: number,
  input: ProjectViewInput,
): Promise<ProjectView> {
  const { tx, record } = current;
  const before = await lockChangeableView(current, project, id);
  const view = await updateView(tx, id, { ...input, name: input.name.trim() });
  if (isDeepStrictEqual(view, before)) return view;
  record({
    type: 'project-view-updated',
    project,
    preData: toEventData(before),
    data: toEventData(view),
  });
  return view;
}

export async function unshareView(current: Change, project: string, id: number): Promise<void> {
  const view = await lockChangeableView(current, project, id);
  await deleteView(current.tx, id);
  current.record({ type: 'project-view-deleted', project, preData: toEventData(view) });
}

/**
 * Locks a view that the caller may change: either the caller shared it or has permission to update the project. A scoped token
 * always needs the permission.
 */
async function lockChangeableView({ tx, actor }: Change, project: string, id: number): Promise<ProjectView> {
  const view = await lockView(tx, project, id);
  if (!view) throw viewNotFound(project, id);
  const isOwn = actor.kind === 'user' && view.createdByUserId === actor.userId;
  if (!isOwn || actor.scope !== undefined) await requireInProject(tx, actor, project, ['UPDATE_PROJECT']);
  return view;
}

export const viewNotFound = (project: string, id: number | string) =>
  notFound(`Shared view ${id} of project "${project}"`);

const toEventData = ({ id, name, page, query }: ProjectView) => ({ id, name, page, query });
