import type { Actor } from '../actor.ts';
import { type Change, change } from '../change.ts';
import type { Db } from '../db/database.ts';
import { checkLegalValues } from './legal-values.ts';
import type { ContextField, NewContextField } from './schema.ts';
import { insertContextFields } from './store.ts';

const DEFAULT_SORT_ORDER = 10;

export async function createContextField(
  db: Db,
  actor: Actor,
  input: NewContextField,
): Promise<ContextField> {
  return await change(db, actor, async current => {
    const [field] = await addContextFields(current, [input]);
    if (!field) throw new Error(`Context field ${input.name} was added and is not there`);
    return field;
  });
}

/** Part of a change. */
export async function addContextFields(
  { tx, record }: Change,
  inputs: NewContextField[],
): Promise<ContextField[]> {
  if (inputs.length === 0) return [];
  const added = await insertContextFields(
    tx,
    inputs.map(({ name, description, stickiness, sortOrder, legalValues }) => ({
      name,
      description: description ?? null,
      stickiness: stickiness ?? false,
      sortOrder: sortOrder ?? DEFAULT_SORT_ORDER,
      legalValues: checkLegalValues(legalValues ?? []),
    })),
  );
  for (const field of added) record({ type: 'context-field-created', data: asEventData(field) });
  return added;
}

/** What events tell of a field: all that someone wrote, so that any past state can be rebuilt. */
export function asEventData({ createdAt: _, ...fields }: ContextField): object {
  return fields;
}
