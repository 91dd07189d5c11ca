import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { waitForLockWaiters } from '../../test/waiting.ts';

// This test is in a separate file because it deletes environments that other tests need.
const harness = useHarness();

test('keeps one of the last two environments when both are deleted concurrently', async () => {
  await sql`delete from project_environments`.execute(harness.db);
  const blocker = await harness.db.startTransaction().execute();
  await blocker.selectFrom('environments').select('name').forUpdate().execute();

  const requests = Promise.all(
    ['development', 'production'].map(name => call(harness.app, 'DELETE', `/api/admin/environments/${name}`)),
  );
  await waitForLockWaiters(harness.db, 2);
  await blocker.commit().execute();
  const responses = (await requests).toSorted((a, b) => a.status - b.status);

  expect(responses).toMatchObject([
    { status: 200 },
    { status: 403, body: { details: [{ message: expect.stringMatching(/is the last environment/) }] } },
  ]);
  expect((await call(harness.app, 'GET', '/api/admin/environments')).body.environments).toHaveLength(1);
});
