// Simulates the parts of a browser tab that the client uses: the URL, storage, window events and the session cookie.
import type { Person } from '../../e2e/support/api.ts';

const realFetch = globalThis.fetch;

function define(name: string, value: unknown): void {
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}

const page = Object.assign(new EventTarget(), { visibilityState: 'visible' });

/** The requests that the tab has sent to the server. */
export const sentRequests: { method: string; path: string }[] = [];
let cookie = '';
let origin = '';

/** Opens a tab at the URL. Call this before you load the console's modules, because they read the URL. */
export function openTab(url: string): void {
  origin = new URL(url).origin;
  const sessionItems = new Map<string, string>();
  const browserWindow = new EventTarget();
  define('location', { origin, href: url });
  define('navigator', { onLine: true });
  define('document', page);
  define('addEventListener', browserWindow.addEventListener.bind(browserWindow));
  define('removeEventListener', browserWindow.removeEventListener.bind(browserWindow));
  define('sessionStorage', {
    getItem: (name: string) => sessionItems.get(name) ?? null,
    setItem: (name: string, value: string) => sessionItems.set(name, value),
    removeItem: (name: string) => sessionItems.delete(name),
    key: (n: number) => [...sessionItems.keys()][n] ?? null,
    get length() {
      return sessionItems.size;
    },
  });
  define('fetch', (input: string | Request, init?: RequestInit) => {
    const request = new Request(typeof input === 'string' ? new URL(input, origin) : input, init);
    sentRequests.push({ method: request.method, path: new URL(request.url).pathname });
    request.headers.set('cookie', cookie);
    request.headers.set('sec-fetch-site', 'same-origin');
    return realFetch(request);
  });
}

export async function logIn({ username, password }: Person): Promise<void> {
  const response = await realFetch(`${origin}/auth/simple/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ username, password }),
  });
  if (!response.ok) throw new Error(`The login failed: ${await response.text()}`);
  cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

/** Sends a request with the tab's session, as a different tab would. */
export const sendFromOtherTab = (path: string, signal: AbortSignal): Promise<Response> =>
  realFetch(origin + path, { headers: { cookie }, signal });

export function setVisible(isVisible: boolean): void {
  page.visibilityState = isVisible ? 'visible' : 'hidden';
  page.dispatchEvent(new Event('visibilitychange'));
}

export const countSent = (method: string, path: RegExp): number =>
  sentRequests.filter(request => request.method === method && path.test(request.path)).length;
