import { eventBlock } from '../../../../plane/src/platform/http/output/server-sent-events.ts';
import type { Event } from '../events/schema.ts';

/** Sent at the start: when to reconnect, and the id to resume after if no event comes before that. */
export const startFrame = (retryMs: number, position: number): string =>
  eventBlock({ retryMs, id: position });

/** JSON has no line breaks, so one data line holds the event. */
export const eventFrame = (event: Event): Buffer =>
  Buffer.from(eventBlock({ id: event.id, data: JSON.stringify(event) }));

/** A client stores the id although the block has no data. It then resumes after the events that did not match its filters. */
export const heartbeatFrame = (position: number): string =>
  eventBlock({ comment: 'heartbeat', id: position });

/** The last block of a stream whose client has to resume after an earlier id than the last one that it got. */
export const resetFrame = (why: string, position: number): string =>
  eventBlock({ comment: why, id: position });

export const commentFrame = (text: string): string => eventBlock({ comment: text });
