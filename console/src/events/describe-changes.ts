import { type Change, computeChanges } from '../ui/diff.ts';
import { getStrategyLabel } from '../ui/strategy-names.ts';
import type { Event } from './queries.ts';

type Fields = Record<string, unknown>;

const isStrategyEvent = ({ type }: Pick<Event, 'type'>): boolean => /^(feature|default)-strategy-/.test(type);

/** Whether the event may have ids of segments on this server. An event imported from Unleash has the ids of the Unleash server. */
export const mayNameSegments = (event: Pick<Event, 'type' | 'importedFrom'>): boolean =>
  isStrategyEvent(event) && !event.importedFrom;

/**
 * Returns an event's changes as the detail shows them. If the event created or deleted its subject, the empty fields are omitted and
 * each strategy parameter is a separate change. A strategy's segments are shown by name.
 */
export function describeEventChanges(
  event: Pick<Event, 'type' | 'preData' | 'data'>,
  segmentNames: ReadonlyMap<number, string>,
): Change[] {
  const isStrategy = isStrategyEvent(event);
  const changes = computeEventChanges(event, isStrategy);
  return isStrategy ? changes.map(change => nameSegments(change, segmentNames)) : changes;
}

function computeEventChanges(
  { preData, data }: Pick<Event, 'preData' | 'data'>,
  isStrategy: boolean,
): Change[] {
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

/** Replaces the ids in a change of segments. A segment without a known name, such as a deleted one, becomes "segment 1". */
function nameSegments(change: Change, names: ReadonlyMap<number, string>): Change {
  if (change.path.join('.') !== 'segments') return change;
  const getName = (id: unknown) => names.get(Number(id)) ?? `segment ${id}`;
  if (change.kind === 'items')
    return { ...change, items: change.items.map(item => ({ ...item, text: getName(item.text) })) };
  const nameAll = (ids: unknown) => (Array.isArray(ids) ? ids.map(getName) : ids);
  return {
    ...change,
    ...('before' in change && { before: nameAll(change.before) }),
    ...('after' in change && { after: nameAll(change.after) }),
  };
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
