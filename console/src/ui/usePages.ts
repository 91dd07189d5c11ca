import { type QueryKey, type UseQueryOptions, useQueries } from '@tanstack/react-query';
import { useCallback, useState } from 'react';

export const PAGE_SIZE = 100;

export type Pages<Row> = {
  rowAt(index: number): Row | undefined;
  onVisible(firstIndex: number, lastIndex: number): void;
  total: number | undefined;
  isPrevious: boolean;
  error: Error | undefined;
  retry(): void;
};

/** Loads the rows of a search for `List`. Only the pages in view are loaded and kept current. */
export function usePages<Row, Data extends { total: number }, Key extends QueryKey>(
  getPageQuery: (page: number) => UseQueryOptions<Data, Error, Data, Key>,
  getRows: (data: Data) => readonly Row[],
): Pages<Row> {
  const [pages, setPages] = useState<readonly number[]>([0]);
  const results = useQueries({ queries: pages.map(getPageQuery) });
  const onVisible = useCallback((firstIndex: number, lastIndex: number) => {
    const [firstPage, lastPage] = [Math.floor(firstIndex / PAGE_SIZE), Math.floor(lastIndex / PAGE_SIZE)];
    const visiblePages = Array.from({ length: lastPage - firstPage + 1 }, (_, n) => firstPage + n);
    setPages(current => (current.join() === visiblePages.join() ? current : visiblePages));
  }, []);
  const newestTotal = results.find(result => result.data)?.data?.total;
  // Keeps the last total, because during fast scrolling none of the pages in view may have loaded yet.
  const [total, setTotal] = useState<number>();
  if (newestTotal !== undefined && newestTotal !== total) setTotal(newestTotal);
  const loadedPages = new Map(pages.map((page, n) => [page, results[n]?.data]));
  const key = results.map(result => result.dataUpdatedAt).join();
  // The function changes only with the data, so that rows stay memoized.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` changes with the data in `loadedPages`
  const rowAt = useCallback(
    (index: number): Row | undefined => {
      const data = loadedPages.get(Math.floor(index / PAGE_SIZE));
      return data && getRows(data)[index % PAGE_SIZE];
    },
    [key, pages],
  );
  return {
    rowAt,
    onVisible,
    total: newestTotal ?? total,
    isPrevious: results.some(result => result.isPlaceholderData),
    error: results.find(result => result.error && !result.data)?.error ?? undefined,
    retry: () => void Promise.all(results.map(result => result.refetch())),
  };
}
