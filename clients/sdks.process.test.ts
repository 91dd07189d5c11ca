import { once } from 'node:events';
import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { OpenFeature, type Provider } from '@openfeature/web-sdk';
import { beforeAll, expect, test } from 'vitest';
import { makeFlusher } from '../server/src/reporting/metrics/flush.ts';
import { makeFeature, makeProject } from '../server/src/test/factories.ts';
import { useHarness } from '../server/src/test/harness.ts';
import { call } from '../server/src/test/request.ts';
import { useSdkServer } from '../server/src/test/sdk-server.ts';

/** Loads a package without its types, because the packages are CommonJS and their types differ between versions. */
const load = createRequire(import.meta.url);

type StartOptions = { url: string; backend: string; frontend: string; appName: string; flag: string };
type RunningSdk = {
  /** Returns the variant that the user gets, `enabled` if the SDK does not support variants, or `disabled`. */
  getVariantName: (userId: string) => string | Promise<string>;
  sendMetrics: () => Promise<unknown>;
  stop: () => unknown;
};
type Sdk = {
  name: string;
  start: (options: StartOptions) => Promise<RunningSdk>;
  /** The version that the SDK sends when it registers. Frontend SDKs do not register. */
  registeredVersion?: RegExp;
  /** What an old SDK does not support: strategy variants or variant counts. */
  lacks?: 'variants' | 'counts of variants';
};

/** The polling interval, in milliseconds. */
const INTERVAL = 200;
/**
 * Intervals in seconds. A browser SDK cancels a request that takes longer than the interval, so with a shorter interval, it would never
 * see a change on a busy machine.
 */
const REFRESH = { refreshInterval: 5, metricsInterval: 60 };

const serverSdk = (name: string, module: string, mode?: object, lacks?: 'variants'): Sdk => ({
  name,
  ...(lacks && { lacks }),
  registeredVersion: /^unleash-(client-node|node-sdk):\d/,
  start: async ({ url, backend, appName, flag }) => {
    const { Unleash, InMemStorageProvider } = load(module);
    const sdk = new Unleash({
      url: `${url}/api/`,
      appName,
      customHeaders: { Authorization: backend },
      refreshInterval: INTERVAL,
      metricsInterval: 60_000,
      storageProvider: new InMemStorageProvider(),
      skipInstanceCountWarning: true,
      ...(mode && { experimentalMode: mode }),
    });
    sdk.on('error', () => {});
    await Promise.all([once(sdk, 'synchronized'), once(sdk, 'registered')]);
    return {
      getVariantName: userId => {
        if (!lacks) return sdk.getVariant(flag, { userId }).name;
        return sdk.isEnabled(flag, { userId }) ? 'enabled' : 'disabled';
      },
      sendMetrics: () => sdk.flushMetrics(),
      stop: () => sdk.destroy(),
    };
  },
});

const browserSdk = (name: string, module: string, options: object = {}): Sdk => ({
  name,
  start: async ({ url, frontend, appName, flag }) =>
    await startBrowserSdk(module, `${url}/api/frontend`, frontend, appName, flag, options),
});

async function startBrowserSdk(
  module: string,
  url: string,
  clientKey: string,
  appName: string,
  flag: string,
  options: object = {},
): Promise<RunningSdk> {
  const { UnleashClient } = load(module);
  // Version 1 reads its storage synchronously.
  const storageProvider = { get: () => undefined, save: () => undefined };
  const sdk = new UnleashClient({ url, clientKey, appName, storageProvider, fetch, ...REFRESH, ...options });
  await sdk.start();
  return {
    getVariantName: async userId => {
      await sdk.updateContext({ userId });
      return sdk.getVariant(flag).name;
    },
    sendMetrics: () => sdk.metrics.sendMetrics(),
    stop: () => sdk.stop(),
  };
}

