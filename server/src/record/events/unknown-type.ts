import { parseFilter } from '@halyard/plane/platform/http/input/filter.ts';
import { nearestName } from '@halyard/plane/platform/nearest.ts';
import { truncate } from '@halyard/plane/platform/text.ts';
import { EVENT_TYPE_NAMES } from './event-types.ts';

const MAX_SUGGESTED = 20;
const KNOWN_TYPES: ReadonlySet<string> = new Set(EVENT_TYPE_NAMES);

/**
 * Builds the message about an unknown event type. `index` is the position of the type in its list. Only the first types get a
 * suggestion, because finding one takes time.
 */
export function describeUnknownType(type: string, index = 0): string {
  const nearestType = index < MAX_SUGGESTED ? nearestName(type, EVENT_TYPE_NAMES) : undefined;
  const help =
    nearestType === undefined
      ? 'GET /api/admin/event-types lists the event types.'
      : `Did you mean "${nearestType}"?`;
  return `Unknown event type "${truncate(type, 100)}". ${help}`;
}

/**
 * Returns a hint about the first unknown event type in a filter. Unleash clients expect an empty list, so an unknown type is not an
 * error.
 */
export function hintAboutUnknownType({ type }: { type?: unknown }): string | undefined {
  const unknownType = parseTypes(type).find(name => !KNOWN_TYPES.has(name));
  return unknownType === undefined ? undefined : describeUnknownType(unknownType);
}

function parseTypes(filter: unknown): string[] {
  if (filter === undefined) return [];
  try {
    return parseFilter(filter);
  } catch {
    // The operation rejects the filter with a more specific message.
    return [];
  }
}
