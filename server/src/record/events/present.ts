import { describe } from './describe.ts';
import type { Event } from './schema.ts';
import type { EventRow } from './store.ts';

/** An event for responses, without the IP address. Older events have no createdByKind. */
export function presentEvent({ ip: _, createdByKind, ...event }: EventRow): Event {
  return { ...event, ...(createdByKind === null ? {} : { createdByKind }), ...describe(event) };
}
