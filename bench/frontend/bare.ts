// Evaluates all flags for one context with unleash-client and writes the response, as often as the bench asks: the least that such a request
// can cost with this package, without HTTP.
import { once } from 'node:events';
import { InMemStorageProvider, Unleash } from 'unleash-client';

// It never outlives the bench.
process.once('disconnect', () => process.exit());

type Start = { documents: object[]; context: Record<string, string> };

const [{ documents, context }] = (await once(process, 'message')) as [Start];
const unleash = new Unleash({
  appName: 'bench',
  url: 'http://127.0.0.1:1/',
  refreshInterval: 0,
  disableMetrics: true,
  skipInstanceCountWarning: true,
  bootstrap: { data: documents as never },
  storageProvider: new InMemStorageProvider(),
});
unleash.on('error', () => {});
await once(unleash, 'ready');
const names = unleash.getFeatureToggleDefinitions().map(({ name }) => name);

const evaluate = (): string => {
  const toggles = [];
  for (const name of names) {
    const variant = unleash.getVariant(name, context);
    if (variant.feature_enabled) toggles.push({ name, enabled: true, impressionData: false, variant });
  }
  return JSON.stringify({ toggles });
};

process.on('message', (count: number) => {
  let length = 0;
  for (let n = 0; n < count; n++) length = Buffer.byteLength(evaluate());
  process.send?.(length);
});
process.send?.(names.length);
