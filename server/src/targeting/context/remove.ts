import type { Db } from '../../platform/db/database.ts';
import { notFound } from '../../platform/errors.ts';
import { type Change, change } from '../../record/change.ts';
import { asEventData } from './create.ts';
import { deleteContextField, deleteContextFieldsOfProject, lockContextField, type Place } from './store.ts';

/** Deletes a field, in use or not: constraints that name it go on as they are. */
export async function removeContextField(db: Db, place: Place, name: string): Promise<void> {
  await change(db, place.actor, async ({ tx, record }) => {
    const field = await lockContextField(tx, place, name);
    if (!field) throw notFound(`Context field ${name}`);
    await deleteContextField(tx, name);
    record({ type: 'context-field-deleted', project: field.project, preData: asEventData(field) });
  });
}

/** Part of a change that deletes a project: the fields that were its own go with it. */
export async function removeContextFieldsOfProject({ tx, record }: Change, project: string): Promise<void> {
  for (const field of await deleteContextFieldsOfProject(tx, project)) {
    record({ type: 'context-field-deleted', project, preData: asEventData(field) });
  }
}
