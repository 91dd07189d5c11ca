import { revokeTokensOfProject } from '../../people/api-tokens/revoke.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { invalidOperation, notFound } from '../../platform/errors.ts';
import { change } from '../../record/change.ts';
import { removeContextFieldsOfProject } from '../../targeting/context/remove.ts';
import { removeSegmentsOfProject } from '../../targeting/segments/remove.ts';
import { refuseActiveFeatures, removeFeaturesOfProject } from '../features/in-project.ts';
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
    await removeFeaturesOfProject({ tx, actor, record }, id);
    await removeSegmentsOfProject({ tx, actor, record }, id);
    await removeContextFieldsOfProject({ tx, actor, record }, id);
    await revokeTokensOfProject({ tx, actor, record }, id);
    await deleteProject(tx, id);
    record({ type: 'project-deleted', project: id, preData: asEventData(project) });
  });
}
