import { exceedsLimit, notFound } from '@halyard/plane/platform/errors.ts';
import { requireUser } from '../../access/caller.ts';
import { requireInProject } from '../../access/guard.ts';
import type { Change } from '../../record/change.ts';
import { lockProject } from '../projects/store.ts';
import { MAX_PROJECT_VIEWS, type ProjectView, type ProjectViewInput } from './schema.ts';
import { countViews, deleteView, insertView, lockView } from './store.ts';

export async function shareView(
  { tx, actor, record }: Change,
  project: string,
  input: ProjectViewInput,
): Promise<ProjectView> {
  const userId = requireUser(actor);
  // The lock keeps two simultaneous requests from exceeding the limit together.
  if (!(await lockProject(tx, project))) throw notFound(`Project "${project}"`);
  if ((await countViews(tx, project)) >= MAX_PROJECT_VIEWS)
    throw exceedsLimit(`A project can have at most ${MAX_PROJECT_VIEWS} shared views. Delete one first.`);
  const view = await insertView(tx, project, userId, { ...input, name: input.name.trim() });
  record({ type: 'project-view-created', project, data: asEventData(view) });
  return view;
}

/**
 * Stops sharing a view. The user who shared the view may always do so, and everybody else needs the permission to update the
 * project.
 */
export async function unshareView({ tx, actor, record }: Change, project: string, id: number): Promise<void> {
  const view = await lockView(tx, project, id);
  if (!view) throw notFound(`View ${id} of project "${project}"`);
  if (actor.kind !== 'user' || view.createdByUserId !== actor.userId)
    await requireInProject(tx, actor, project, ['UPDATE_PROJECT']);
  await deleteView(tx, id);
  record({ type: 'project-view-deleted', project, preData: asEventData(view) });
}

const asEventData = ({ id, name, page, query }: ProjectView) => ({ id, name, page, query });
