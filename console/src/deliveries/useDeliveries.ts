import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { Search } from '../ui/search.ts';
import { type Delivery, deliveriesQuery } from './queries.ts';

/** The deliveries of a search. The next page loads when its position comes into view. */
export function useDeliveries(integrationId: number | undefined, filters: Search) {
  const { data, error, refetch, hasNextPage, isFetching, fetchNextPage, isPlaceholderData } =
    useInfiniteQuery(deliveriesQuery(integrationId, filters));
  const rows = useMemo(() => data?.pages.flatMap(page => page.integrationEvents), [data]);
  const [last, setLast] = useState(0);
  const loaded = rows?.length ?? 0;
  // A page can be empty although older records follow, so this also runs when a page has arrived.
  useEffect(() => {
    if (hasNextPage && !isFetching && !isPlaceholderData && last >= loaded - 1) void fetchNextPage();
  }, [hasNextPage, isFetching, isPlaceholderData, last, loaded, fetchNextPage]);
  const page = data?.pages[0];
  return {
    rows,
    /** One more while older ones follow: the place of the next page. */
    count: loaded + (hasNextPage ? 1 : 0),
    rowAt: useCallback((index: number): Delivery | undefined => rows?.[index], [rows]),
    onVisible: useCallback((_: number, to: number) => setLast(to), []),
    total: page?.total,
    isTotalExact: page?.isTotalExact ?? true,
    error: data ? null : error,
    retry: () => void refetch(),
  };
}
