import type { App } from '@halyard/plane/platform/http/app.ts';
import { expect } from 'vitest';
import { type Account, CLIENT } from './identity-provider.ts';
import { type ApiResponse, call } from './request.ts';

/** Enables single sign-on with a provider, and resets the settings of earlier tests. */
export const configureSso = async (
  app: App,
  discoverUrl: string,
  fields: object = {},
): Promise<ApiResponse> =>
  await call(app, 'POST', '/api/admin/auth/oidc/settings', {
    body: {
      enabled: true,
      discoverUrl,
      ...CLIENT,
      autoCreate: true,
      emailDomains: 'example.com',
      defaultRootRole: 'Viewer',
      enableGroupSyncing: false,
      enableSingleSignOut: false,
      groupJsonPath: null,
      addGroupsScope: false,
      acrValues: null,
      idTokenSigningAlgorithm: null,
      ...fields,
    },
  });

let personCount = 0;

/** Returns an account that only the provider knows. */
export const person = (fields: object = {}): Account => {
  const sub = `person-${++personCount}`;
  return { sub, email: `${sub}@example.com`, email_verified: true, name: `Person ${personCount}`, ...fields };
};

/** Sends a request as a browser does. */
export const sendAsBrowser = (
  app: App,
  url: string,
  cookie?: string,
  options: { ip?: string } = {},
): Promise<ApiResponse> =>
  call(app, 'GET', url, { token: null, headers: cookie === undefined ? {} : { cookie }, ...options });

export const readCookies = ({ headers }: ApiResponse): Record<string, string> =>
  Object.fromEntries(
    [headers['set-cookie'] ?? []].flat().map(line => {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(String(line)) ?? [];
      return [name, value];
    }),
  );

export type StartedLogin = { url: string; cookie: string };

/** Begins a login. Returns the URL to which the browser is sent, and the cookie that it has to send back. */
export async function beginLogin(app: App, query = ''): Promise<StartedLogin> {
  const response = await sendAsBrowser(app, `/auth/oidc/login${query}`);
  expect(response.status, JSON.stringify(response.body)).toBe(302);
  return {
    url: String(response.headers.location),
    cookie: `halyard-login=${readCookies(response)['halyard-login']}`,
  };
}

export const getPathAndQuery = (url: URL): string => url.pathname + url.search;
