import { isDeepStrictEqual } from 'node:util';
import { exceedsLimit, notFound } from '../../../../plane/src/platform/errors.ts';
import type { Change } from '../../record/change.ts';
import { asEventData } from './create.ts';
import { checkLegalValue, checkLegalValues } from './legal-values.ts';
import { type ContextFieldUpdate, type LegalValue, MAX_LEGAL_VALUES } from './schema.ts';
import { type ContextFieldRow, lockContextField, updateContextField } from './store.ts';

/**
 * An omitted description or sort order keeps its value. An omitted stickiness becomes false and omitted legal values become
 * empty, because Unleash clients omit them to mean that.
 */
export async function changeContextField(
  current: Change,
  project: string | undefined,
  name: string,
  input: ContextFieldUpdate,
): Promise<void> {
  const legalValues = checkLegalValues(input.legalValues ?? []);
  await changeFields(current, project, name, before => ({
    ...before,
    description: input.description === undefined ? before.description : input.description,
    stickiness: input.stickiness ?? false,
    sortOrder: input.sortOrder ?? before.sortOrder,
    legalValues,
  }));
}

/** Appends a legal value, or replaces the description of an existing one. */
export async function setLegalValue(
  current: Change,
  project: string | undefined,
  name: string,
  input: LegalValue,
): Promise<void> {
  const legalValue = checkLegalValue(input);
  await changeFields(current, project, name, before => {
    const exists = before.legalValues.some(({ value }) => value === legalValue.value);
    const legalValues = exists
      ? before.legalValues.map(existing => (existing.value === legalValue.value ? legalValue : existing))
      : [...before.legalValues, legalValue];
    if (legalValues.length > MAX_LEGAL_VALUES) {
      throw exceedsLimit(
        `Context field "${name}" already has ${MAX_LEGAL_VALUES} legal values, the maximum. Delete one first.`,
      );
    }
    return { ...before, legalValues };
  });
}

/** Deletes a legal value. Deleting one that does not exist changes nothing. */
export async function removeLegalValue(
  current: Change,
  project: string | undefined,
  name: string,
  value: string,
): Promise<void> {
  await changeFields(current, project, name, before => ({
    ...before,
    legalValues: before.legalValues.filter(existing => existing.value !== value),
  }));
}

/** An update that changes nothing writes nothing. */
async function changeFields(
  { tx, actor, record }: Change,
  project: string | undefined,
  name: string,
  changed: (before: ContextFieldRow) => ContextFieldRow,
): Promise<void> {
  const before = await lockContextField(tx, { actor, project }, name);
  if (!before) throw notFound(`Context field "${name}"`);
  const after = changed(before);
  if (isDeepStrictEqual(after, before)) return;
  await updateContextField(tx, after);
  record({
    type: 'context-field-updated',
    project: after.project,
    data: asEventData(after),
    preData: asEventData(before),
  });
}
