import { nearestName } from '../../platform/nearest.ts';
import { truncate } from '../../platform/text.ts';
import { KNOWN_EVENTS } from './schema.ts';

const MAX_SUGGESTED = 20;

/** The message about an event type that does not exist. `index` is its place in a list: only the first ones get a suggestion. */
export function unknownEventType(type: string, index = 0): string {
  const nearest = index < MAX_SUGGESTED ? nearestName(type, KNOWN_EVENTS) : undefined;
  const help =
    nearest === undefined ? 'GET /api/admin/addons lists the event types.' : `Did you mean "${nearest}"?`;
  return `Unknown event type "${truncate(type, 100)}". ${help}`;
}
