import { queryOptions } from '@tanstack/react-query';
import { api, done, type Schemas, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import type { Subject } from '../ui/last-change.ts';

export type ServiceAccount = Schemas['ServiceAccount'];
export type Token = Schemas['ServiceAccountToken'];

/** All service accounts with their tokens, and the root roles that can be granted. */
export const serviceAccountsQuery = queryOptions({
  queryKey: keys.serviceAccounts,
  queryFn: ({ signal }) => unwrap(api.GET('/api/admin/service-account', { signal })),
  staleTime: 5_000,
});

const pathOf = (id: number) => ({ params: { path: { id: String(id) } } });

/** A service account, and the ETag that proves which state the page has seen. */
export const serviceAccountQuery = (id: number) =>
  queryOptions({
    queryKey: [...keys.serviceAccounts, id],
    queryFn: async ({ signal }) => {
      const call = api.GET('/api/admin/service-account/{id}', { ...pathOf(id), signal });
      const account = await unwrap(call);
      return { account, etag: (await call).response.headers.get('ETag') ?? '*' };
    },
  });

export const createServiceAccount = (body: Schemas['NewServiceAccount']) =>
  unwrap(api.POST('/api/admin/service-account', { body }));

export const updateServiceAccount = (
  id: number,
  body: Schemas['ServiceAccountUpdate'],
  etag: string,
): Promise<void> =>
  done(api.PUT('/api/admin/service-account/{id}', { ...pathOf(id), body, headers: { 'If-Match': etag } }));

export const deleteServiceAccount = (id: number): Promise<void> =>
  done(api.DELETE('/api/admin/service-account/{id}', pathOf(id)));

export const createToken = (id: number, body: Schemas['NewServiceToken']) =>
  unwrap(api.POST('/api/admin/service-account/{id}/token', { ...pathOf(id), body }));

export const deleteToken = (id: number, tokenId: number): Promise<void> =>
  done(
    api.DELETE('/api/admin/service-account/{id}/token/{tokenId}', {
      params: { path: { id: String(id), tokenId: String(tokenId) } },
    }),
  );

/** The events that change a service account. */
export const subjectOf = (id: number): Subject => ({
  types: ['service-account-created', 'service-account-updated'],
  isAbout: ({ data, preData }) => (data?.id ?? preData?.id) === id,
});
