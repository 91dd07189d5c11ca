import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { untilWaiting } from '../../test/waiting.ts';

// A file of its own: these tests take environments away that others need.
const harness = useHarness();

test('of the last two environments one stays, also when both are deleted at once', async () => {
  await sql`delete from project_environments`.execute(harness.db);
  const blocker = await harness.db.startTransaction().execute();
  await blocker.selectFrom('environments').select('name').forUpdate().execute();

  const both = Promise.all(
    ['development', 'production'].map(name => call(harness.app, 'DELETE', `/api/admin/environments/${name}`)),
  );
  await untilWaiting(harness.db, 2);
  await blocker.commit().execute();
  const answers = (await both).toSorted((a, b) => a.status - b.status);

  expect(answers).toMatchObject([
    { status: 200 },
    { status: 403, body: { details: [{ message: expect.stringMatching(/is the last environment/) }] } },
  ]);
  expect((await call(harness.app, 'GET', '/api/admin/environments')).body.environments).toHaveLength(1);
});
