/** The fields of one block of a stream. `data` has no line breaks, as JSON has none. */
type Block = {
  comment?: string;
  retryMs?: number;
  id?: string | number;
  event?: string;
  data?: string;
};

/** Formats one block of a stream of server-sent events. */
export function eventBlock({ comment, retryMs, id, event, data }: Block): string {
  let text = '';
  if (comment !== undefined) text += comment === '' ? ':\n' : `: ${comment}\n`;
  if (retryMs !== undefined) text += `retry: ${Math.round(retryMs)}\n`;
  if (id !== undefined) text += `id: ${id}\n`;
  if (event !== undefined) text += `event: ${event}\n`;
  if (data !== undefined) text += `data: ${data}\n`;
  return `${text}\n`;
}

/** A random delay before a client reconnects, so that clients do not all return at the same moment. */
export const spreadRetryMs = ({ min, max }: { min: number; max: number }): number =>
  Math.round(min + Math.random() * (max - min));

/** The headers of a stream that bypasses Fastify. The connection closes when the stream ends. */
export const EVENT_STREAM_HEAD = [
  'content-type',
  'text/event-stream',
  'cache-control',
  'no-cache',
  'x-accel-buffering',
  'no',
  'connection',
  'close',
];
