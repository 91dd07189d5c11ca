import type { QueryClient, QueryFilters, QueryKey } from '@tanstack/react-query';

/** Cached responses that show something, and how to change it there. */
export type Shown<Change> = {
  filters: QueryFilters & { queryKey: QueryKey };
  // The data of a query has no type in the cache. The key decides it.
  patch: (data: never, change: Change) => unknown;
};

const lastOf = new Map<string, Promise<unknown>>();

/**
 * Shows a change before the server has responded, even in responses that arrive until then. An error undoes only this change,
 * with `undo`, and loads the server's state. Changes of one `subject` are sent one after the other.
 */
export async function showOptimistically<Change>(
  client: QueryClient,
  {
    subject,
    places,
    change,
    undo,
    send,
  }: {
    subject: string;
    places: readonly Shown<Change>[];
    change: Change;
    undo: Change;
    send: () => Promise<unknown>;
  },
): Promise<void> {
  const show = (shown: Change): void => {
    for (const { filters, patch } of places)
      client.setQueriesData(filters, data => (data === undefined ? undefined : patch(data as never, shown)));
  };
  await Promise.all(places.map(({ filters }) => client.cancelQueries(filters)));
  show(change);
  const stop = client.getQueryCache().subscribe(event => {
    const isResponse =
      event.type === 'updated' && event.action.type === 'success' && event.action.manual !== true;
    if (isResponse) show(change);
  });
  const turn = (lastOf.get(subject) ?? Promise.resolve()).then(send, send);
  lastOf.set(subject, turn);
  try {
    await turn;
    stop();
  } catch (error) {
    stop();
    show(undo);
    void Promise.all(places.map(({ filters }) => client.invalidateQueries(filters)));
    throw error;
  } finally {
    if (lastOf.get(subject) === turn) lastOf.delete(subject);
  }
}
