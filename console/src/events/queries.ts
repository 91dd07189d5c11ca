import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query';
import type { schemas } from '../api/api.gen.ts';
import { api, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { readPosition } from '../live/live.ts';
import type { Search } from '../ui/search.ts';

export type Event = schemas['Event'];
/** `hint`: why a search may find nothing, such as an unknown event type and the nearest known one. */
export type Found = schemas['EventSearchResult'] & { hint?: string };

export const PAGE_SIZE = 100;
/** The page does not wait longer for the event stream. A proxy may hold it back. */
const POSITION_MS = 5000;
/** With more new events than these, the search starts again. */
export const MAX_NEW = 2 * PAGE_SIZE;
/** A page of large events can be shorter than its limit. Its remainder is loaded in at most this many requests. */
const MAX_PARTS_OF_PAGE = 10;

const SUGGESTED_FLAGS = 8;

/** Flags whose name contains the string, to filter by one of them. */
export async function findFlags(text: string, signal: AbortSignal): Promise<{ value: string }[]> {
  const query = { query: text, limit: SUGGESTED_FLAGS };
  const { features } = await unwrap(api.GET('/api/admin/search/features', { params: { query }, signal }));
  return features.filter(({ name }) => name.includes(text)).map(({ name }) => ({ value: name }));
}

async function search(query: Record<string, unknown>, signal: AbortSignal): Promise<Found> {
  const call = await api.GET('/api/admin/search/events', {
    params: { query: { ...query, parts: 'true' } as never }, // The URL can contain any string; the server validates it.
    signal,
  });
  const hint = call.response.headers.get('Halyard-Hint');
  return { ...(await unwrap(Promise.resolve(call))), ...(hint !== null && { hint }) };
}

/** As many events as the limit allows, even if they are large. */
async function searchWhole(
  query: Record<string, unknown>,
  limit: number,
  signal: AbortSignal,
): Promise<Found> {
  const found = await search({ ...query, limit }, signal);
  const { events } = found;
  let { next } = found;
  for (let n = 0; next !== undefined && events.length < limit && n < MAX_PARTS_OF_PAGE; n++) {
    const { offset: _, ...rest } = query;
    const more = await search({ ...rest, before: next, limit: limit - events.length }, signal);
    events.push(...more.events);
    next = more.next;
  }
  return { ...found, events };
}

/** One page of a search. The first page has the position after which the event stream continues it. */
export type EventsPage = Found & { position?: number | undefined };

/**
 * One page of a search. Events never change, so a loaded page stays. It continues the page before it by id if that one
 * is loaded: new events do not shift it, and its depth costs nothing. `added` counts the events since the first page.
 */
export const eventsPage = (client: QueryClient, filters: Search, page: number, added: number) =>
  queryOptions({
    queryKey: [...keys.eventLog(filters), page],
    queryFn: async ({ signal }): Promise<EventsPage> => {
      // Before the search: an event is found by the search, or comes after the position, or both.
      const position = page === 0 ? await positionOf(signal) : undefined;
      const previous = client.getQueryData<Found>([...keys.eventLog(filters), page - 1])?.events.at(-1);
      // A first page that is loaded again has the added events.
      const offset = page === 0 ? 0 : page * PAGE_SIZE + added;
      const start = previous ? { before: previous.id } : { offset };
      return { ...(await searchWhole({ ...filters, ...start }, PAGE_SIZE, signal)), position };
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 30_000,
    ...(page === 0 ? { placeholderData: keepPreviousData } : {}),
  });

const positionOf = (signal: AbortSignal): Promise<number | undefined> =>
  readPosition(AbortSignal.any([signal, AbortSignal.timeout(POSITION_MS)]));

/** The events of a search after a position, up to another one, newest first. At most one more than the page adds to itself. */
export const searchBetween = async (
  filters: Search,
  after: number,
  upTo: number,
  signal: AbortSignal,
): Promise<Event[]> =>
  (await searchWhole({ ...filters, after, before: upTo + 1 }, MAX_NEW + 1, signal)).events;

/** The events per UTC day between two days. */
export const countsQuery = (filters: Search, from: string, to: string) =>
  queryOptions({
    queryKey: [...keys.eventCounts, filters, from, to],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/admin/search/events/counts', {
          params: { query: { ...filters, by: 'day', from: `IS:${from}`, to: `IS:${to}` } as never }, // The URL can contain any string; the server validates it.
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });

/** One event, or undefined if it does not exist or the user may not read it. */
export const eventQuery = (id: string) =>
  queryOptions({
    queryKey: keys.event(id),
    queryFn: async ({ signal }) => (await search({ id: `IS:${id}`, limit: 1 }, signal)).events[0] ?? null,
    staleTime: Number.POSITIVE_INFINITY,
  });

export const MAX_GROUP = 50;

/** The events of one change. */
export const groupQuery = (groupId: string) =>
  queryOptions({
    queryKey: keys.eventGroup(groupId),
    queryFn: ({ signal }) => search({ groupId: `IS:${groupId}`, limit: MAX_GROUP }, signal),
    staleTime: 60_000,
  });

/** Deliveries of a new event change within seconds. */
export const deliveriesQuery = (id: number) =>
  queryOptions({
    queryKey: keys.eventDeliveries(id),
    queryFn: ({ signal }) =>
      unwrap(api.GET('/api/admin/events/{id}/deliveries', { params: { path: { id: String(id) } }, signal })),
    refetchInterval: 10_000,
  });

export const eventTypesQuery = queryOptions({
  queryKey: keys.eventTypes,
  queryFn: ({ signal }) => unwrap(api.GET('/api/admin/event-types', { signal })),
  staleTime: 600_000,
});

export const creatorsQuery = queryOptions({
  queryKey: keys.eventCreators,
  queryFn: ({ signal }) => unwrap(api.GET('/api/admin/event-creators', { signal })),
  staleTime: 60_000,
});

/** A change reaches most instances within a poll interval, so the page looks again until it is live. */
const REACH_AGAIN_MS = 5_000;
const SHOWN_INSTANCES = 20;

/** How far the change of an event has reached. */
export const reachQuery = (id: number) =>
  queryOptions({
    queryKey: keys.eventReach(id),
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/admin/events/{id}/reach', {
          params: { path: { id: String(id) }, query: { limit: String(SHOWN_INSTANCES) } },
          signal,
        }),
      ),
    refetchInterval: ({ state }) => (state.data?.state === 'behind' ? REACH_AGAIN_MS : false),
  });
