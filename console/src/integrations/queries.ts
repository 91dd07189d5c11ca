import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query';
import type { schemas } from '../api/api.gen.ts';
import { api, unwrap } from '../api/client.ts';

export type Integration = schemas['Integration'];
export type Provider = schemas['IntegrationProvider'];
export type IntegrationInput = schemas['IntegrationInput'];

/** The state of an integration changes by itself: it fails, recovers, or the server disables it. */
const REFRESH_MS = 10_000;

/** All integrations, and the providers for new ones. */
export const integrationsQuery = queryOptions({
  queryKey: ['integrations', 'list'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/admin/addons', { signal })),
  refetchInterval: REFRESH_MS,
});

export const integrationQuery = (id: string) =>
  queryOptions({
    queryKey: ['integrations', 'one', id],
    queryFn: ({ signal }) => unwrap(api.GET('/api/admin/addons/{id}', { params: { path: { id } }, signal })),
    refetchInterval: REFRESH_MS,
  });

export const eventTypesQuery = queryOptions({
  queryKey: ['event-types'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/admin/event-types', { signal })),
  staleTime: 600_000,
});

/** The newest events that an integration with these filters would have got. */
export const matchingQuery = (body: schemas['IntegrationPreviewInput']) =>
  queryOptions({
    queryKey: ['matching-events', body],
    queryFn: ({ signal }) => unwrap(api.POST('/api/admin/addons/preview', { body, signal })),
    placeholderData: keepPreviousData,
    retry: false,
  });

/** The events of the last days that match, and the request that would deliver one of them. */
export const previewQuery = (id: number, body: schemas['PreviewRequest']) =>
  queryOptions({
    queryKey: ['preview', id, body],
    queryFn: ({ signal }) =>
      unwrap(
        api.POST('/api/admin/addons/{id}/preview', { params: { path: { id: String(id) } }, body, signal }),
      ),
    placeholderData: keepPreviousData,
    retry: false,
  });

export const createIntegration = (body: IntegrationInput) => unwrap(api.POST('/api/admin/addons', { body }));

export const updateIntegration = (id: number, body: IntegrationInput): Promise<Integration> =>
  unwrap(api.PUT('/api/admin/addons/{id}', { params: { path: { id: String(id) } }, body }));

export const deleteIntegration = (id: number): Promise<unknown> =>
  unwrap(api.DELETE('/api/admin/addons/{id}', { params: { path: { id: String(id) } } }));

export const sendTest = (id: number): Promise<unknown> =>
  unwrap(api.POST('/api/admin/addons/{id}/test', { params: { path: { id: String(id) } } }));

export const rotateSecret = (id: number, body: schemas['SecretRotation']) =>
  unwrap(api.POST('/api/admin/addons/{id}/rotate-secret', { params: { path: { id: String(id) } }, body }));

/** Loads integrations and deliveries again after a change. */
export const refresh = (client: QueryClient): Promise<unknown> =>
  Promise.all(['integrations', 'deliveries'].map(name => client.invalidateQueries({ queryKey: [name] })));