const nextOnServer: Sdk = {
  name: '@unleash/nextjs, evaluated on the server',
  start: async ({ url, backend, frontend, appName, flag }) => {
    const { getDefinitions, evaluateFlags, flagsClient } = load('@unleash/nextjs');
    const metrics = { url: `${url}/api/frontend`, clientKey: frontend, appName };
    let flags = flagsClient([], metrics);
    return {
      getVariantName: async userId => {
        const config = { url: `${url}/api/client/features`, token: backend, appName };
        const definitions = await getDefinitions({ ...config, fetchOptions: { cache: 'no-store' } });
        flags = flagsClient(evaluateFlags(definitions, { userId }).toggles, metrics);
        return flags.getVariant(flag).name;
      },
      sendMetrics: () => flags.sendMetrics(),
      stop: () => flags.stop(),
    };
  },
};

const nextInFrontend: Sdk = {
  name: '@unleash/nextjs, evaluated by the frontend API',
  start: async ({ url, frontend, appName, flag }) => {
    const { getFrontendFlags, flagsClient } = load('@unleash/nextjs');
    const options = { url: `${url}/api/frontend`, clientKey: frontend, appName };
    let flags = flagsClient([], options);
    return {
      getVariantName: async userId => {
        flags = flagsClient((await getFrontendFlags({ ...options, context: { userId } })).toggles, options);
        return flags.getVariant(flag).name;
      },
      sendMetrics: () => flags.sendMetrics(),
      stop: () => flags.stop(),
    };
  },
};

const proxy: Sdk = {
  name: '@unleash/proxy, with a browser SDK behind it',
  registeredVersion: /^unleash-node-sdk:\d/,
  start: async ({ url, backend, appName, flag }) => {
    const { createApp, createProxyConfig } = load('@unleash/proxy');
    const { createSingletonClient } = load('@unleash/proxy/dist/create-client.js');
    const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, fatal: () => {} };
    const options = {
      unleashUrl: `${url}/api/`,
      unleashApiToken: backend,
      unleashAppName: appName,
      clientKeys: ['a key'],
      refreshInterval: INTERVAL,
      metricsInterval: INTERVAL,
      logger: quiet,
    };
    const upstream = createSingletonClient(createProxyConfig(options));
    const listening: Server = createApp(options, upstream).listen(0, '127.0.0.1');
    await once(listening, 'listening');
    const address = `http://127.0.0.1:${(listening.address() as AddressInfo).port}/proxy`;
    await expect.poll(async () => (await fetch(`${address}/health`)).status).toBe(200);
    const browser = await startBrowserSdk('unleash-proxy-client', address, 'a key', 'browser', flag);
    return {
      ...browser,
      stop: async () => {
        await browser.stop();
        upstream.destroy();
        listening.closeAllConnections();
        listening.close();
      },
    };
  },
};

const openFeatureProvider: Sdk = {
  name: '@openfeature/unleash-web-provider',
  start: async ({ url, frontend, appName, flag }) => {
    const { UnleashWebProvider } = load('@openfeature/unleash-web-provider');
    const provider = new UnleashWebProvider({
      url: `${url}/api/frontend`,
      clientKey: frontend,
      appName,
      fetch,
      ...REFRESH,
    });
    await OpenFeature.setProviderAndWait(appName, provider as Provider);
    const client = OpenFeature.getClient(appName);
    return {
      getVariantName: async userId => {
        await OpenFeature.setContext(appName, { userId });
        // The variant has a payload, which is the value in OpenFeature.
        return client.getStringDetails(flag, 'disabled').variant ?? 'disabled';
      },
      sendMetrics: () => provider.unleashClient.sendMetrics(),
      stop: () => OpenFeature.close(),
    };
  },
};

