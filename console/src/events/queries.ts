import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query';
import type { schemas } from '../api/api.gen.ts';
import { api, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { waitForPosition } from '../live/live.ts';
import type { Search } from '../ui/search.ts';
import { toRevertText } from './revert-reason.ts';

export type Event = schemas['Event'];
/** The hint says why a search may find nothing, for example because of a misspelled event type. */
export type SearchResult = schemas['EventSearchResult'] & { hint?: string };

export const PAGE_SIZE = 100;
/** The page does not wait longer for the stream's position, because a proxy may buffer the stream. */
const POSITION_TIMEOUT_MS = 5000;
/** If there are more new events than this, the search restarts. */
export const MAX_NEW_EVENTS = 2 * PAGE_SIZE;
/** A response with large events can be shorter than the limit, so a page may need several requests. */
const MAX_REQUESTS_PER_PAGE = 10;

const MAX_SUGGESTED_FLAGS = 8;

/** Suggests flags whose names contain the string, as values of the flag filter. */
export async function findFlags(text: string, signal: AbortSignal): Promise<{ value: string }[]> {
  const query = { query: text, limit: MAX_SUGGESTED_FLAGS };
  const { features } = await unwrap(api.GET('/api/admin/search/features', { params: { query }, signal }));
  return features.filter(({ name }) => name.includes(text)).map(({ name }) => ({ value: name }));
}

async function search(query: Record<string, unknown>, signal: AbortSignal): Promise<SearchResult> {
  const call = await api.GET('/api/admin/search/events', {
    params: { query: { ...query, parts: 'true' } as never }, // The URL can contain any string, and the server validates it.
    signal,
  });
  const hint = call.response.headers.get('Halyard-Hint');
  return { ...(await unwrap(Promise.resolve(call))), ...(hint !== null && { hint }) };
}

/** Reads as many events as the limit allows, even if they are large. */
async function searchPage(
  query: Record<string, unknown>,
  limit: number,
  signal: AbortSignal,
): Promise<SearchResult> {
  const result = await search({ ...query, limit }, signal);
  const { events } = result;
  let { next } = result;
  for (let extra = 0; next !== undefined && events.length < limit && extra < MAX_REQUESTS_PER_PAGE; extra++) {
    const { offset: _, ...otherParameters } = query;
    const more = await search({ ...otherParameters, before: next, limit: limit - events.length }, signal);
    events.push(...more.events);
    next = more.next;
  }
  return { ...result, events };
}

/** One page of a search. The first page has the position from which the event stream continues. */
export type EventsPage = SearchResult & { position?: number | undefined };

/**
 * One page of a search. Events never change, so a loaded page stays valid. If the previous page is loaded, this page continues from its
 * last id, so that new events do not shift it and a deep page costs no more than an early one. `addedCount` is the number of events
 * added since the first page was loaded.
 */
export const eventsPage = (client: QueryClient, filters: Search, page: number, addedCount: number) =>
  queryOptions({
    queryKey: [...keys.eventLog(filters), page],
    queryFn: async ({ signal }): Promise<EventsPage> => {
      // Reads the position before the search, so that the search finds every event up to the position.
      const position = page === 0 ? await readCurrentPosition(signal) : undefined;
      const previousEvent = client
        .getQueryData<SearchResult>([...keys.eventLog(filters), page - 1])
        ?.events.at(-1);
      // A reload of the first page includes the added events, so it starts at 0.
      const offset = page === 0 ? 0 : page * PAGE_SIZE + addedCount;
      const start = previousEvent ? { before: previousEvent.id } : { offset };
      return { ...(await searchPage({ ...filters, ...start }, PAGE_SIZE, signal)), position };
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 30_000,
    ...(page === 0 ? { placeholderData: keepPreviousData } : {}),
  });

const readCurrentPosition = (signal: AbortSignal): Promise<number | undefined> =>
  waitForPosition(AbortSignal.any([signal, AbortSignal.timeout(POSITION_TIMEOUT_MS)]));

/** Finds the events between two positions, newest first. Reads one event more than the page can add, to detect that there are too many. */
export const searchBetween = async (
  filters: Search,
  fromPosition: number,
  toPosition: number,
  signal: AbortSignal,
): Promise<Event[]> =>
  (await searchPage({ ...filters, after: fromPosition, before: toPosition + 1 }, MAX_NEW_EVENTS + 1, signal))
    .events;

/** The number of events on each UTC day in a range. */
export const countsQuery = (filters: Search, firstDay: string, lastDay: string) =>
  queryOptions({
    queryKey: [...keys.eventCounts, filters, firstDay, lastDay],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/admin/search/events/counts', {
          params: { query: { ...filters, by: 'day', from: `IS:${firstDay}`, to: `IS:${lastDay}` } as never }, // The URL can contain any string, and the server validates it.
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });

/** An event, or null if it does not exist or the user cannot read it. */
export const eventQuery = (id: string) =>
  queryOptions({
    queryKey: keys.event(id),
    queryFn: async ({ signal }) => (await search({ id: `IS:${id}`, limit: 1 }, signal)).events[0] ?? null,
    staleTime: Number.POSITIVE_INFINITY,
  });

export const MAX_GROUP_EVENTS = 50;

/** The events of one change. */
export const groupQuery = (groupId: string) =>
  queryOptions({
    queryKey: keys.eventGroup(groupId),
    queryFn: ({ signal }) => search({ groupId: `IS:${groupId}`, limit: MAX_GROUP_EVENTS }, signal),
    staleTime: 60_000,
  });

const MAX_FOUND_REVERTS = 50;

/** Events that may be reverts of an event. Their comments name it, and they have the same subject, which keeps the search cheap. */
export const revertsQuery = ({ id, type, project, featureName }: Event) => {
  const query = {
    query: toRevertText(id),
    after: String(id),
    ...(featureName === null
      ? { type: `IS:${type}`, ...(project !== null && { project: `IS:${project}` }) }
      : { feature: `IS:${featureName}` }),
  };
  return queryOptions({
    queryKey: featureName === null ? keys.eventsAbout(query) : [...keys.featureEvents(featureName), query],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/admin/search/events', {
          params: { query: { ...query, limit: MAX_FOUND_REVERTS } },
          signal,
        }),
      ),
    staleTime: 5_000,
  });
};

/** An event's deliveries, which change within seconds while the event is new. */
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

/** A change reaches most instances within a poll interval, so the page refreshes often until the change is live. */
const REACH_REFRESH_MS = 5_000;
/** The interval while no instance is known, because the first one may still report. */
const UNKNOWN_REACH_REFRESH_MS = 15_000;
const MAX_SHOWN_INSTANCES = 20;

/** How many SDK instances have an event's change. */
export const reachQuery = (id: number) =>
  queryOptions({
    queryKey: keys.eventReach(id),
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/admin/events/{id}/reach', {
          params: { path: { id: String(id) }, query: { limit: MAX_SHOWN_INSTANCES } },
          signal,
        }),
      ),
    refetchInterval: ({ state }) => {
      if (state.data?.state === 'behind') return REACH_REFRESH_MS;
      return state.data?.state === 'unknown' ? UNKNOWN_REACH_REFRESH_MS : false;
    },
  });
