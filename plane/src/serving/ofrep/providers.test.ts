import { OFREPWebProvider } from '@openfeature/ofrep-web-provider';
import { OpenFeature, type Provider } from '@openfeature/web-sdk';
import { EventSource } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useHarness } from '../../../../server/src/test/harness.ts';
import { makeEnvironment, putDocuments } from '../../../../server/src/test/sdk-documents.ts';
import { useSdkServer } from '../../../../server/src/test/sdk-server.ts';

const harness = useHarness();
const server = useSdkServer(harness);

const flag = (enabled: boolean) => ({
  name: 'flag',
  enabled: true,
  strategies: [
    {
      name: 'default',
      constraints: [{ contextName: 'userId', operator: 'IN', values: enabled ? ['ada'] : ['nobody'] }],
    } as object,
  ],
  variants: [],
});

beforeAll(() => {
  // Browsers have EventSource. Node.js has it behind a flag.
  Object.assign(globalThis, { EventSource });
});

afterAll(async () => {
  await OpenFeature.close();
});

test('an open page sees each change within 1 s, without polling', async () => {
  await makeEnvironment(harness.db, 'page');
  await putDocuments(harness.db, 'page', { features: [flag(false)] });
  const token = await server.token('page', undefined, 'frontend');
  const requests: string[] = [];
  const provider = new OFREPWebProvider({
    baseUrl: server.url,
    headers: [['Authorization', `Bearer ${token}`]],
    cacheMode: 'disabled',
    fetchImplementation: async (...request: Parameters<typeof fetch>) => {
      const response = await fetch(...request);
      requests.push(`${response.status}`);
      return response;
    },
  });
  await OpenFeature.setContext({ targetingKey: 'ada' });
  await OpenFeature.setProviderAndWait(provider as Provider);
  const client = OpenFeature.getClient();
  const isEnabled = () => client.getBooleanValue('flag', false);
  expect(isEnabled()).toBe(false);
  // The stream sends a notification when it opens, and the request that follows gets a 304.
  await expect.poll(() => requests).toEqual(['200', '304']);

  for (const enabled of [true, false, true]) {
    await putDocuments(harness.db, 'page', { features: [flag(enabled)] });
    await expect.poll(isEnabled, { interval: 20 }).toBe(enabled);
  }

  await OpenFeature.setContext({ targetingKey: 'ben' });
  expect(isEnabled()).toBe(false);
  await OpenFeature.setContext({ targetingKey: 'ada' });
  expect(isEnabled()).toBe(true);
});
