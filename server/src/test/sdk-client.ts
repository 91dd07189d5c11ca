import { once } from 'node:events';
import { InMemStorageProvider, Unleash } from 'unleash-client';

/** The ways in which an SDK receives flags. */
export const TRANSPORTS = {
  polling: { type: 'polling', format: 'full' },
  delta: { type: 'polling', format: 'delta' },
  streaming: { type: 'streaming' },
} as const;

export type Transport = keyof typeof TRANSPORTS;

/** Starts a real SDK and waits for its first flags. */
export async function startSdk(
  url: string,
  token: string,
  transport: Transport,
  refreshInterval = 100,
  instanceId?: string,
): Promise<Unleash> {
  const sdk = new Unleash({
    url: `${url}/api/`,
    appName: 'test',
    ...(instanceId !== undefined && { instanceId }),
    customHeaders: { Authorization: token },
    refreshInterval,
    disableMetrics: true,
    skipInstanceCountWarning: true,
    storageProvider: new InMemStorageProvider(),
    experimentalMode: TRANSPORTS[transport],
  });
  sdk.on('error', () => {});
  await once(sdk, 'synchronized');
  return sdk;
}
