import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { schemas } from '../api/api.gen.ts';
import { api, ensureApplied, sendRead, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';

export type Integration = schemas['Integration'];
export type Provider = schemas['IntegrationProvider'];
export type IntegrationInput = schemas['IntegrationInput'];

/** An integration's state also changes without a user's action, for example when deliveries fail or the server disables it. */
const REFRESH_MS = 10_000;

/** All integrations, and the providers for new integrations. */
export const integrationsQuery = queryOptions({
  queryKey: [...keys.integrations, 'list'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/admin/addons', { signal })),
  refetchInterval: REFRESH_MS,
});

/** An integration and its ETag, which identifies the version that the user has seen. */
export const integrationQuery = (id: string) =>
  queryOptions({
    queryKey: keys.integration(id),
    queryFn: async ({ signal }) => {
      const call = api.GET('/api/admin/addons/{id}', { params: { path: { id } }, signal });
      const integration = await unwrap(call);
      return { integration, etag: (await call).response.headers.get('ETag') ?? '*' };
    },
    refetchInterval: REFRESH_MS,
  });

export const eventTypesQuery = queryOptions({
  queryKey: keys.eventTypes,
  queryFn: ({ signal }) => unwrap(api.GET('/api/admin/event-types', { signal })),
  staleTime: 600_000,
});

/** The newest events that an integration with these filters would have received. */
export const matchingEventsQuery = (body: schemas['IntegrationPreviewInput']) =>
  queryOptions({
    queryKey: keys.matchingEvents(body),
    queryFn: ({ signal }) => unwrap(api.POST('/api/admin/addons/preview', { body, signal, fetch: sendRead })),
    placeholderData: keepPreviousData,
    retry: false,
  });

/** The matching events of the last days, and the request that would deliver one of them. */
export const previewQuery = (id: number, body: schemas['PreviewRequest']) =>
  queryOptions({
    queryKey: keys.deliveryPreview(id, body),
    queryFn: ({ signal }) =>
      unwrap(
        api.POST('/api/admin/addons/{id}/preview', {
          params: { path: { id: String(id) } },
          body,
          signal,
          fetch: sendRead,
        }),
      ),
    placeholderData: keepPreviousData,
    retry: false,
  });

export const createIntegration = (body: IntegrationInput) => unwrap(api.POST('/api/admin/addons', { body }));

/** Replaces an integration. The server rejects the request with 412 if somebody has changed the integration in the meantime. */
export const updateIntegration = (id: number, body: IntegrationInput, etag: string): Promise<void> =>
  ensureApplied(
    api.PUT('/api/admin/addons/{id}', {
      params: { path: { id: String(id) } },
      body,
      headers: { 'If-Match': etag },
    }),
  );

/** Enables or disables an integration without changing anything else. */
export async function setEnabled(id: number, enabled: boolean): Promise<void> {
  const params = { path: { id: String(id) } };
  await ensureApplied(
    enabled
      ? api.POST('/api/admin/addons/{id}/on', { params })
      : api.POST('/api/admin/addons/{id}/off', { params }),
  );
}

/** Finds an integration's newest change. Ignores errors, because the change only explains a conflict. */
export async function findChange(id: number): Promise<schemas['Event'] | undefined> {
  const query = { type: 'IS_ANY_OF:addon-config-updated', limit: 20 };
  const response = await unwrap(api.GET('/api/admin/search/events', { params: { query } })).catch(
    () => undefined,
  );
  return response?.events.find(event => event.data?.id === id);
}

export const deleteIntegration = (id: number): Promise<void> =>
  ensureApplied(api.DELETE('/api/admin/addons/{id}', { params: { path: { id: String(id) } } }));

export const sendTest = (id: number): Promise<void> =>
  ensureApplied(api.POST('/api/admin/addons/{id}/test', { params: { path: { id: String(id) } } }));

export const rotateSecret = (id: number, body: schemas['SecretRotation']) =>
  unwrap(api.POST('/api/admin/addons/{id}/rotate-secret', { params: { path: { id: String(id) } }, body }));
