import { notFound } from '@halyard/plane/platform/errors.ts';
import type { Change } from '../../record/change.ts';
import { toEventData } from './create.ts';
import { deleteContextField, deleteProjectContextFields, lockContextField } from './store.ts';

/** Deletes a field even if constraints use it. Those constraints do not change. */
export async function removeContextField(
  { tx, actor, record }: Change,
  project: string | undefined,
  name: string,
): Promise<void> {
  const field = await lockContextField(tx, { actor, project }, name);
  if (!field) throw notFound(`Context field "${name}"`);
  await deleteContextField(tx, name);
  record({ type: 'context-field-deleted', project: field.project, preData: toEventData(field) });
}

export async function removeProjectContextFields({ tx, record }: Change, project: string): Promise<void> {
  for (const field of await deleteProjectContextFields(tx, project))
    record({ type: 'context-field-deleted', project, preData: toEventData(field) });
}
