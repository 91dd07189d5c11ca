import type { App } from '../../../plane/src/platform/http/app.ts';
import { sessionCookieName } from '../access/cookie.ts';
import { PASSWORD } from './factories.ts';
import { APP_SETTINGS } from './harness.ts';
import { type ApiResponse, call } from './request.ts';

export type Browser = {
  cookie: string;
  /** Sends one request with the cookie, as the console does. */
  ask: (
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    url: string,
    options?: { body?: unknown; headers?: Record<string, string>; app?: App },
  ) => Promise<ApiResponse>;
};

/** One login attempt. Returns the response. */
export const tryLogin = async (
  app: App,
  username: string,
  password = PASSWORD,
  options: { ip?: string; headers?: Record<string, string> } = {},
): Promise<ApiResponse> =>
  await call(app, 'POST', '/auth/simple/login', { token: null, body: { username, password }, ...options });

/** The cookie that a response sets, in the form that a browser sends. Undefined if it sets none or removes it. */
export function cookieOf(answer: ApiResponse): string | undefined {
  const [pair = ''] = String(answer.headers['set-cookie'] ?? '').split(';');
  return pair === '' || pair.endsWith('=') ? undefined : pair;
}

/** A browser in which the user is logged in. */
export async function logIn(app: App, username: string, ip?: string): Promise<Browser> {
  const answer = await tryLogin(app, username, PASSWORD, ip === undefined ? {} : { ip });
  const cookie = cookieOf(answer);
  if (cookie === undefined) throw new Error(`${username} could not log in: ${JSON.stringify(answer.body)}`);
  return browserWith(app, cookie);
}

export function browserWith(app: App, cookie: string): Browser {
  return {
    cookie,
    ask: async (method, url, options = {}) =>
      await call(options.app ?? app, method, url, {
        token: null,
        body: options.body,
        headers: { cookie, 'sec-fetch-site': 'same-origin', ...options.headers },
      }),
  };
}

export const COOKIE = sessionCookieName(APP_SETTINGS.publicUrl);
