import { eventBlock } from '@halyard/plane/platform/http/output/server-sent-events.ts';
import type { Event } from '../events/schema.ts';

/** Sets how soon the client reconnects, and the id after which it resumes if it has received no event by then. */
export const startFrame = (retryMs: number, position: number): string =>
  eventBlock({ retryMs, id: position });

/** Builds the frame of an event, which fits in one data line, because JSON has no line breaks. */
export const eventFrame = (event: Event): Buffer =>
  Buffer.from(eventBlock({ id: event.id, data: JSON.stringify(event) }));

/**
 * Builds a heartbeat with an id. A client stores the id although the block has no data, so it resumes after the events that did not
 * match its filters.
 */
export const heartbeatFrame = (position: number): string =>
  eventBlock({ comment: 'heartbeat', id: position });

/** Returns the last block of a stream whose client has to resume after an earlier id than the last one it received. */
export const resetFrame = (reason: string, position: number): string =>
  eventBlock({ comment: reason, id: position });

export const commentFrame = (text: string): string => eventBlock({ comment: text });
