import { Failure } from './Failure.tsx';
import { Skeleton } from './Skeleton.tsx';

/** Shows a skeleton while queries load, or the first error with a button that retries all queries. */
export function Loading({
  queries,
  rows,
}: {
  queries: readonly { error: unknown; refetch(): Promise<unknown> }[];
  rows?: number;
}) {
  const failedQuery = queries.find(({ error }) => error);
  if (!failedQuery) return <Skeleton {...(rows !== undefined && { rows })} />;
  return (
    <Failure
      error={failedQuery.error}
      onRetry={() => void Promise.all(queries.map(query => query.refetch()))}
    />
  );
}
