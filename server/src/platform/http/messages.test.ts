import { expect, test } from 'vitest';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';

const harness = useHarness();

test.each([
  [
    'GET',
    'search/events?createdBy=IS:ben',
    undefined,
    'createdBy must be a user id, not "ben". GET /api/admin/event-creators lists the ids.',
  ],
  [
    'POST',
    'api-tokens',
    { tokenName: 'x', type: 'backend', expiresAt: 'tomorrow' },
    'expiresAt must be a date-time, such as 2026-11-15T09:30:00.000Z',
  ],
  [
    'POST',
    'projects/default/features',
    { name: 'typed', type: 'relase' },
    'feature type "relase" does not exist. GET /api/admin/feature-types lists the feature types.',
  ],
  ['POST', 'tags', { type: 'nope', value: 'some' }, 'tag type "nope" does not exist'],
  ['POST', 'projects', { name: 7 }, 'name must be a string'],
  ['POST', 'projects', [], 'the body must be an object'],
  [
    'POST',
    'user-admin',
    { username: 'somebody', rootRole: 'Owner' },
    'rootRole Owner is not a root role. Use Admin, Editor, Viewer or the id of a custom root role',
  ],
] as const)('%s /%s %j names the value and what is allowed', async (method, path, body, message) => {
  const rejected = await call(harness.app, method, `/api/admin/${path}`, { body });

  expect(rejected.status).toBe(400);
  expect(rejected.body.details.map((one: { message: string }) => one.message)).toContain(message);
});

test('the drift of a feature that is no copy says so', async () => {
  await call(harness.app, 'POST', '/api/admin/projects/default/features', { body: { name: 'no-copy' } });

  const { status, body } = await call(
    harness.app,
    'GET',
    '/api/admin/projects/default/features/no-copy/drift',
  );

  expect([status, body.message]).toEqual([404, 'Feature no-copy is not a copy.']);
});
