import type { Actor } from '../actor.ts';
import { change } from '../change.ts';
import type { Db, Reader } from '../db/database.ts';
import { ApiError } from '../errors.ts';
import { checkLegalValues } from './legal-values.ts';
import type { ContextField, NewContextField } from './schema.ts';
import { type FieldRow, findContextField, insertContextField, isNamedOutside } from './store.ts';

const DEFAULT_SORT_ORDER = 10;

/** Creates a field for one project, or for all. */
export async function createContextField(
  db: Db,
  actor: Actor,
  input: NewContextField,
  project: string | null = null,
): Promise<ContextField> {
  const { name } = input;
  const legalValues = checkLegalValues(input.legalValues ?? []);
  return await change(db, actor, async ({ tx, record }) => {
    if (project !== null && (await isNamedOutside(tx, name, project))) {
      throw new ApiError(
        'ConflictError',
        `Other projects, or a segment for all of them, name ${name} already. Create it for all projects.`,
      );
    }
    const row = await insertContextField(tx, {
      name,
      description: input.description ?? null,
      stickiness: input.stickiness ?? false,
      sortOrder: input.sortOrder ?? DEFAULT_SORT_ORDER,
      legalValues,
      project,
    });
    record({ type: 'context-field-created', project, data: asEventData(row) });
    return await withUses(tx, actor, row);
  });
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
