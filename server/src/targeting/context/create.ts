import type { Actor } from '../../platform/actor.ts';
import type { Db, Reader } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/errors.ts';
import { type Change, change } from '../../record/change.ts';
import { checkLegalValues } from './legal-values.ts';
import type { ContextField, NewContextField } from './schema.ts';
import { type FieldRow, findContextField, insertContextFields, isNamedOutside } from './store.ts';

const DEFAULT_SORT_ORDER = 10;

/** Creates a field for one project, or for all. */
export async function createContextField(
  db: Db,
  actor: Actor,
  input: NewContextField,
  project: string | null = null,
): Promise<ContextField> {
  const { name } = input;
  return await change(db, actor, async current => {
    if (project !== null && (await isNamedOutside(current.tx, name, project))) {
      throw new ApiError(
        'ConflictError',
        `Other projects, or a segment for all of them, name ${name} already. Create it for all projects.`,
      );
    }
    const [row] = await addContextFields(current, [input], project);
    if (!row) throw new Error(`Context field ${name} was added and is not there`);
    return await withUses(current.tx, actor, row);
  });
}

/** Part of a change; `project` is where the fields may be used, null: everywhere. */
export async function addContextFields(
  { tx, record }: Change,
  inputs: NewContextField[],
  project: string | null,
): Promise<FieldRow[]> {
  if (inputs.length === 0) return [];
  const added = await insertContextFields(
    tx,
    inputs.map(({ name, description, stickiness, sortOrder, legalValues }) => ({
      name,
      description: description ?? null,
      stickiness: stickiness ?? false,
      sortOrder: sortOrder ?? DEFAULT_SORT_ORDER,
      legalValues: checkLegalValues(legalValues ?? []),
      project,
    })),
  );
  for (const row of added) record({ type: 'context-field-created', project, data: asEventData(row) });
  return added;
}

/** What events tell of a field: all that someone wrote, so that any past state can be rebuilt. */
export function asEventData({ createdAt: _, ...fields }: FieldRow): object {
  return fields;
}

/** Constraints may have named the field before there was one. */
export async function withUses(db: Reader, actor: Actor, row: FieldRow): Promise<ContextField> {
  const field = await findContextField(db, { actor }, row.name);
  if (!field) throw new Error(`Context field ${row.name} vanished in the transaction that wrote it`);
  return field;
}
