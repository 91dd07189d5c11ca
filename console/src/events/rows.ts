// The rows of the event log. A row is a heading for a day, or the adjacent events of one change on the same day.
import { toLocalDay } from '../ui/time.ts';
import type { Event } from './queries.ts';

/** Adjacent events of one change. `lead` is the most significant event. `position` is the row's place in the search, from 1. */
export type EventsRow = { kind: 'events'; lead: Event; events: Event[]; position: number };
export type Row = { kind: 'day'; day: string } | EventsRow;

/** Ranks the events of a group. Created and deleted subjects come first, then toggles, then other changes, then tags. */
function getSignificance({ type }: Event): number {
  if (type === 'tag-created' || type === 'feature-tagged') return 0;
  if (/-(created|deleted|archived|imported)$/.test(type)) return 3;
  return /-(enabled|disabled)$/.test(type) ? 2 : 1;
}

const getDay = (event: Event): string => toLocalDay(event.createdAt);

/** Returns the rows of consecutive events, newest first. Each day in the user's time zone starts with a heading. */
export function toRows(events: readonly Event[], position = 1, previousDay = ''): Row[] {
  const rows: Row[] = [];
  let day = previousDay;
  let lastRow: EventsRow | undefined;
  events.forEach((event, index) => {
    if (lastRow && lastRow.lead.groupId === event.groupId && getDay(lastRow.lead) === getDay(event)) {
      lastRow.events.push(event);
      // The oldest of several equally significant events leads, because it caused the others.
      if (getSignificance(event) >= getSignificance(lastRow.lead)) lastRow.lead = event;
      return;
    }
    if (getDay(event) !== day) {
      day = getDay(event);
      rows.push({ kind: 'day', day });
    }
    lastRow = { kind: 'events', lead: event, events: [event], position: position + index };
    rows.push(lastRow);
  });
  return rows;
}

type Segment = { start: number; count: number; rows?: Row[]; firstPage: number };
/** The rows of a whole search. Each event that is not loaded counts as a row. */
export type Rows = { count: number; segments: readonly Segment[] };

/**
 * Lays out the rows of a search with `total` events. `pages` maps page numbers to loaded pages, and `addedEvents` are the events since
 * the first page was loaded. Adjacent loaded pages form one segment, because the events of one change may span two pages.
 */
export function buildRows(
  pages: ReadonlyMap<number, readonly Event[]>,
  addedEvents: readonly Event[],
  total: number,
  pageSize: number,
): Rows {
  const segments: Segment[] = [];
  let start = 0;
  let coveredCount = 0;
  const skipTo = (end: number) => {
    const count = Math.max(0, end - coveredCount);
    if (count > 0) segments.push({ start, count, firstPage: Math.floor(coveredCount / pageSize) });
    start += count;
    coveredCount = Math.max(coveredCount, end);
  };
  const knownIds = new Set<number>();
  const pageNumbers = [...pages.keys()].toSorted((a, b) => a - b);
  for (let index = 0; index < pageNumbers.length; ) {
    const firstPage = pageNumbers[index] ?? 0;
    const events: Event[] = [];
    let nextPage = firstPage;
    for (; pageNumbers[index] === nextPage; index++, nextPage++) events.push(...(pages.get(nextPage) ?? []));
    if (firstPage === 0) events.push(...addedEvents);
    const uniqueEvents = events
      .filter(event => !knownIds.has(event.id) && knownIds.add(event.id))
      .toSorted((a, b) => b.id - a.id);
    const addedBefore = firstPage === 0 ? 0 : addedEvents.length;
    skipTo(firstPage * pageSize);
    const rows = toRows(uniqueEvents, firstPage * pageSize + addedBefore + 1);
    segments.push({ start, count: rows.length, rows, firstPage });
    start += rows.length;
    coveredCount = nextPage * pageSize;
  }
  skipTo(total - addedEvents.length);
  return { count: start, segments };
}

const segmentAt = ({ segments }: Rows, index: number): Segment | undefined =>
  segments.find(({ start, count }) => index >= start && index < start + count);

/** Returns the row, or undefined while it loads. */
export function rowAt(rows: Rows, index: number): Row | undefined {
  const segment = segmentAt(rows, index);
  return segment?.rows?.[index - segment.start];
}

/** Lists the pages that must be loaded to show these rows. */
export function listMissingPages(
  rows: Rows,
  firstIndex: number,
  lastIndex: number,
  pageSize: number,
): number[] {
  const pages = new Set<number>();
  for (const { start, count, rows: loadedRows, firstPage } of rows.segments) {
    if (loadedRows || start > lastIndex || start + count <= firstIndex) continue;
    const [firstOffset, lastOffset] = [
      Math.max(firstIndex, start) - start,
      Math.min(lastIndex, start + count - 1) - start,
    ];
    for (let page = Math.floor(firstOffset / pageSize); page <= Math.floor(lastOffset / pageSize); page++)
      pages.add(firstPage + page);
  }
  return [...pages];
}

/** Returns the index of the row that contains the event, or -1. */
export function findEventIndex(rows: Rows, id: number): number {
  for (const { start, rows: loadedRows } of rows.segments) {
    const index = loadedRows?.findIndex(
      row => row.kind === 'events' && row.events.some(event => event.id === id),
    );
    if (index !== undefined && index >= 0) return start + index;
  }
  return -1;
}

/** Returns the next row of events in a direction, if it is loaded. */
export function findNeighbor(rows: Rows, index: number, step: 1 | -1): EventsRow | undefined {
  for (let candidate = index + step; candidate >= 0 && candidate < rows.count; candidate += step) {
    const row = rowAt(rows, candidate);
    if (row?.kind !== 'day') return row;
  }
  return undefined;
}
