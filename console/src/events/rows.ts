// The rows of the event log: days, and events of one change as one row.
import { localDayOf } from '../ui/time.ts';
import type { Event } from './queries.ts';

/** Adjacent events of one change. `lead` is the most significant one. `position` counts from 1 over the search. */
export type EventsRow = { kind: 'events'; lead: Event; events: Event[]; position: number };
export type Row = { kind: 'day'; day: string } | EventsRow;

/** Created and deleted subjects lead a group, then toggles, then other changes, then tags. */
function significance({ type }: Event): number {
  if (type === 'tag-created' || type === 'feature-tagged') return 0;
  if (/-(created|deleted|archived|imported)$/.test(type)) return 3;
  return /-(enabled|disabled)$/.test(type) ? 2 : 1;
}

const dayOf = (event: Event): string => localDayOf(event.createdAt);

/** The rows of consecutive events, newest first. A day heading comes before the first row of each day of the user's zone. */
export function rowsOf(events: readonly Event[], position = 1, previousDay = ''): Row[] {
  const rows: Row[] = [];
  let day = previousDay;
  let last: EventsRow | undefined;
  events.forEach((event, n) => {
    if (last && last.lead.groupId === event.groupId && dayOf(last.lead) === dayOf(event)) {
      last.events.push(event);
      // Among equal events the oldest leads, because it is the cause of the others.
      if (significance(event) >= significance(last.lead)) last.lead = event;
      return;
    }
    if (dayOf(event) !== day) {
      day = dayOf(event);
      rows.push({ kind: 'day', day });
    }
    last = { kind: 'events', lead: event, events: [event], position: position + n };
    rows.push(last);
  });
  return rows;
}

type Segment = { start: number; count: number; rows?: Row[]; firstPage: number };
/** The rows of a whole search. Events that are not loaded count as one row each. */
export type Rows = { count: number; segments: readonly Segment[] };

/**
 * Rows over the exact total. `pages` are the loaded pages by number, `added` the events since the first page was loaded,
 * newest first. Loaded pages that follow each other are grouped together, so that a change may span two pages.
 */
export function layOut(
  pages: ReadonlyMap<number, readonly Event[]>,
  added: readonly Event[],
  total: number,
  pageSize: number,
): Rows {
  const segments: Segment[] = [];
  let start = 0;
  let covered = 0;
  const skip = (until: number) => {
    const count = Math.max(0, until - covered);
    if (count > 0) segments.push({ start, count, firstPage: Math.floor(covered / pageSize) });
    start += count;
    covered = Math.max(covered, until);
  };
  const known = new Set<number>();
  const numbers = [...pages.keys()].toSorted((a, b) => a - b);
  for (let n = 0; n < numbers.length; ) {
    const firstPage = numbers[n] ?? 0;
    const events: Event[] = [];
    let next = firstPage;
    for (; numbers[n] === next; n++, next++) events.push(...(pages.get(next) ?? []));
    if (firstPage === 0) events.push(...added);
    const own = events
      .filter(event => !known.has(event.id) && known.add(event.id))
      .toSorted((a, b) => b.id - a.id);
    const extra = firstPage === 0 ? 0 : added.length;
    skip(firstPage * pageSize);
    const rows = rowsOf(own, firstPage * pageSize + extra + 1);
    segments.push({ start, count: rows.length, rows, firstPage });
    start += rows.length;
    covered = next * pageSize;
  }
  skip(total - added.length);
  return { count: start, segments };
}

const segmentAt = ({ segments }: Rows, index: number): Segment | undefined =>
  segments.find(({ start, count }) => index >= start && index < start + count);

/** The row, or undefined while it loads. */
export function rowAt(rows: Rows, index: number): Row | undefined {
  const segment = segmentAt(rows, index);
  return segment?.rows?.[index - segment.start];
}

/** The pages to load for these rows: the missing ones, and the one after the last loaded row if it is near. */
export function pagesFor(rows: Rows, first: number, last: number, pageSize: number): number[] {
  const pages = new Set<number>();
  for (const { start, count, rows: loaded, firstPage } of rows.segments) {
    if (loaded || start > last || start + count <= first) continue;
    const [from, to] = [Math.max(first, start) - start, Math.min(last, start + count - 1) - start];
    for (let page = Math.floor(from / pageSize); page <= Math.floor(to / pageSize); page++)
      pages.add(firstPage + page);
  }
  return [...pages];
}

/** The index of the row that contains the event, or -1. */
export function indexOfEvent(rows: Rows, id: number): number {
  for (const { start, rows: loaded } of rows.segments) {
    const found = loaded?.findIndex(
      row => row.kind === 'events' && row.events.some(event => event.id === id),
    );
    if (found !== undefined && found >= 0) return start + found;
  }
  return -1;
}

/** The next row of events in a direction, if it is loaded. */
export function neighbor(rows: Rows, index: number, step: 1 | -1): EventsRow | undefined {
  for (let at = index + step; at >= 0 && at < rows.count; at += step) {
    const row = rowAt(rows, at);
    if (row?.kind !== 'day') return row;
  }
  return undefined;
}
