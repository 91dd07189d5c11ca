// A process with several real SDKs. The campaign stops and continues it with signals, and asks for what its SDKs have.
import { once } from 'node:events';
import { InMemStorageProvider, Unleash } from 'unleash-client';
import { TRANSPORTS, type Transport } from '../../server/src/test/sdk-client.ts';

export type SdkSettings = {
  url: string;
  token: string;
  transport: Transport;
  /** The number of the first SDK, which is part of its instance id. */
  first: number;
  count: number;
  interval: number;
  flags: number;
};

const settings: SdkSettings = JSON.parse(process.env.SDK_SETTINGS ?? '{}');
const { url, token, transport, first, count, interval, flags } = settings;

const sdks: Unleash[] = [];
process.setMaxListeners(0);
for (let n = 0; n < count; n++) {
  const sdk = new Unleash({
    url: `${url}/api/`,
    appName: `campaign-${transport}`,
    instanceId: `sdk-${first + n}`,
    customHeaders: { Authorization: token },
    refreshInterval: interval,
    disableMetrics: true,
    skipInstanceCountWarning: true,
    storageProvider: new InMemStorageProvider(),
    experimentalMode: TRANSPORTS[transport],
  });
  sdk.on('error', () => {});
  await once(sdk, 'synchronized');
  sdks.push(sdk);
}

type Document = { strategies: { constraints: { values: string[] }[] }[] };

/** The number of the last change of each flag that the SDK has. */
const numbersOf = (sdk: Unleash): number[] =>
  Array.from({ length: flags }, (_, n) => {
    // The type of the package has no fields for strategies.
    const flag = sdk.getFeatureToggleDefinition(`flag-${n}`) as unknown as Document | undefined;
    return Number(flag?.strategies[0]?.constraints[0]?.values[0] ?? 0);
  });

process.on('message', () => process.send?.({ numbers: sdks.map(numbersOf) }));
process.once('disconnect', () => process.exit());
process.send?.({ ready: true });
