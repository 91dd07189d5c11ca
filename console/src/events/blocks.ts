import type { Search } from '../ui/search.ts';
import type { Event } from './queries.ts';

/** A part of the stream: all events up to `id` were sent. */
export type Block = { id: number; event?: Event };

/** JSON has no line breaks, so an event is one line. A comment is no block. */
export function blockOf(text: string): Block[] {
  const id = /^id: (\d+)$/m.exec(text)?.[1];
  const data = /^data: (.+)$/m.exec(text)?.[1];
  if (id === undefined) return [];
  return [{ id: Number(id), ...(data !== undefined && { event: JSON.parse(data) as Event }) }]; // As the API describes it.
}

/** Whether the event is of the days of the search. */
export function isInDays({ createdAt }: Pick<Event, 'createdAt'>, { from, to }: Search): boolean {
  const day = createdAt.slice(0, 10);
  const [first, last] = [from, to].map(value =>
    typeof value === 'string' ? value.replace(/^IS:/, '') : undefined,
  );
  return (first === undefined || day >= first) && (last === undefined || day <= last);
}
