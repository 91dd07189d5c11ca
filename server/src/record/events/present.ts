import { describe } from './describe.ts';
import type { Event } from './schema.ts';
import type { EventRow } from './store.ts';

/** An event as it is answered, without the address it came from. Older events do not know what acted. */
export function presentEvent({ ip: _, createdByKind, ...event }: EventRow): Event {
  return { ...event, ...(createdByKind === null ? {} : { createdByKind }), ...describe(event) };
}
