import { queryOptions } from '@tanstack/react-query';
import { api, ensureApplied, type Schemas, unwrap } from '../api/client.ts';
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

const toPathParams = (id: number) => ({ params: { path: { id: String(id) } } });

/** A service account and its ETag, which identifies the version that the user has seen. */
export const serviceAccountQuery = (id: number) =>
  queryOptions({
    queryKey: [...keys.serviceAccounts, id],
    queryFn: async ({ signal }) => {
      const call = api.GET('/api/admin/service-account/{id}', { ...toPathParams(id), signal });
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
  ensureApplied(
    api.PUT('/api/admin/service-account/{id}', { ...toPathParams(id), body, headers: { 'If-Match': etag } }),
  );

export const deleteServiceAccount = (id: number): Promise<void> =>
  ensureApplied(api.DELETE('/api/admin/service-account/{id}', toPathParams(id)));

export const createToken = (id: number, body: Schemas['NewServiceToken']) =>
  unwrap(api.POST('/api/admin/service-account/{id}/token', { ...toPathParams(id), body }));

const TOKEN = '/api/admin/service-account/{id}/token/{tokenId}';
const toTokenParams = (id: number, tokenId: number) => ({
  params: { path: { id: String(id), tokenId: String(tokenId) } },
});

export const updateTokenExpiry = (id: number, tokenId: number, expiresAt: string): Promise<void> =>
  ensureApplied(api.PUT(TOKEN, { ...toTokenParams(id, tokenId), body: { expiresAt } }));

export const deleteToken = (id: number, tokenId: number): Promise<void> =>
  ensureApplied(api.DELETE(TOKEN, toTokenParams(id, tokenId)));

/** The events that change a service account or its tokens. All of them name the account. */
export const buildSubject = ({ id, username }: Pick<ServiceAccount, 'id' | 'username'>): Subject => ({
  types: [
    'service-account-created',
    'service-account-updated',
    'service-account-token-created',
    'service-account-token-updated',
    'service-account-token-deleted',
  ],
  text: username,
  isAbout: ({ type, data, preData }) => {
    const fields = data ?? preData;
    return (type.startsWith('service-account-token-') ? fields?.userId : fields?.id) === id;
  },
});
