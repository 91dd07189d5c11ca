import type { QueryClient, QueryFilters, QueryKey } from '@tanstack/react-query';

/** Cached responses that contain a subject, and a function that applies a change to them. */
export type CachedView<Change> = {
  filters: QueryFilters & { queryKey: QueryKey };
  // The cache does not know the type of query data, which depends on the key.
  patch: (data: never, change: Change) => unknown;
};

const lastUpdates = new Map<string, Promise<unknown>>();

/**
 * Shows a change before the server has responded. Until then, responses to other requests are patched too. If the request fails,
 * `undo` reverts only this change, and the server's state is loaded again. Changes to the same `subject` are sent one at a time.
 */
export async function showOptimistically<Change>(
  client: QueryClient,
  {
    subject,
    views,
    change,
    undo,
    send,
  }: {
    subject: string;
    views: readonly CachedView<Change>[];
    change: Change;
    undo: Change;
    send: () => Promise<unknown>;
  },
): Promise<void> {
  const show = (state: Change): void => {
    for (const { filters, patch } of views)
      client.setQueriesData(filters, data => (data === undefined ? undefined : patch(data as never, state)));
  };
  await Promise.all(views.map(({ filters }) => client.cancelQueries(filters)));
  show(change);
  const stop = client.getQueryCache().subscribe(event => {
    const isResponse =
      event.type === 'updated' && event.action.type === 'success' && event.action.manual !== true;
    if (isResponse) show(change);
  });
  const update = (lastUpdates.get(subject) ?? Promise.resolve()).then(send, send);
  lastUpdates.set(subject, update);
  try {
    await update;
    stop();
  } catch (error) {
    stop();
    show(undo);
    void Promise.all(views.map(({ filters }) => client.invalidateQueries(filters)));
    throw error;
  } finally {
    if (lastUpdates.get(subject) === update) lastUpdates.delete(subject);
  }
}
