import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { Search } from '../ui/search.ts';
import { type Delivery, deliveriesQuery } from './queries.ts';

/** Searches deliveries. The next page loads when its position comes into view. */
export function useDeliveries(integrationId: number | undefined, filters: Search) {
  const { data, error, refetch, hasNextPage, isFetching, fetchNextPage, isPlaceholderData } =
    useInfiniteQuery(deliveriesQuery(integrationId, filters));
  const rows = useMemo(() => data?.pages.flatMap(page => page.integrationEvents), [data]);
  const [lastVisible, setLastVisible] = useState(0);
  const loadedCount = rows?.length ?? 0;
  // Also runs when a page has arrived, because a page can be empty even if older deliveries follow.
  useEffect(() => {
    if (hasNextPage && !isFetching && !isPlaceholderData && lastVisible >= loadedCount - 1)
      void fetchNextPage();
  }, [hasNextPage, isFetching, isPlaceholderData, lastVisible, loadedCount, fetchNextPage]);
  const page = data?.pages[0];
  return {
    rows,
    /** Includes a placeholder row for the next page, as long as there are older deliveries. */
    count: loadedCount + (hasNextPage ? 1 : 0),
    rowAt: useCallback((index: number): Delivery | undefined => rows?.[index], [rows]),
    onVisible: useCallback((_first: number, last: number) => setLastVisible(last), []),
    total: page?.total,
    isTotalExact: page?.isTotalExact ?? true,
    error: data ? null : error,
    retry: () => void refetch(),
  };
}