const SDKS: Sdk[] = [
  serverSdk('unleash-client 3', 'unleash-client-3', undefined, 'variants'),
  serverSdk('unleash-client 4', 'unleash-client-4'),
  serverSdk('unleash-client 5', 'unleash-client-5'),
  serverSdk('unleash-client 6, polling', 'unleash-client', { type: 'polling', format: 'full' }),
  serverSdk('unleash-client 6, delta', 'unleash-client', { type: 'polling', format: 'delta' }),
  serverSdk('unleash-client 6, streaming', 'unleash-client', { type: 'streaming' }),
  { ...browserSdk('unleash-proxy-client 1', 'unleash-proxy-client-1'), lacks: 'counts of variants' },
  browserSdk('unleash-proxy-client 2', 'unleash-proxy-client-2'),
  browserSdk('unleash-proxy-client 3, GET', 'unleash-proxy-client'),
  browserSdk('unleash-proxy-client 3, POST', 'unleash-proxy-client', { usePOSTrequests: true }),
  nextOnServer,
  nextInFrontend,
  proxy,
  openFeatureProvider,
];

const harness = useHarness();
const sdkServer = useSdkServer(harness);
const tokens = { backend: '', frontend: '' };

beforeAll(async () => {
  await makeProject(harness.db, { id: 'sdks' });
  tokens.backend = await sdkServer.token('production', ['sdks']);
  tokens.frontend = await sdkServer.token('production', ['sdks'], 'frontend');
});

const buildEnvironmentPath = (flag: string) =>
  `/api/admin/projects/sdks/features/${flag}/environments/production`;

async function toggle(flag: string, state: 'on' | 'off'): Promise<void> {
  expect((await call(harness.app, 'POST', `${buildEnvironmentPath(flag)}/${state}`)).status).toBe(200);
}

/** Creates a flag that only Ada gets. */
async function makeFlag(name: string): Promise<void> {
  await makeFeature(harness.db, 'sdks', { name, type: 'release' });
  const payload = { type: 'string', value: '#0000ff' };
  const strategy = {
    name: 'flexibleRollout',
    parameters: { rollout: '100', stickiness: 'userId' },
    constraints: [{ contextName: 'userId', operator: 'IN', values: ['ada'] }],
    variants: [{ name: 'blue', weight: 1_000, weightType: 'variable', stickiness: 'default', payload }],
  };
  const { status } = await call(harness.app, 'PUT', `${buildEnvironmentPath(name)}/strategies`, {
    body: [strategy],
  });
  expect(status).toBe(200);
  await toggle(name, 'on');
}

/** Writes the SDKs' reports to the database, and reads them through the API. */
async function flushAndRead(path: string) {
  await makeFlusher(harness.db, harness.app.usage).flush();
  return (await call(harness.app, 'GET', `/api/admin/${path}`)).body;
}

const positiveCount = expect.toSatisfy((count: number) => count > 0);

test.each(SDKS.map((sdk, index) => ({ ...sdk, appName: `app-${index}`, flag: `flag-${index}` })))(
  '$name evaluates a flag, receives changes, and reports metrics',
  async ({ start, registeredVersion, lacks, appName, flag }) => {
    const enabled = lacks === 'variants' ? 'enabled' : 'blue';
    await makeFlag(flag);
    const sdk = await start({ url: sdkServer.url, ...tokens, appName, flag });

    await expect.poll(() => sdk.getVariantName('ada')).toBe(enabled);
    await expect.poll(() => sdk.getVariantName('ben')).toBe('disabled');
    await toggle(flag, 'off');
    await expect.poll(() => sdk.getVariantName('ada')).toBe('disabled');
    await toggle(flag, 'on');
    await expect.poll(() => sdk.getVariantName('ada')).toBe(enabled);
    await sdk.sendMetrics();

    const counts = {
      appName,
      environment: 'production',
      yes: positiveCount,
      variants: lacks ? {} : { blue: positiveCount },
    };
    await expect
      .poll(async () => await flushAndRead(`client-metrics/features/${flag}/raw`))
      .toMatchObject({ data: [counts] });
    if (registeredVersion) {
      const instance = { sdkVersion: expect.stringMatching(registeredVersion), environment: 'production' };
      expect(await flushAndRead(`metrics/applications/${appName}`)).toMatchObject({ instances: [instance] });
    }
    await sdk.stop();
  },
);
