import { ApiError } from '../../platform/errors.ts';
import type { Change } from '../../record/change.ts';
import { checkLegalValues } from './legal-values.ts';
import type { NewContextField } from './schema.ts';
import { type ContextFieldRow, insertContextFields, isUsedOutsideProject } from './store.ts';

const DEFAULT_SORT_ORDER = 10;

/** Creates a field for one project, or with `project` null for all projects. */
export async function createContextField(
  current: Change,
  input: NewContextField,
  project: string | null = null,
): Promise<void> {
  const { name } = input;
  if (project !== null && (await isUsedOutsideProject(current.tx, name, project))) {
    throw new ApiError(
      'ConflictError',
      `Constraints outside project "${project}" already use the name "${name}". Create the context field for all projects.`,
    );
  }
  await createContextFields(current, [input], project);
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

/** Events contain every field that a user writes, so that any past state can be rebuilt. */
export function asEventData({ createdAt: _, ...fields }: ContextFieldRow): object {
  return fields;
}
