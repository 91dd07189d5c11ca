import type { Event } from '../events/schema.ts';

/** Sent at the start: when to reconnect, and the id to resume after if no event comes before that. */
export const startFrame = (retryMs: number, position: number): string =>
  `retry: ${retryMs}\nid: ${position}\n\n`;

/** JSON has no line breaks, so one data line holds the event. */
export const eventFrame = (event: Event): Buffer =>
  Buffer.from(`id: ${event.id}\ndata: ${JSON.stringify(event)}\n\n`);

/** A client stores the id although the block has no data. It then resumes after the events that did not match its filters. */
export const heartbeatFrame = (position: number): string => `: heartbeat\nid: ${position}\n\n`;

/** The last block of a stream whose client has to resume after an earlier id than the last one that it got. */
export const resetFrame = (why: string, position: number): string => `: ${why}\nid: ${position}\n\n`;

export const commentFrame = (text: string): string => `: ${text}\n\n`;
