import { expect, test } from 'vitest';
import { useHarness } from '../../test/harness.ts';
import { listAdminOperations } from '../../test/operations.ts';
import { call } from '../../test/request.ts';
import { unknownPlaces } from './ignored.ts';

const harness = useHarness();
const STRICT = { prefer: 'handling=strict' };

test.each([
  ['GET', 'search/events?projct=IS:payments&limit=1', undefined, 'projct'],
  ['GET', 'projects?x=1&y=2', undefined, 'x, y'],
  ['POST', 'projects', { name: 'With a limit', featureLimit: -1 }, 'featureLimit'],
  [
    'POST',
    'projects/default/features',
    { name: 'typos', impresionData: true, tags: [{ type: 'simple', value: 'one', colour: 'red' }] },
    'impresionData, tags[].colour',
  ],
] as const)('%s /%s names what it ignores', async (method, path, body, expected) => {
  const { status, headers } = await call(harness.app, method, `/api/admin/${path}`, { body });

  expect(status).toBeLessThan(300);
  expect(headers['halyard-ignored']).toBe(expected);
  expect(headers).not.toHaveProperty('preference-applied');
});

test('a request without unknown names has no such header', async () => {
  const { headers } = await call(harness.app, 'POST', '/api/admin/projects', {
    body: { name: 'All known', mode: 'open' },
    headers: STRICT,
  });

  expect(headers).not.toHaveProperty('halyard-ignored');
  expect(headers['preference-applied']).toBe('handling=strict');
});

test('a request to an unknown address has no such header, and strict handling does not change its 404', async () => {
  for (const prefer of ['handling=lenient', 'handling=strict']) {
    const { status, headers } = await call(harness.app, 'POST', '/api/admin/nowhere?x=1', {
      body: { type: 'simple', value: 'x' },
      headers: { prefer },
    });
    expect(status).toBe(404);
    expect(headers).not.toHaveProperty('halyard-ignored');
  }
});

test('strict handling rejects unknown names, with every other violation, and changes nothing', async () => {
  const body = { id: 'strict one', name: 'Strict', featureLimit: -1 };

  const rejected = await call(harness.app, 'POST', '/api/admin/projects?dry=true', { body, headers: STRICT });

  expect(rejected.status).toBe(400);
  expect(rejected.headers['preference-applied']).toBe('handling=strict');
  expect(rejected.body.details).toEqual([
    expect.objectContaining({ path: '/body/id' }),
    { message: 'Unknown query parameter "dry".', path: '/query/dry' },
    { message: 'Unknown field "featureLimit".', path: '/body/featureLimit' },
  ]);
  const { body: list } = await call(harness.app, 'GET', '/api/admin/projects');
  expect(list.projects.map(({ name }: { name: string }) => name)).not.toContain('Strict');
});

test.each(['respond-async, handling=strict', 'handling=strict; wait=10', 'Handling="strict"'])(
  'the preference is found in %j',
  async prefer => {
    const { status } = await call(harness.app, 'GET', '/api/admin/projects?x=1', { headers: { prefer } });
    expect(status).toBe(400);
  },
);

test.each(['handling=lenient', 'handling=stricter', 'return=minimal'])(
  'the preference is not found in %j',
  async prefer => {
    const { status } = await call(harness.app, 'GET', '/api/admin/projects?x=1', { headers: { prefer } });
    expect(status).toBe(200);
  },
);

test('the header is bounded, and holds no character that a header cannot carry', async () => {
  const names = Array.from({ length: 300 }, (_, at) => `${at}-${'ü🚩, '.repeat(50)}`);
  const body = { name: 'Many', ...Object.fromEntries(names.map(name => [name, 1])) };

  const { status, headers } = await call(harness.app, 'POST', '/api/admin/projects', { body });

  expect(status).toBe(201);
  const header = String(headers['halyard-ignored']);
  expect(header.length).toBeLessThan(5_000);
  expect(header).toMatch(/^[!-~]+(, [!-~]+)*$/);
  expect(header.split(', ')).toHaveLength(21);
  expect(header.split(', ').at(-1)).toBe('...');
});

test('no example of the document has a name that is ignored', () => {
  const wrong = listAdminOperations().flatMap(({ method, path, body, bodySchema = {} }) => {
    const places = unknownPlaces(body, bodySchema, () => undefined);
    return places.map(place => `${method} ${path}: ${place.join('.')}`);
  });

  expect(wrong).toEqual([]);
});
