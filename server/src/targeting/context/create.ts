import { ApiError, nameExists } from '@halyard/plane/platform/errors.ts';
import type { Reader } from '../../platform/db/database.ts';
import type { Change } from '../../record/change.ts';
import { checkLegalValues } from './legal-values.ts';
import type { NewContextField } from './schema.ts';
import { type ContextFieldRow, insertContextFields, isNameTaken, isUsedOutsideProject } from './store.ts';

const DEFAULT_SORT_ORDER = 10;

/** Creates a field for one project, or for all projects if `project` is null. */
export async function createContextField(
  current: Change,
  input: NewContextField,
  project: string | null = null,
): Promise<void> {
  await rejectUseOutsideProject(current.tx, input.name, project);
  await createContextFields(current, [input], project);
}

/** Rejects a name that a context field already has, or that constraints outside the project use. */
export async function rejectUnavailableName(db: Reader, name: string, project: string | null): Promise<void> {
  if (await isNameTaken(db, name)) throw nameExists(`Context field "${name}"`);
  await rejectUseOutsideProject(db, name, project);
}

async function rejectUseOutsideProject(db: Reader, name: string, project: string | null): Promise<void> {
  if (project === null || !(await isUsedOutsideProject(db, name, project))) return;
  // If the constraints refer to a field of a different project, even a field for all projects cannot have the name.
  if (await isNameTaken(db, name)) throw nameExists(`Context field "${name}"`);
  throw new ApiError(
    'ConflictError',
    `Constraints outside project "${project}" already use the name "${name}". Create the context field for all projects.`,
  );
}

/** Creates fields that nothing outside the project uses yet. */
export async function createContextFields(
  { tx, record }: Change,
  inputs: NewContextField[],
  project: string | null,
): Promise<void> {
  if (inputs.length === 0) return;
  const rows = inputs.map(({ name, description, stickiness, sortOrder, legalValues }) => ({
    name,
    description: description ?? null,
    stickiness: stickiness ?? false,
    sortOrder: sortOrder ?? DEFAULT_SORT_ORDER,
    legalValues: checkLegalValues(legalValues ?? []),
    project,
  }));
  await insertContextFields(tx, rows);
  for (const data of rows) record({ type: 'context-field-created', project, data });
}

/** Returns everything about a field that users can write, so that any past state can be rebuilt from events. */
export function toEventData({ createdAt: _, ...fields }: ContextFieldRow): object {
  return fields;
}
