import type { schemas } from '../api/api.gen.ts';

export type Event = schemas['Event'];

/** A part of the stream: all events up to `id` were sent. */
export type Block = { id: number; event?: Event };

/** JSON has no line breaks, so an event is one line. A comment is not a block. */
export function blockOf(text: string): Block[] {
  const id = /^id: (\d+)$/m.exec(text)?.[1];
  const data = /^data: (.+)$/m.exec(text)?.[1];
  if (id === undefined) return [];
  return [{ id: Number(id), ...(data !== undefined && { event: JSON.parse(data) as Event }) }]; // As the API describes it.
}
