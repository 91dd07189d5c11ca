import type { Actor } from '../actor.ts';
import { change } from '../change.ts';
import type { Db } from '../db/database.ts';
import { notFound } from '../errors.ts';
import { asEventData } from './create.ts';
import { deleteContextField, lockContextField } from './store.ts';

export async function removeContextField(db: Db, actor: Actor, name: string): Promise<void> {
  await change(db, actor, async ({ tx, record }) => {
    const field = await lockContextField(tx, actor, name);
    if (!field) throw notFound(`Context field ${name}`);
    await deleteContextField(tx, name);
    record({ type: 'context-field-deleted', preData: asEventData(field) });
  });
}
