import { Failure } from './Failure.tsx';
import { Skeleton } from './Skeleton.tsx';

/** Instead of what needs these queries: a skeleton while they load, or their first error, with a retry of all of them. */
export function Loading({
  of,
  rows,
}: {
  of: readonly { error: unknown; refetch(): Promise<unknown> }[];
  rows?: number;
}) {
  const failed = of.find(({ error }) => error);
  if (!failed) return <Skeleton {...(rows !== undefined && { rows })} />;
  return <Failure error={failed.error} onRetry={() => void Promise.all(of.map(query => query.refetch()))} />;
}
