import { isDeepStrictEqual } from 'node:util';
import { exceedsLimit, notFound } from '@halyard/plane/platform/errors.ts';
import type { Change } from '../../record/change.ts';
import { toEventData } from './create.ts';
import { checkLegalValue, checkLegalValues } from './legal-values.ts';
import { type ContextFieldUpdate, type LegalValue, MAX_LEGAL_VALUES } from './schema.ts';
import { type ContextFieldRow, lockContextField, updateContextField } from './store.ts';

/**
 * Updates a field. An omitted description or sort order keeps its value. An omitted stickiness becomes false and omitted legal
 * values become empty, because Unleash clients mean that when they omit them.
 */
export async function changeContextField(
  current: Change,
  project: string | undefined,
  name: string,
  input: ContextFieldUpdate,
): Promise<void> {
  const legalValues = checkLegalValues(input.legalValues ?? []);
  await changeFields(current, project, name, field => ({
    ...field,
    description: input.description === undefined ? field.description : input.description,
    stickiness: input.stickiness ?? false,
    sortOrder: input.sortOrder ?? field.sortOrder,
    legalValues,
  }));
}

/** Appends a legal value, or replaces the description of an existing value. */
export async function setLegalValue(
  current: Change,
  project: string | undefined,
  name: string,
  input: LegalValue,
): Promise<void> {
  const legalValue = checkLegalValue(input);
  await changeFields(current, project, name, field => {
    const exists = field.legalValues.some(({ value }) => value === legalValue.value);
    const legalValues = exists
      ? field.legalValues.map(existing => (existing.value === legalValue.value ? legalValue : existing))
      : [...field.legalValues, legalValue];
    if (legalValues.length > MAX_LEGAL_VALUES) {
      throw exceedsLimit(
        `Context field "${name}" already has ${MAX_LEGAL_VALUES} legal values, the maximum. Delete one first.`,
      );
    }
    return { ...field, legalValues };
  });
}

/** Deletes a legal value. Deleting a value that does not exist changes nothing. */
export async function removeLegalValue(
  current: Change,
  project: string | undefined,
  name: string,
  value: string,
): Promise<void> {
  await changeFields(current, project, name, field => ({
    ...field,
    legalValues: field.legalValues.filter(existing => existing.value !== value),
  }));
}

/** Applies a change to a field. Writes nothing if nothing changes. */
async function changeFields(
  { tx, actor, record }: Change,
  project: string | undefined,
  name: string,
  applyChange: (field: ContextFieldRow) => ContextFieldRow,
): Promise<void> {
  const field = await lockContextField(tx, { actor, project }, name);
  if (!field) throw notFound(`Context field "${name}"`);
  const changedField = applyChange(field);
  if (isDeepStrictEqual(changedField, field)) return;
  await updateContextField(tx, changedField);
  record({
    type: 'context-field-updated',
    project: changedField.project,
    data: toEventData(changedField),
    preData: toEventData(field),
  });
}
