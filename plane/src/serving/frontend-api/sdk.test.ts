import FlagProvider, { useFlag, useVariant } from '@unleash/proxy-client-react';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { beforeAll, expect, test } from 'vitest';
import { startBrowserSdk } from '../../../../server/src/test/browser-sdk.ts';
import { makeProject } from '../../../../server/src/test/factories.ts';
import { useHarness } from '../../../../server/src/test/harness.ts';
import { call } from '../../../../server/src/test/request.ts';
import { makeEnvironment, putDocuments } from '../../../../server/src/test/sdk-documents.ts';
import { useSdkServer } from '../../../../server/src/test/sdk-server.ts';

const harness = useHarness();
const server = useSdkServer(harness);
const USERS = Array.from({ length: 20 }, (_, index) => `user-${index}`);

/** A flag for each user, with a variant named after the user. */
const flagFor = (user: string) => ({
  name: `flag-of-${user}`,
  enabled: true,
  strategies: [
    {
      name: 'default',
      parameters: {},
      constraints: [{ contextName: 'userId', operator: 'IN', values: [user] }],
      variants: [{ name: user, weight: 1_000, stickiness: 'userId' }],
    } as object,
  ],
  variants: [],
});

let token: string;

beforeAll(async () => {
  await makeEnvironment(harness.db, 'main');
  await putDocuments(harness.db, 'main', { features: USERS.map(flagFor) });
  token = await server.token('main', undefined, 'frontend');
});

/** Lists the flags and variants that the SDK has. */
const listFlags = (sdk: Awaited<ReturnType<typeof startBrowserSdk>>) =>
  sdk.getAllToggles().map(({ name, variant }) => `${name} ${variant.name}`);

const ownFlags = (user: string) => [`flag-of-${user} ${user}`];

/** The real `fetch`, which records tags and statuses. */
function recordingFetch() {
  const requests: { tag: string | null; status: number }[] = [];
  const recordedFetch: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    requests.push({ tag: new Headers(init?.headers).get('if-none-match'), status: response.status });
    return response;
  };
  return { requests, recordedFetch };
}

test.each([false, true])("two users of one client never see each other's flags (POST: %s)", async post => {
  const { requests, recordedFetch } = recordingFetch();
  const [ada = '', ben = ''] = USERS;
  const options = { url: server.url, token, usePOSTrequests: post, fetch: recordedFetch };
  const sdk = await startBrowserSdk({ ...options, context: { userId: ada } });
  const flagsByStep = [listFlags(sdk)];

  for (const user of [ben, ada, ada, ben]) {
    await sdk.updateContext({ userId: user });
    flagsByStep.push(listFlags(sdk));
  }

  expect(flagsByStep).toEqual([ada, ben, ada, ada, ben].map(ownFlags));
  expect(requests.map(({ status }) => status)).toEqual([200, 200, 200, 304, 200]);
  expect(requests.slice(1).every(({ tag }) => tag !== null)).toBe(true);
  sdk.stop();
});

test('many users at the same time get their own flags', async () => {
  const sdks = await Promise.all(
    USERS.map(userId => startBrowserSdk({ url: server.url, token, context: { userId } })),
  );

  expect(sdks.map(listFlags)).toEqual(USERS.map(ownFlags));
  for (const sdk of sdks) sdk.stop();
});

test('a client that polls gets 304 until it sees a change, and 304 again afterwards', async () => {
  const { requests, recordedFetch } = recordingFetch();
  await makeEnvironment(harness.db, 'changing');
  await putDocuments(harness.db, 'changing', { features: [flagFor('ada')] });
  const changingToken = await server.token('changing', undefined, 'frontend');
  const sdk = await startBrowserSdk({
    url: server.url,
    token: changingToken,
    context: { userId: 'ada' },
    // Long enough that the SDK does not cancel a slow request, which would add a second 200 to the count below.
    refreshInterval: 2,
    fetch: recordedFetch,
  });
  await expect.poll(() => requests.at(-1)?.status).toBe(304);

  await putDocuments(harness.db, 'changing', { features: [{ ...flagFor('ada'), enabled: false }] });

  await expect.poll(() => listFlags(sdk)).toEqual([]);
  await expect.poll(() => requests.at(-1)?.status).toBe(304);
  expect(requests.filter(({ status }) => status === 200)).toHaveLength(2);
  sdk.stop();
});

test('the server accepts metrics from the SDK', async () => {
  const statuses: [string, number][] = [];
  const recordedFetch: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    statuses.push([new URL(String(input)).pathname, response.status]);
    return response;
  };
  const sdk = await startBrowserSdk({
    url: server.url,
    token,
    context: { userId: 'user-1' },
    fetch: recordedFetch,
    disableMetrics: false,
  });

  sdk.isEnabled('flag-of-user-1');
  await sdk.sendMetrics();
  sdk.stop();

  expect(statuses).toContainEqual(['/api/frontend/client/metrics', 200]);
});

test('React components show the flags of their user', async () => {
  const sdk = await startBrowserSdk({ url: server.url, token, context: { userId: 'user-2' } });
  const Page = () => {
    const names = [useFlag('flag-of-user-2'), useFlag('flag-of-user-3'), useVariant('flag-of-user-2').name];
    return createElement('p', null, names.join(' '));
  };

  const html = renderToString(
    createElement(FlagProvider, { unleashClient: sdk, startClient: false }, createElement(Page)),
  );
  sdk.stop();

  expect(html).toBe('<p>true false user-2</p>');
});

test('a response contains each flag once while flags move between projects', async () => {
  const projects = [(await makeProject(harness.db)).id, (await makeProject(harness.db)).id] as const;
  const flags = ['moving-a', 'moving-b', 'moving-c'];
  const post = async (path: string, body?: object) => {
    const { status } = await call(harness.app, 'POST', `/api/admin/projects/${path}`, { body });
    expect(status).toBeLessThan(300);
  };
  for (const name of flags) {
    await post(`${projects[0]}/features`, { name });
    await post(`${projects[0]}/features/${name}/environments/development/on`);
  }
  const secret = await server.token('development', undefined, 'frontend');
  const read = async (): Promise<string[]> => {
    const { body } = await call(harness.app, 'GET', '/api/frontend', { token: secret });
    return body.toggles.map(({ name }: { name: string }) => name);
  };
  await expect.poll(read).toEqual(expect.arrayContaining(flags));
  let isMoving = true;
  let readCount = 0;
  const reader = (async () => {
    for (; isMoving; readCount++) {
      const names = await read();
      expect(names.toSorted()).toEqual([...new Set(names)].toSorted());
    }
  })();
  for (let round = 0; round < 4; round++) {
    const [from, to] = round % 2 === 0 ? projects : projects.toReversed();
    for (const name of flags) await post(`${from}/features/${name}/changeProject`, { newProjectId: to });
  }
  isMoving = false;
  await reader;

  expect(readCount).toBeGreaterThan(3);
  await expect.poll(read).toEqual(expect.arrayContaining(flags));
});
