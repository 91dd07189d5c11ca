import { InMemoryStorageProvider, UnleashClient } from 'unleash-proxy-client';

export type BrowserContext = {
  userId?: string;
  sessionId?: string;
  remoteAddress?: string;
  currentTime?: string;
  properties?: Record<string, string>;
};

type Options = {
  url: string;
  token: string;
  context?: BrowserContext;
  appName?: string;
  usePOSTrequests?: boolean;
  refreshInterval?: number;
  fetch?: typeof fetch;
  disableMetrics?: boolean;
};

/** Starts a real browser SDK that is ready. It polls only if an interval, in seconds, is given. */
export async function startBrowserSdk({ url, token, appName = 'test', ...options }: Options) {
  const sdk = new UnleashClient({
    url: `${url}/api/frontend`,
    clientKey: token,
    appName,
    refreshInterval: 0,
    disableMetrics: true,
    storageProvider: new InMemoryStorageProvider(),
    fetch: globalThis.fetch,
    ...options,
  });
  await sdk.start();
  return sdk;
}
