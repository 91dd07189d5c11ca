import { invalidOperation, notFound } from '@halyard/plane/platform/errors.ts';
import { revokeProjectTokens } from '../../people/api-tokens/revoke.ts';
import type { Change } from '../../record/change.ts';
import { removeProjectContextFields } from '../../targeting/context/remove.ts';
import { removeProjectSegments } from '../../targeting/segments/remove.ts';
import { rejectActiveFeatures, removeArchivedProjectFeatures } from '../features/in-project.ts';
import { toEventData } from './create.ts';
import { deleteProject, lockProject, setArchived } from './store.ts';

const DEFAULT_PROJECT = 'default';

/** Archives or revives a project. Repeating the call changes nothing. */
export async function setProjectArchived(
  { tx, record }: Change,
  id: string,
  archived: boolean,
): Promise<void> {
  if (id === DEFAULT_PROJECT)
    throw invalidOperation('The default project is always active and cannot be archived.');
  const project = await lockProject(tx, id);
  if (!project) throw notFound(`Project "${id}"`);
  if ((project.archivedAt !== null) === archived) return;
  if (archived) await rejectActiveFeatures(tx, id);
  await setArchived(tx, id, archived);
  record({ type: archived ? 'project-archived' : 'project-revived', project: id });
}

/** Deletes the project and its grants, and revokes the tokens that give access to no other project. */
export async function removeProject(current: Change, id: string): Promise<void> {
  const { tx, record } = current;
  if (id === DEFAULT_PROJECT) throw invalidOperation('The default project cannot be deleted.');
  const project = await lockProject(tx, id);
  if (!project) throw notFound(`Project "${id}"`);
  await rejectActiveFeatures(tx, id);
  await removeArchivedProjectFeatures(current, id);
  await removeProjectSegments(current, id);
  await removeProjectContextFields(current, id);
  await revokeProjectTokens(current, id);
  await deleteProject(tx, id);
  record({ type: 'project-deleted', project: id, preData: toEventData(project) });
}
