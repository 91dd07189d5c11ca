import type { Actor } from '../actor.ts';
import { revokeTokensOfProject } from '../api-tokens/revoke.ts';
import { change } from '../change.ts';
import { removeContextFieldsOfProject } from '../context/remove.ts';
import type { Db } from '../db/database.ts';
import { invalidOperation, notFound } from '../errors.ts';
import { refuseActiveFeatures, removeFeaturesOfProject } from '../features/in-project.ts';
import { removeSegmentsOfProject } from '../segments/remove.ts';
import { asEventData } from './create.ts';
import { deleteProject, lockProject, setArchived } from './store.ts';

const DEFAULT = 'default';

/** Archives or revives; repeating it changes nothing. */
export async function archiveProject(db: Db, actor: Actor, id: string, archived: boolean): Promise<void> {
  if (id === DEFAULT) throw invalidOperation('The default project is always active.');
  await change(db, actor, async ({ tx, record }) => {
    const project = await lockProject(tx, actor, id);
    if (!project) throw notFound(`Project ${id}`);
    if ((project.archivedAt !== null) === archived) return;
    if (archived) await refuseActiveFeatures(tx, id);
    await setArchived(tx, id, archived);
    record({ type: archived ? 'project-archived' : 'project-revived', project: id });
  });
}

/** Deletes the project with its grants, and revokes the tokens that were for it alone. */
export async function removeProject(db: Db, actor: Actor, id: string): Promise<void> {
  if (id === DEFAULT) throw invalidOperation('The default project cannot be deleted.');
  await change(db, actor, async ({ tx, record }) => {
    const project = await lockProject(tx, actor, id);
    if (!project) throw notFound(`Project ${id}`);
    await refuseActiveFeatures(tx, id);
    await removeFeaturesOfProject({ tx, record }, id);
    await removeSegmentsOfProject({ tx, record }, id);
    await removeContextFieldsOfProject({ tx, record }, id);
    await revokeTokensOfProject({ tx, record }, id);
    await deleteProject(tx, id);
    record({ type: 'project-deleted', project: id, preData: asEventData(project) });
  });
}
