import type { Actor } from '../actor.ts';
import { change } from '../change.ts';
import type { Db } from '../db/database.ts';
import { checkLegalValues } from './legal-values.ts';
import type { ContextField, NewContextField } from './schema.ts';
import { insertContextField } from './store.ts';

const DEFAULT_SORT_ORDER = 10;

export async function createContextField(
  db: Db,
  actor: Actor,
  input: NewContextField,
): Promise<ContextField> {
  const legalValues = checkLegalValues(input.legalValues ?? []);
  return await change(db, actor, async ({ tx, record }) => {
    const field = await insertContextField(tx, {
      name: input.name,
      description: input.description ?? null,
      stickiness: input.stickiness ?? false,
      sortOrder: input.sortOrder ?? DEFAULT_SORT_ORDER,
      legalValues,
    });
    record({ type: 'context-field-created', data: asEventData(field) });
    return field;
  });
}

/** What events tell of a field: all that someone wrote, so that any past state can be rebuilt. */
export function asEventData({ createdAt: _, ...fields }: ContextField): object {
  return fields;
}
