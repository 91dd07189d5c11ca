import { isDeepStrictEqual } from 'node:util';
import type { Db } from '../../platform/db/database.ts';
import { exceedsLimit, notFound } from '../../platform/errors.ts';
import { change } from '../../record/change.ts';
import { asEventData, withUses } from './create.ts';
import { checkLegalValue, checkLegalValues } from './legal-values.ts';
import { type ContextField, type ContextFieldUpdate, type LegalValue, MAX_LEGAL_VALUES } from './schema.ts';
import { type FieldRow, lockContextField, type Place, updateContextField } from './store.ts';

/**
 * Description and sort order stay if they are left out. Stickiness and legal values do not: existing clients
 * leave them out to say false and none.
 */
export async function changeContextField(
  db: Db,
  place: Place,
  name: string,
  input: ContextFieldUpdate,
): Promise<ContextField> {
  const legalValues = checkLegalValues(input.legalValues ?? []);
  return await rewrite(db, place, name, before => ({
    ...before,
    description: input.description === undefined ? before.description : input.description,
    stickiness: input.stickiness ?? false,
    sortOrder: input.sortOrder ?? before.sortOrder,
    legalValues,
  }));
}

/** Adds a legal value at the end, or replaces the one that has this value. */
export async function setLegalValue(
  db: Db,
  place: Place,
  name: string,
  input: LegalValue,
): Promise<ContextField> {
  const legal = checkLegalValue(input);
  return await rewrite(db, place, name, before => {
    const known = before.legalValues.some(one => one.value === legal.value);
    const legalValues = known
      ? before.legalValues.map(one => (one.value === legal.value ? legal : one))
      : [...before.legalValues, legal];
    if (legalValues.length > MAX_LEGAL_VALUES) {
      throw exceedsLimit(`A context field has at most ${MAX_LEGAL_VALUES} legal values.`);
    }
    return { ...before, legalValues };
  });
}

/** Takes a legal value away; one that is not there changes nothing. */
export async function removeLegalValue(
  db: Db,
  place: Place,
  name: string,
  value: string,
): Promise<ContextField> {
  return await rewrite(db, place, name, before => ({
    ...before,
    legalValues: before.legalValues.filter(one => one.value !== value),
  }));
}

/** Changing nothing writes nothing. */
async function rewrite(
  db: Db,
  place: Place,
  name: string,
  next: (before: FieldRow) => FieldRow,
): Promise<ContextField> {
  const { actor } = place;
  return await change(db, actor, async ({ tx, record }) => {
    const before = await lockContextField(tx, place, name);
    if (!before) throw notFound(`Context field ${name}`);
    const after = next(before);
    if (!isDeepStrictEqual(after, before)) {
      await updateContextField(tx, after);
      record({
        type: 'context-field-updated',
        project: after.project,
        data: asEventData(after),
        preData: asEventData(before),
      });
    }
    return await withUses(tx, actor, after);
  });
}
