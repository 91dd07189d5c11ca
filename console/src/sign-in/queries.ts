import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, ensureApplied, type Schemas, sendRead, unwrap } from '../api/client.ts';
import { keys } from '../api/keys.ts';

export type OidcSettings = Schemas['OidcSettings'];
export type OidcInput = Schemas['OidcSettingsInput'];
export type OidcTest = Schemas['OidcTest'];
export type AdminLogins = Schemas['AdminLogins'];

const readEtag = (response: Response): string => response.headers.get('ETag') ?? '*';

export const oidcQuery = queryOptions({
  queryKey: [...keys.settings, 'oidc'],
  queryFn: async ({ signal }) => {
    const call = api.GET('/api/admin/auth/oidc/settings', { signal });
    return { settings: await unwrap(call), etag: readEtag((await call).response) };
  },
});

export const saveOidc = (body: OidcInput, etag: string): Promise<void> =>
  ensureApplied(api.POST('/api/admin/auth/oidc/settings', { body, headers: { 'If-Match': etag } }));

/** Tests the provider. The server saves nothing. */
export const testOidc = (body: OidcInput): Promise<OidcTest> =>
  unwrap(api.POST('/api/admin/auth/oidc/test', { body, fetch: sendRead }));

export const passwordsQuery = queryOptions({
  queryKey: [...keys.settings, 'passwords'],
  queryFn: async ({ signal }) => {
    const call = api.GET('/api/admin/auth/simple/settings', { signal });
    return { settings: await unwrap(call), etag: readEtag((await call).response) };
  },
});

export const savePasswords = (body: Schemas['SimpleSettings'], etag: string): Promise<void> =>
  ensureApplied(api.POST('/api/admin/auth/simple/settings', { body, headers: { 'If-Match': etag } }));

/** How admins can log in, given a single sign-on issuer and client. */
export const adminLoginsQuery = (query: { issuer?: string; clientId?: string }) =>
  queryOptions({
    queryKey: [...keys.settings, 'admins', query],
    queryFn: ({ signal }) => unwrap(api.GET('/api/admin/auth/admins', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });

export const originsQuery = queryOptions({
  queryKey: [...keys.settings, 'origins'],
  queryFn: async ({ signal }) => {
    const call = api.GET('/api/admin/ui-config', { signal });
    const { frontendApiOrigins, unleashUrl } = await unwrap(call);
    return { origins: frontendApiOrigins, publicUrl: unleashUrl, etag: readEtag((await call).response) };
  },
});

export const saveOrigins = (frontendApiOrigins: string[], etag: string): Promise<void> =>
  ensureApplied(
    api.POST('/api/admin/ui-config/cors', { body: { frontendApiOrigins }, headers: { 'If-Match': etag } }),
  );

/** The roles that a new account can have. */
export const rootRolesQuery = queryOptions({
  queryKey: [...keys.roles, 'root'],
  queryFn: async ({ signal }) =>
    (await unwrap(api.GET('/api/admin/roles', { signal }))).roles.filter(
      ({ type }) => type === 'root' || type === 'root-custom',
    ),
  staleTime: 60_000,
});
