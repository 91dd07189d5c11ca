import { type QueryKey, type UseQueryOptions, useQueries } from '@tanstack/react-query';
import { useCallback, useState } from 'react';

export const PAGE_SIZE = 100;

export type Pages<Row> = {
  rowAt(index: number): Row | undefined;
  onVisible(first: number, last: number): void;
  total: number | undefined;
  isPrevious: boolean;
  error: Error | undefined;
  retry(): void;
};

/** The rows of a search for `List`. Only the pages in view are loaded and kept current. */
export function usePages<Row, Data extends { total: number }, Key extends QueryKey>(
  queryOf: (page: number) => UseQueryOptions<Data, Error, Data, Key>,
  rowsOf: (data: Data) => readonly Row[],
): Pages<Row> {
  const [pages, setPages] = useState<readonly number[]>([0]);
  const results = useQueries({ queries: pages.map(queryOf) });
  const onVisible = useCallback((first: number, last: number) => {
    const [from, to] = [Math.floor(first / PAGE_SIZE), Math.floor(last / PAGE_SIZE)];
    const next = Array.from({ length: to - from + 1 }, (_, n) => from + n);
    setPages(before => (before.join() === next.join() ? before : next));
  }, []);
  const newest = results.find(result => result.data)?.data?.total;
  // While the reader scrolls fast, no page in view is loaded, and the list keeps its length.
  const [total, setTotal] = useState<number>();
  if (newest !== undefined && newest !== total) setTotal(newest);
  const loaded = new Map(pages.map((page, n) => [page, results[n]?.data]));
  const key = results.map(result => result.dataUpdatedAt).join();
  // A new function only for new data, so that rows stay memoized.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` stands for the data in `loaded`
  const rowAt = useCallback(
    (index: number): Row | undefined => {
      const data = loaded.get(Math.floor(index / PAGE_SIZE));
      return data && rowsOf(data)[index % PAGE_SIZE];
    },
    [key, pages],
  );
  return {
    rowAt,
    onVisible,
    total: newest ?? total,
    isPrevious: results.some(result => result.isPlaceholderData),
    error: results.find(result => result.error && !result.data)?.error ?? undefined,
    retry: () => void Promise.all(results.map(result => result.refetch())),
  };
}
