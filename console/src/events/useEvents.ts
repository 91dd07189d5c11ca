import { useQueries, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { keys } from '../api/keys.ts';
import type { Search } from '../ui/search.ts';
import { type Event, type EventsPage, eventsPage, MAX_NEW_EVENTS, PAGE_SIZE } from './queries.ts';
import { buildRows, listMissingPages } from './rows.ts';
import { tailEvents } from './tail.ts';

/** The cache keeps this many pages, and drops the least recently visited page first. */
const MAX_PAGES = 100;
const NO_EVENTS: readonly Event[] = [];

/** The events that are newer than a first page. If the tail is incomplete, the search has to restart to show all events. */
type Tail = { events: readonly Event[]; isComplete: boolean };
const NO_TAIL: Tail = { events: NO_EVENTS, isComplete: true };

/** Adds events to the tail of a first page, newest first. */
function addEvents(tail: Tail, firstPage: EventsPage, events: readonly Event[]): Tail {
  const knownIds = new Set([...firstPage.events, ...tail.events].map(event => event.id));
  const newEvents = events.filter(event => !knownIds.has(event.id));
  const allEvents = [...tail.events, ...newEvents].toSorted((a, b) => b.id - a.id);
  // An event that is older than the page belongs to a later page, which may have been loaded without it.
  const oldestId = firstPage.events.length < firstPage.total ? (firstPage.events.at(-1)?.id ?? 0) : 0;
  const isComplete =
    tail.isComplete && allEvents.length <= MAX_NEW_EVENTS && allEvents.every(event => event.id > oldestId);
  return { events: allEvents.slice(0, MAX_NEW_EVENTS), isComplete };
}

/** Collects the new events of a search. */
function useTail(filters: Search, firstPage: EventsPage | undefined, isLive: boolean): Tail {
  const [state, setState] = useState<{ firstPage: EventsPage | undefined; tail: Tail }>({
    firstPage,
    tail: NO_TAIL,
  });
  useEffect(() => {
    if (!firstPage || !isLive) return;
    const controller = new AbortController();
    const change = (update: (tail: Tail) => Tail): void => {
      if (!controller.signal.aborted)
        setState(previous => ({
          firstPage,
          tail: update(previous.firstPage === firstPage ? previous.tail : NO_TAIL),
        }));
    };
    tailEvents(filters, firstPage.position, controller.signal, {
      onEvents: events => change(tail => addEvents(tail, firstPage, events)),
      onLost: () => change(tail => ({ ...tail, isComplete: false })),
    });
    return () => controller.abort();
  }, [filters, firstPage, isLive]);
  return state.firstPage === firstPage ? state.tail : NO_TAIL;
}

/**
 * Searches events. Pages load as they come into view, and stay loaded. New events appear immediately while the user is at the top of
 * the list. Otherwise, they stay hidden until the user scrolls up, and `waiting` counts them.
 */
export function useEvents(filters: Search, isLive: boolean) {
  const client = useQueryClient();
  const key = JSON.stringify(filters);
  const [visitedPages, setVisitedPages] = useState({ key, pages: [0] as readonly number[] });
  const pages = visitedPages.key === key ? visitedPages.pages : FIRST_PAGE;
  const [isScrolledToTop, setScrolledToTop] = useState(true);
  const [shownTail, setShownTail] = useState<{
    firstPage?: EventsPage | undefined;
    events: readonly Event[];
  }>({
    events: NO_EVENTS,
  });

  // A reloaded first page includes the added events, so they are not added again.
  const firstPage = client.getQueryData(eventsPage(client, filters, 0, 0).queryKey);
  const addedEvents = shownTail.firstPage === firstPage ? shownTail.events : NO_EVENTS;
  const results = useQueries({
    queries: pages.map(page => eventsPage(client, filters, page, addedEvents.length)),
  });
  const firstResult = results[0];
  const isPrevious = firstResult?.isPlaceholderData ?? false;
  // An empty log also counts as scrolled to the top, because it has no list to scroll.
  const isAtTop = isScrolledToTop || (firstResult?.data?.total === 0 && addedEvents.length === 0);
  const { events: newEvents, isComplete } = useTail(filters, firstPage, isLive);
  const restart = useCallback(() => {
    setVisitedPages({ key, pages: FIRST_PAGE });
    void client.resetQueries({ queryKey: keys.eventLog(JSON.parse(key)) });
  }, [client, key]);

  useEffect(() => {
    if (!isAtTop) return;
    if (!isComplete) restart();
    else if (newEvents.length > 0) setShownTail({ firstPage, events: newEvents });
  }, [isAtTop, newEvents, isComplete, firstPage, restart]);

  const stamp = results.map(result => result.dataUpdatedAt).join();
  const total = (firstResult?.data?.total ?? 0) + addedEvents.length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `stamp` stands for the data of `results`
  const rows = useMemo(() => {
    const loadedPages = new Map<number, readonly Event[]>();
    pages.forEach((page, index) => {
      const events = results[index]?.data?.events;
      if (events && (page === 0 || !isPrevious)) loadedPages.set(page, events);
    });
    return buildRows(loadedPages, addedEvents, total, PAGE_SIZE);
  }, [stamp, pages, addedEvents, total, isPrevious]);

  const onVisible = useCallback(
    (firstVisible: number, lastVisible: number) => {
      const missingPages = listMissingPages(rows, firstVisible, lastVisible, PAGE_SIZE);
      if (missingPages.length === 0) return;
      setVisitedPages(previous => {
        const cachedPages = previous.key === key ? previous.pages : FIRST_PAGE;
        const newPages = missingPages.filter(page => !cachedPages.includes(page));
        if (newPages.length === 0) return previous;
        return { key, pages: [0, ...[...cachedPages.slice(1), ...newPages].slice(1 - MAX_PAGES)] };
      });
    },
    [rows, key],
  );

  const addedIds = new Set(addedEvents.map(event => event.id));
  const waitingCount = newEvents.filter(event => !addedIds.has(event.id)).length;
  return {
    rows,
    key,
    onVisible,
    onAtTopChange: setScrolledToTop,
    total: firstResult?.data && total,
    totalIsLowerBound: firstResult?.data?.totalIsLowerBound ?? false,
    hint: firstResult?.data?.hint,
    isPrevious,
    waiting: isAtTop ? 0 : waitingCount,
    added: addedEvents.length,
    error: firstResult?.data ? undefined : firstResult?.error,
    /** Whether a page after the first failed to load. */
    hasGap: results.some((result, index) => index > 0 && result.error),
    retry: () => void Promise.all(results.filter(result => result.error).map(result => result.refetch())),
  };
}

const FIRST_PAGE: readonly number[] = [0];
