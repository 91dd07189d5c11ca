// The browser APIs that the client uses, for one tab: a URL, storage, window events, and the session cookie.
import type { Person } from '../../e2e/support/api.ts';

const real = globalThis.fetch;

function define(name: string, value: unknown): void {
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}

const page = Object.assign(new EventTarget(), { visibilityState: 'visible' });

/** What the tab sent to the server. */
export const sent: { method: string; path: string }[] = [];
let cookie = '';
let origin = '';

/** Opens a tab at the URL. Call it before the console's modules are loaded, because they read the URL. */
export function openTab(url: string): void {
  origin = new URL(url).origin;
  const stored = new Map<string, string>();
  const browserWindow = new EventTarget();
  define('location', { origin, href: url });
  define('navigator', { onLine: true });
  define('document', page);
  define('addEventListener', browserWindow.addEventListener.bind(browserWindow));
  define('removeEventListener', browserWindow.removeEventListener.bind(browserWindow));
  define('sessionStorage', {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => stored.set(name, value),
    removeItem: (name: string) => stored.delete(name),
    key: (n: number) => [...stored.keys()][n] ?? null,
    get length() {
      return stored.size;
    },
  });
  define('fetch', (input: string | Request, init?: RequestInit) => {
    const request = new Request(typeof input === 'string' ? new URL(input, origin) : input, init);
    sent.push({ method: request.method, path: new URL(request.url).pathname });
    request.headers.set('cookie', cookie);
    request.headers.set('sec-fetch-site', 'same-origin');
    return real(request);
  });
}

export async function logIn({ username, password }: Person): Promise<void> {
  const response = await real(`${origin}/auth/simple/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ username, password }),
  });
  if (!response.ok) throw new Error(`The login failed: ${await response.text()}`);
  cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

/** A request with the tab's session that the tab did not send. */
export const elsewhere = (path: string, signal: AbortSignal): Promise<Response> =>
  real(origin + path, { headers: { cookie }, signal });

export function setVisible(isVisible: boolean): void {
  page.visibilityState = isVisible ? 'visible' : 'hidden';
  page.dispatchEvent(new Event('visibilitychange'));
}

export const countSent = (method: string, path: RegExp): number =>
  sent.filter(one => one.method === method && path.test(one.path)).length;
