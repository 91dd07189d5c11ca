import type { App } from '@halyard/plane/platform/http/app.ts';
import { getSessionCookieName } from '../access/cookie.ts';
import { PASSWORD } from './factories.ts';
import { APP_SETTINGS } from './harness.ts';
import { type ApiResponse, call } from './request.ts';

export type Browser = {
  cookie: string;
  /** Sends one request with the cookie, as the console does. */
  send: (
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    url: string,
    options?: { body?: unknown; headers?: Record<string, string>; app?: App },
  ) => Promise<ApiResponse>;
};

/** Tries to log in. Returns the response. */
export const tryLogin = async (
  app: App,
  username: string,
  password = PASSWORD,
  options: { ip?: string; headers?: Record<string, string> } = {},
): Promise<ApiResponse> =>
  await call(app, 'POST', '/auth/simple/login', { token: null, body: { username, password }, ...options });

/**
 * Returns the cookie that a response sets, in the form that a browser sends, or undefined if the response sets no cookie or removes
 * it.
 */
export function findCookie(response: ApiResponse): string | undefined {
  const [pair = ''] = String(response.headers['set-cookie'] ?? '').split(';');
  return pair === '' || pair.endsWith('=') ? undefined : pair;
}

/** Logs the user in. Returns the browser. */
export async function logIn(app: App, username: string, ip?: string): Promise<Browser> {
  const response = await tryLogin(app, username, PASSWORD, ip === undefined ? {} : { ip });
  const cookie = findCookie(response);
  if (cookie === undefined) throw new Error(`${username} could not log in: ${JSON.stringify(response.body)}`);
  return makeBrowser(app, cookie);
}

export function makeBrowser(app: App, cookie: string): Browser {
  return {
    cookie,
    send: async (method, url, options = {}) =>
      await call(options.app ?? app, method, url, {
        token: null,
        body: options.body,
        headers: { cookie, 'sec-fetch-site': 'same-origin', ...options.headers },
      }),
  };
}

export const COOKIE = getSessionCookieName(APP_SETTINGS.publicUrl);
