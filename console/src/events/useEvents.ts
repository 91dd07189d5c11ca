import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { Search } from '../ui/search.ts';
import { type Event, eventsPage, PAGE_SIZE, tailQuery } from './queries.ts';
import { layOut, pagesFor } from './rows.ts';

/** More pages than these are forgotten, the oldest visit first. */
const MAX_PAGES = 100;
const NO_EVENTS: readonly Event[] = [];

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
  const [shown, setShown] = useState<{ key: string; events: readonly Event[] }>({ key, events: NO_EVENTS });

  const added = shown.key === key ? shown.events : NO_EVENTS;
  const results = useQueries({ queries: pages.map(page => eventsPage(client, filters, page, added.length)) });
  const first = results[0];
  const isPrevious = first?.isPlaceholderData ?? false;
  // Without events there is no list that could be scrolled.
  const isAtTop = isScrolledToTop || (first?.data?.total === 0 && added.length === 0);
  const tail = useQuery(tailQuery(filters, isPrevious ? undefined : first?.data, isLive));
  const newest = tail.data?.events ?? NO_EVENTS;
  const restart = useCallback(() => {
    setVisited({ key, pages: FIRST_PAGE });
    setShown({ key, events: NO_EVENTS });
    void client.resetQueries({ queryKey: ['event-log', JSON.parse(key)] });
  }, [client, key]);

  const isComplete = tail.data?.isComplete ?? true;
  useEffect(() => {
    if (!isAtTop || newest.length === 0) return;
    if (isComplete) setShown({ key, events: newest });
    else restart();
  }, [isAtTop, newest, isComplete, key, restart]);

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
