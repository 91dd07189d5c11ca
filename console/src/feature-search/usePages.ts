import { useQueries } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import type { Search } from '../ui/search.ts';
import { type Flag, flagsPage, PAGE_SIZE } from './queries.ts';

/** The flags of a search. Only the pages in view are loaded and kept current. */
export function usePages(filters: Search) {
  const [pages, setPages] = useState<readonly number[]>([0]);
  const results = useQueries({ queries: pages.map(page => flagsPage(filters, page)) });
  const onVisible = useCallback((first: number, last: number) => {
    const [from, to] = [Math.floor(first / PAGE_SIZE), Math.floor(last / PAGE_SIZE)];
    const next = Array.from({ length: to - from + 1 }, (_, n) => from + n);
    setPages(before => (before.join() === next.join() ? before : next));
  }, []);
  const loaded = new Map(pages.map((page, n) => [page, results[n]?.data?.features]));
  const key = results.map(result => result.dataUpdatedAt).join();
  // A new function for new data only, so that rows stay memoized.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` stands for the data in `loaded`
  const rowAt = useCallback(
    (index: number): Flag | undefined => loaded.get(Math.floor(index / PAGE_SIZE))?.[index % PAGE_SIZE],
    [key, pages],
  );
  return {
    rowAt,
    onVisible,
    total: results.find(result => result.data)?.data?.total,
    isPrevious: results.some(result => result.isPlaceholderData),
    error: results.find(result => result.error && !result.data)?.error,
    retry: () => void Promise.all(results.map(result => result.refetch())),
  };
}
