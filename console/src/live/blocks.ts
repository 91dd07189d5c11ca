import type { schemas } from '../api/api.gen.ts';

export type Event = schemas['Event'];

/** A block of the stream. Once it arrives, all events up to `id` have been sent. */
export type Block = { id: number; event?: Event };

/** Returns a list with the parsed block, or an empty list for a comment. An event's data is a single line, because JSON escapes line breaks. */
export function parseBlock(text: string): Block[] {
  const id = /^id: (\d+)$/m.exec(text)?.[1];
  const data = /^data: (.+)$/m.exec(text)?.[1];
  if (id === undefined) return [];
  return [{ id: Number(id), ...(data !== undefined && { event: JSON.parse(data) as Event }) }]; // The API describes this type.
}
