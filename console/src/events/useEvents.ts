import { useQueries, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { keys } from '../api/keys.ts';
import type { Search } from '../ui/search.ts';
import { type Event, type EventsPage, eventsPage, MAX_NEW, PAGE_SIZE } from './queries.ts';
import { layOut, pagesFor } from './rows.ts';
import { tailEvents } from './tail.ts';

/** More pages than this are dropped, least recently visited first. */
const MAX_PAGES = 100;
const NO_EVENTS: readonly Event[] = [];

/** The events that are newer than a first page. If the tail is not complete, the search has to restart to show all of them. */
type Tail = { events: readonly Event[]; isComplete: boolean };
const NO_TAIL: Tail = { events: NO_EVENTS, isComplete: true };

/** The tail of a first page, with further events, newest first. */
function withEvents(tail: Tail, first: EventsPage, events: readonly Event[]): Tail {
  const known = new Set([...first.events, ...tail.events].map(event => event.id));
  const added = events.filter(event => !known.has(event.id));
  const all = [...tail.events, ...added].toSorted((one, other) => other.id - one.id);
  // An event that is older than the page belongs to a later one, which may have been loaded without it.
  const oldest = first.events.length < first.total ? (first.events.at(-1)?.id ?? 0) : 0;
  const isComplete = tail.isComplete && all.length <= MAX_NEW && all.every(event => event.id > oldest);
  return { events: all.slice(0, MAX_NEW), isComplete };
}

/** The new events of a search. */
function useTail(filters: Search, first: EventsPage | undefined, isLive: boolean): Tail {
  const [state, setState] = useState<{ first: EventsPage | undefined; tail: Tail }>({ first, tail: NO_TAIL });
  useEffect(() => {
    if (!first || !isLive) return;
    const controller = new AbortController();
    const change = (next: (tail: Tail) => Tail): void => {
      if (!controller.signal.aborted)
        setState(before => ({ first, tail: next(before.first === first ? before.tail : NO_TAIL) }));
    };
    tailEvents(filters, first.position, controller.signal, {
      onEvents: events => change(tail => withEvents(tail, first, events)),
      onLost: () => change(tail => ({ ...tail, isComplete: false })),
    });
    return () => controller.abort();
  }, [filters, first, isLive]);
  return state.first === first ? state.tail : NO_TAIL;
}

/**
 * The events of a search. Pages are loaded as they come into view and stay. New events enter at the top while the user
 * is at the top; otherwise they wait, and `waiting` counts them.
 */
export function useEvents(filters: Search, isLive: boolean) {
  const client = useQueryClient();
  const key = JSON.stringify(filters);
  const [visited, setVisited] = useState({ key, pages: [0] as readonly number[] });
  const pages = visited.key === key ? visited.pages : FIRST_PAGE;
  const [isScrolledToTop, setAtTop] = useState(true);
  const [shown, setShown] = useState<{ first?: EventsPage | undefined; events: readonly Event[] }>({
    events: NO_EVENTS,
  });

  // When the first page is reloaded, it contains the added events itself.
  const start = client.getQueryData(eventsPage(client, filters, 0, 0).queryKey);
  const added = shown.first === start ? shown.events : NO_EVENTS;
  const results = useQueries({ queries: pages.map(page => eventsPage(client, filters, page, added.length)) });
  const first = results[0];
  const isPrevious = first?.isPlaceholderData ?? false;
  // Without events there is no list that could be scrolled.
  const isAtTop = isScrolledToTop || (first?.data?.total === 0 && added.length === 0);
  const { events: newest, isComplete } = useTail(filters, start, isLive);
  const restart = useCallback(() => {
    setVisited({ key, pages: FIRST_PAGE });
    void client.resetQueries({ queryKey: keys.eventLog(JSON.parse(key)) });
  }, [client, key]);

  useEffect(() => {
    if (!isAtTop) return;
    if (!isComplete) restart();
    else if (newest.length > 0) setShown({ first: start, events: newest });
  }, [isAtTop, newest, isComplete, start, restart]);

  const stamp = results.map(result => result.dataUpdatedAt).join();
  const total = (first?.data?.total ?? 0) + added.length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `stamp` stands for the data of `results`
  const rows = useMemo(() => {
    const loaded = new Map<number, readonly Event[]>();
    pages.forEach((page, n) => {
      const events = results[n]?.data?.events;
      if (events && (page === 0 || !isPrevious)) loaded.set(page, events);
    });
    return layOut(loaded, added, total, PAGE_SIZE);
  }, [stamp, pages, added, total, isPrevious]);

  const onVisible = useCallback(
    (from: number, to: number) => {
      const missing = pagesFor(rows, from, to, PAGE_SIZE);
      if (missing.length === 0) return;
      setVisited(before => {
        const known = before.key === key ? before.pages : FIRST_PAGE;
        const next = missing.filter(page => !known.includes(page));
        if (next.length === 0) return before;
        return { key, pages: [0, ...[...known.slice(1), ...next].slice(1 - MAX_PAGES)] };
      });
    },
    [rows, key],
  );

  const known = new Set(added.map(event => event.id));
  const waiting = newest.filter(event => !known.has(event.id)).length;
  return {
    rows,
    key,
    onVisible,
    onTop: setAtTop,
    total: first?.data && total,
    totalIsLowerBound: first?.data?.totalIsLowerBound ?? false,
    hint: first?.data?.hint,
    isPrevious,
    waiting: isAtTop ? 0 : waiting,
    added: added.length,
    error: first?.data ? undefined : first?.error,
    /** A later page did not load. */
    hasGap: results.some((result, n) => n > 0 && result.error),
    retry: () => void Promise.all(results.filter(result => result.error).map(result => result.refetch())),
  };
}

const FIRST_PAGE: readonly number[] = [0];
