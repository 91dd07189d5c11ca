import type { AddressInfo } from 'node:net';
import { beforeAll, expect, test } from 'vitest';
import { makeMember, makeProject, makeUser } from '../test/factories.ts';
import { useHarness } from '../test/harness.ts';

const harness = useHarness();
let base: string;
let headers: Record<string, string>;

beforeAll(async () => {
  await makeProject(harness.db, { id: 'shop' });
  const user = await makeUser(harness.db, 'Viewer');
  await makeMember(harness.db, user, 'shop', 'Owner');
  await harness.app.listen({ host: '127.0.0.1', port: 0 });
  base = `http://127.0.0.1:${(harness.app.server.address() as AddressInfo).port}/api/admin`;
  headers = {
    authorization: user.token,
    'content-type': 'application/json',
    'x-unleash-appname': 'unleash-mcp',
  };
});

/**
 * Sends a request like `@unleash/mcp` 0.0.4, which sets the JSON content type even without a body, parses the body of every
 * successful response, and fails if there is none.
 */
async function send(method: string, path: string, body?: object) {
  const response = await fetch(`${base}${path}`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  // biome-ignore lint/suspicious/noExplicitAny: the test knows the shape of the body
  return { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as any };
}

test("the requests of Unleash's MCP server create a flag, enable it with a strategy, disable it, and delete the strategy", async () => {
  const feature = '/projects/shop/features/checkout.express';
  const environment = `${feature}/environments/development`;

  const projects = await send('GET', '/projects');
  const createResponse = await send('POST', '/projects/shop/features', {
    name: 'checkout.express',
    type: 'release',
    description: 'One-step checkout',
    impressionData: false,
  });
  const list = await send('GET', '/projects/shop/features');
  const addResponse = await send('POST', `${environment}/strategies`, {
    name: 'flexibleRollout',
    title: 'Gradual rollout',
    disabled: false,
    parameters: { rollout: '25', stickiness: 'default', groupId: 'checkout.express' },
    constraints: [],
    variants: [],
    segments: [],
  });
  const onResponse = await send('POST', `${environment}/on`);
  const enabledFeature = await send('GET', feature);
  const offResponse = await send('POST', `${environment}/off`);
  const removeResponse = await send('DELETE', `${environment}/strategies/${addResponse.body.id}`);
  const featureAfter = await send('GET', feature);

  expect(projects.body.projects).toContainEqual(expect.objectContaining({ id: 'shop' }));
  expect([createResponse.status, createResponse.body]).toEqual([
    201,
    expect.objectContaining({ name: 'checkout.express' }),
  ]);
  expect(list.body.features).toEqual([expect.objectContaining({ name: 'checkout.express' })]);
  expect([addResponse.status, addResponse.body.id]).toEqual([200, expect.any(String)]);
  for (const { status, body } of [onResponse, offResponse])
    expect([status, body]).toEqual([200, expect.any(Object)]);
  const findDevelopment = ({ body }: typeof enabledFeature) =>
    body.environments.find(({ name }: { name: string }) => name === 'development');
  expect(findDevelopment(enabledFeature)).toMatchObject({
    enabled: true,
    strategies: [{ id: addResponse.body.id, name: 'flexibleRollout', parameters: { rollout: '25' } }],
  });
  expect(removeResponse.status).toBe(200);
  expect(findDevelopment(featureAfter)).toMatchObject({ enabled: false, strategies: [] });
});
