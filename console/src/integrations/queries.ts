import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { schemas } from '../api/api.gen.ts';
import { api, done, sendRead, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';

export type Integration = schemas['Integration'];
export type Provider = schemas['IntegrationProvider'];
export type IntegrationInput = schemas['IntegrationInput'];

/** The state of an integration changes by itself: it fails, recovers, or the server disables it. */
const REFRESH_MS = 10_000;

/** All integrations, and the providers for new ones. */
export const integrationsQuery = queryOptions({
  queryKey: [...keys.integrations, 'list'],
  queryFn: ({ signal }) => unwrap(api.GET('/api/admin/addons', { signal })),
  refetchInterval: REFRESH_MS,
});

/** An integration, and the ETag that proves which state the user has seen. */
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

/** The newest events that an integration with these filters would have got. */
export const matchingQuery = (body: schemas['IntegrationPreviewInput']) =>
  queryOptions({
    queryKey: keys.matchingEvents(body),
    queryFn: ({ signal }) => unwrap(api.POST('/api/admin/addons/preview', { body, signal, fetch: sendRead })),
    placeholderData: keepPreviousData,
    retry: false,
  });

/** The events of the last days that match, and the request that would deliver one of them. */
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

/** Replaces an integration. The server rejects it with 412 if somebody changed it meanwhile. */
export const updateIntegration = (id: number, body: IntegrationInput, etag: string): Promise<void> =>
  done(
    api.PUT('/api/admin/addons/{id}', {
      params: { path: { id: String(id) } },
      body,
      headers: { 'If-Match': etag },
    }),
  );

/** Enables or disables an integration, and changes nothing else. */
export async function setEnabled(id: number, enabled: boolean): Promise<void> {
  const params = { path: { id: String(id) } };
  await done(
    enabled
      ? api.POST('/api/admin/addons/{id}/on', { params })
      : api.POST('/api/admin/addons/{id}/off', { params }),
  );
}

/** The newest change of an integration. Returns none after an error, because it only explains a conflict. */
export async function findChange(id: number): Promise<schemas['Event'] | undefined> {
  const query = { type: 'IS_ANY_OF:addon-config-updated', limit: 20 };
  const found = await unwrap(api.GET('/api/admin/search/events', { params: { query } })).catch(
    () => undefined,
  );
  return found?.events.find(event => event.data?.id === id);
}

export const deleteIntegration = (id: number): Promise<void> =>
  done(api.DELETE('/api/admin/addons/{id}', { params: { path: { id: String(id) } } }));

export const sendTest = (id: number): Promise<void> =>
  done(api.POST('/api/admin/addons/{id}/test', { params: { path: { id: String(id) } } }));

export const rotateSecret = (id: number, body: schemas['SecretRotation']) =>
  unwrap(api.POST('/api/admin/addons/{id}/rotate-secret', { params: { path: { id: String(id) } }, body }));
