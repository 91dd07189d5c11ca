import { parseFilter } from '../../../../plane/src/platform/http/input/filter.ts';
import { nearestName } from '../../../../plane/src/platform/nearest.ts';
import { truncate } from '../../../../plane/src/platform/text.ts';
import { EVENT_TYPE_NAMES } from './event-types.ts';

const MAX_SUGGESTED = 20;
const KNOWN: ReadonlySet<string> = new Set(EVENT_TYPE_NAMES);

/** The message about an unknown event type. Only the first types of a list (`index`) get a suggestion, which costs time. */
export function unknownEventType(type: string, index = 0): string {
  const nearest = index < MAX_SUGGESTED ? nearestName(type, EVENT_TYPE_NAMES) : undefined;
  const help =
    nearest === undefined
      ? 'GET /api/admin/event-types lists the event types.'
      : `Did you mean "${nearest}"?`;
  return `Unknown event type "${truncate(type, 100)}". ${help}`;
}

/** The hint about the first unknown event type in a filter. Unleash clients expect an empty list, so it is not an error. */
export function hintAtUnknownType({ type }: { type?: unknown }): string | undefined {
  const unknown = typesIn(type).find(name => !KNOWN.has(name));
  return unknown === undefined ? undefined : unknownEventType(unknown);
}

function typesIn(filter: unknown): string[] {
  if (filter === undefined) return [];
  try {
    return parseFilter(filter);
  } catch {
    // The operation rejects the filter with a more specific message.
    return [];
  }
}
