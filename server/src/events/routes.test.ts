import { expect, test } from 'vitest';
import { makeProject, makeUser } from '../test/factories.ts';
import { useHarness } from '../test/harness.ts';
import { call } from '../test/request.ts';

const harness = useHarness();

test('a change is found by the search with its label and summary', async () => {
  const project = await makeProject(harness.db, { id: 'found-project' });

  const { status, body } = await call(
    harness.app,
    'GET',
    '/api/admin/search/events?project=IS:found-project',
  );

  expect(status).toBe(200);
  expect(body.total).toBe(1);
  expect(body.events[0]).toMatchObject({
    type: 'project-created',
    project: project.id,
    label: 'Project created',
    summary: '**system** created project **found\\-project**',
  });
  const viewer = await makeUser(harness.db, 'Viewer');
  expect((await call(harness.app, 'GET', '/api/admin/search/events', { token: viewer.token })).status).toBe(
    200,
  );
});
