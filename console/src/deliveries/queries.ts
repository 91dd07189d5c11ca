import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { schemas } from '../api/api.gen.ts';
import { api, ensureApplied, sendRead, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import type { Search } from '../ui/search.ts';

export type Delivery = schemas['IntegrationEvent'];
export type DeliveryWithAttempts = schemas['IntegrationEventWithAttempts'];
export type Attempt = schemas['DeliveryAttempt'];

const PAGE_SIZE = 50;
const REFRESH_MS = 5000;
/** A long list is not refreshed, because a refresh loads every page again. */
const MAX_REFRESHED_PAGES = 2;

const fetchDeliveries = (
  integrationId: number | undefined,
  query: Record<string, unknown>,
  signal: AbortSignal,
) => {
  // The URL can contain any string, and the server validates it.
  const params = { query: query as Record<string, string> };
  return integrationId === undefined
    ? unwrap(api.GET('/api/admin/deliveries', { params, signal }))
    : unwrap(
        api.GET('/api/admin/addons/{id}/events', {
          params: { ...params, path: { id: String(integrationId) } },
          signal,
        }),
      );
};

/** An integration's deliveries, or those of all integrations. The filters are the API's query parameters. */
export const deliveriesQuery = (integrationId: number | undefined, filters: Search) =>
  infiniteQueryOptions({
    queryKey: [...keys.integrationDeliveries(integrationId), 'list', filters],
    queryFn: ({ pageParam, signal }) =>
      fetchDeliveries(
        integrationId,
        { ...filters, limit: PAGE_SIZE, ...(pageParam > 0 ? { before: pageParam } : {}) },
        signal,
      ),
    initialPageParam: 0,
    getNextPageParam: page => page.next,
    placeholderData: keepPreviousData,
    refetchInterval: query =>
      (query.state.data?.pages.length ?? 0) <= MAX_REFRESHED_PAGES ? REFRESH_MS : false,
  });

/** The number of deliveries in these states, for the state filter's labels. */
export const countQuery = (integrationId: number | undefined, state: string) =>
  queryOptions({
    queryKey: [...keys.integrationDeliveries(integrationId), 'count', state],
    queryFn: async ({ signal }) => (await fetchDeliveries(integrationId, { state, limit: 1 }, signal)).total,
    refetchInterval: REFRESH_MS,
  });

export const statsQuery = (integrationId: number) =>
  queryOptions({
    queryKey: [...keys.integrationDeliveries(integrationId), 'stats'],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/admin/addons/{id}/stats', { params: { path: { id: String(integrationId) } }, signal }),
      ),
    refetchInterval: 2 * REFRESH_MS,
  });

/** One delivery with its attempts. */
export const deliveryQuery = (integrationId: number, deliveryId: string) =>
  queryOptions({
    queryKey: [...keys.integrationDeliveries(integrationId), 'one', deliveryId],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/admin/addons/{id}/events/{eventId}', {
          params: { path: { id: String(integrationId), eventId: deliveryId } },
          signal,
        }),
      ),
    refetchInterval: query =>
      query.state.data && ['pending', 'retrying'].includes(query.state.data.state) ? 2000 : REFRESH_MS,
  });

/** The schedule on which failed deliveries are retried. */
export const scheduleQuery = queryOptions({
  queryKey: keys.instance,
  queryFn: ({ signal }) => unwrap(api.GET('/api/admin/instance', { signal })),
  staleTime: 600_000,
  select: instance => instance.deliveries.waitSeconds,
});

const toPathParams = ({ integrationId, id }: Pick<Delivery, 'integrationId' | 'id'>) => ({
  params: { path: { id: String(integrationId), eventId: id } },
});

export const redeliver = (delivery: Delivery): Promise<void> =>
  ensureApplied(api.POST('/api/admin/addons/{id}/events/{eventId}/redeliver', toPathParams(delivery)));

export const skip = (delivery: Delivery): Promise<void> =>
  ensureApplied(api.POST('/api/admin/addons/{id}/events/{eventId}/skip', toPathParams(delivery)));

/** `failed` redelivers failed deliveries. `missing` backfills events that have no delivery. */
export type ReplayKind = 'failed' | 'missing';
export type ReplayRange = { kind: ReplayKind; from: string; to?: string };

async function replay(integrationId: number, { kind, from, to }: ReplayRange, dryRun: 'true' | 'false') {
  const params = { path: { id: String(integrationId) }, query: { dryRun } };
  const fetch = dryRun === 'true' ? { fetch: sendRead } : {};
  return kind === 'failed'
    ? await unwrap(
        api.POST('/api/admin/addons/{id}/redeliver', {
          params,
          body: { since: from, ...(to === undefined ? {} : { until: to }) },
          ...fetch,
        }),
      )
    : await unwrap(
        api.POST('/api/admin/addons/{id}/backfill', {
          params,
          body: { from, ...(to === undefined ? {} : { to }) },
          ...fetch,
        }),
      );
}

/** Previews the deliveries that a replay would queue, without sending anything. */
export const replayPlanQuery = (integrationId: number, range: ReplayRange) =>
  queryOptions({
    queryKey: [...keys.integrationDeliveries(integrationId), 'replay', range],
    // The response to a dry run is a plan.
    queryFn: async () => (await replay(integrationId, range, 'true')) as schemas['ReplayPlan'],
    staleTime: 0,
    retry: false,
  });

export const runReplay = (integrationId: number, range: ReplayRange): Promise<schemas['QueuedDeliveries']> =>
  replay(integrationId, range, 'false');
