// A process with several real SDKs. The campaign stops and continues it with signals, and asks for what its SDKs have.
import { once } from 'node:events';
import { InMemStorageProvider, Unleash } from 'unleash-client';
import { TRANSPORTS, type Transport } from '../../server/src/test/sdk-client.ts';

const [
  url = '',
  token = '',
  transport = 'polling',
  first = '0',
  count = '1',
  interval = '1000',
  flags = '1',
] = process.argv.slice(2);

const sdks: Unleash[] = [];
process.setMaxListeners(0);
for (let n = 0; n < Number(count); n++) {
  const sdk = new Unleash({
    url: `${url}/api/`,
    appName: `campaign-${transport}`,
    instanceId: `sdk-${Number(first) + n}`,
    customHeaders: { Authorization: token },
    refreshInterval: Number(interval),
    disableMetrics: true,
    skipInstanceCountWarning: true,
    storageProvider: new InMemStorageProvider(),
    experimentalMode: TRANSPORTS[transport as Transport],
  });
  sdk.on('error', () => {});
  await once(sdk, 'synchronized');
  sdks.push(sdk);
}

type Document = { strategies: { constraints: { values: string[] }[] }[] };

/** The number of the last change of each flag that the SDK has. */
const numbersOf = (sdk: Unleash): number[] =>
  Array.from({ length: Number(flags) }, (_, n) => {
    // The type of the package has no fields for strategies.
    const flag = sdk.getFeatureToggleDefinition(`flag-${n}`) as unknown as Document | undefined;
    return Number(flag?.strategies[0]?.constraints[0]?.values[0] ?? 0);
  });

process.on('message', () => process.send?.({ numbers: sdks.map(numbersOf) }));
process.once('disconnect', () => process.exit());
process.send?.({ ready: true });
