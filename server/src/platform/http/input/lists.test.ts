import { expect, test } from 'vitest';
import { makeUser } from '../../../test/factories.ts';
import { useHarness } from '../../../test/harness.ts';
import { listOperations } from '../../../test/operations.ts';
import { call } from '../../../test/request.ts';

const harness = useHarness();
const LARGEST = Number.MAX_SAFE_INTEGER;

async function listResponses(query: string) {
  const integration = {
    provider: 'webhook',
    enabled: false,
    parameters: { url: 'https://hooks.example.com/' },
    events: ['feature-created'],
  };
  const { id } = (await call(harness.app, 'POST', '/api/admin/addons', { body: integration })).body;
  const paths = ['search/events', `addons/${id}/events`, 'search/features', 'projects/default/health'];
  return await Promise.all(
    paths.map(async path => {
      const { status, body } = await call(harness.app, 'GET', `/api/admin/${path}?${query}`);
      return status === 200 ? 200 : body.details;
    }),
  );
}

test.each([
  ['limit=01', 200],
  ['offset=1000000000', 200],
  [`offset=${LARGEST}0`, 200],
  ['limit[]=1', [{ message: 'limit must not have brackets in its name', path: '/query/limit' }]],
  ['limit=1&limit=2', [{ message: 'limit must be given once', path: '/query/limit' }]],
  ['limit=0', [{ message: 'limit must be an integer from 1 to 1000', path: '/query/limit' }]],
  ['limit=1001', [{ message: 'limit must be an integer from 1 to 1000', path: '/query/limit' }]],
  ['offset=-1', [{ message: 'offset must be an integer of at least 0', path: '/query/offset' }]],
  ['limit=', [{ message: 'limit must be an integer from 1 to 1000', path: '/query/limit' }]],
])('every list operation returns the same response to %s', async (query, expected) => {
  expect(new Set((await listResponses(query)).map(response => JSON.stringify(response)))).toEqual(
    new Set([JSON.stringify(expected)]),
  );
});

test.each([
  ['abc/events?limit=0&offset=-1', ['/params/id', '/query/limit', '/query/offset']],
  [
    '1/events?limit=0&offset=-1&state=x&from=y',
    ['/query/limit', '/query/offset', '/query/state', '/query/from'],
  ],
])('GET /addons/%s lists every violation of path and query', async (path, expected) => {
  const { status, body } = await call(harness.app, 'GET', `/api/admin/addons/${path}`);

  expect(status).toBe(400);
  expect(body.details.map((detail: { path: string }) => detail.path)).toEqual(expected);
});

const operationsWithIds = listOperations().filter(
  ({ path, parameters }) =>
    path.startsWith('/api/admin/') &&
    parameters.some(
      ({ in: location, schema }) => location === 'path' && schema['x-rule'] === 'must be a positive integer',
    ),
);

test('any positive integer up to 2^53-1 is a valid id, and an unknown id returns 404', async () => {
  const differences: string[] = [];
  const { token } = await makeUser(harness.db, 'Admin');
  for (const { method, path, parameters, body } of operationsWithIds) {
    for (const id of [1_000_000_000, 2_147_483_648, LARGEST]) {
      const url = parameters.reduce(
        (address, { name, in: location }) =>
          location === 'path'
            ? address.replace(`{${name}}`, name === 'projectId' ? 'default' : String(id))
            : address,
        path,
      );
      const response = await call(harness.app, method, url, body === undefined ? { token } : { token, body });
      if (response.status !== 404)
        differences.push(`${method} ${url}: ${response.status} ${JSON.stringify(response.body)}`);
    }
  }
  expect(operationsWithIds.length).toBeGreaterThan(30);
  expect(differences).toEqual([]);
});

test('a filter by creator accepts any id', async () => {
  const search = async (path: string) => await call(harness.app, 'GET', `/api/admin/search/${path}`);

  const events = await search(`events?createdBy=IS:${LARGEST}`);
  const features = await search(`features?createdBy=IS_ANY_OF:3000000000,${LARGEST}`);

  expect(events).toMatchObject({ status: 200, body: { events: [], total: 0 } });
  expect(features).toMatchObject({ status: 200, body: { features: [], total: 0 } });
});
