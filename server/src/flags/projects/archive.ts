import { invalidOperation, notFound } from '../../../../plane/src/platform/errors.ts';
import { revokeTokensOfProject } from '../../people/api-tokens/revoke.ts';
import type { Change } from '../../record/change.ts';
import { removeContextFieldsOfProject } from '../../targeting/context/remove.ts';
import { removeSegmentsOfProject } from '../../targeting/segments/remove.ts';
import { rejectActiveFeatures, removeFeaturesOfProject } from '../features/in-project.ts';
import { asEventData } from './create.ts';
import { deleteProject, lockProject, setArchived } from './store.ts';

const DEFAULT = 'default';

/** Archives or revives a project. Repeating the call changes nothing. */
export async function archiveProject({ tx, record }: Change, id: string, archived: boolean): Promise<void> {
  if (id === DEFAULT) throw invalidOperation('The default project is always active and cannot be archived.');
  const project = await lockProject(tx, id);
  if (!project) throw notFound(`Project "${id}"`);
  if ((project.archivedAt !== null) === archived) return;
  if (archived) await rejectActiveFeatures(tx, id);
  await setArchived(tx, id, archived);
  record({ type: archived ? 'project-archived' : 'project-revived', project: id });
}

/** Deletes the project with its grants, and revokes the tokens that give access to no other project. */
export async function removeProject(current: Change, id: string): Promise<void> {
  const { tx, record } = current;
  if (id === DEFAULT) throw invalidOperation('The default project cannot be deleted.');
  const project = await lockProject(tx, id);
  if (!project) throw notFound(`Project "${id}"`);
  await rejectActiveFeatures(tx, id);
  await removeFeaturesOfProject(current, id);
  await removeSegmentsOfProject(current, id);
  await removeContextFieldsOfProject(current, id);
  await revokeTokensOfProject(current, id);
  await deleteProject(tx, id);
  record({ type: 'project-deleted', project: id, preData: asEventData(project) });
}
