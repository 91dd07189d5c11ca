import { type Change, computeChanges } from '../ui/diff.ts';
import { getStrategyLabel } from '../ui/strategy-names.ts';
import type { Event } from './queries.ts';

type Fields = Record<string, unknown>;

/**
 * Returns an event's changes as the detail shows them. If the event created or deleted its subject, the empty fields are omitted and
 * each strategy parameter is a separate change.
 */
export function describeEventChanges({
  type,
  preData,
  data,
}: Pick<Event, 'type' | 'preData' | 'data'>): Change[] {
  const isStrategy = /^(feature|default)-strategy-/.test(type);
  const [fieldsBefore, fieldsAfter] = [preData, data].map(fields => describeFields(fields ?? {}, isStrategy));
  if (preData !== null && data !== null) return computeChanges(fieldsBefore, fieldsAfter);
  return Object.keys({ ...fieldsBefore, ...fieldsAfter }).flatMap(name => {
    const [before, after] = [fieldsBefore?.[name], fieldsAfter?.[name]];
    const changes =
      name === 'parameters'
        ? computeChanges(before ?? {}, after ?? {}, [name])
        : computeChanges(before, after, [name]);
    return changes.filter(change => change.kind === 'items' || !isEmpty(change.after ?? change.before));
  });
}

/** Replaces the name of a strategy's type with its label. */
function describeFields(fields: Fields, isStrategy: boolean): Fields {
  const { name, ...otherFields } = fields;
  return isStrategy && typeof name === 'string' ? { type: getStrategyLabel(name), ...otherFields } : fields;
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
