import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { makeProject } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { waitForLockWaiters } from '../../test/waiting.ts';

const harness = useHarness();
let project: string;
let count = 0;

const path = (suffix: string) => `/api/admin/projects/${project}${suffix}`;
const create = (name = `flag-${++count}`) => call(harness.app, 'POST', path('/features'), { body: { name } });
const setBudget = (debtBudget: number | null) =>
  call(harness.app, 'PUT', path('/settings'), { body: { debtBudget } });
const markStale = (...features: string[]) =>
  call(harness.app, 'POST', path('/stale'), { body: { features, stale: true } });
const backdate = (name: string) =>
  sql`update features set created_at = now() - interval '41 days' where name = ${name}`.execute(harness.db);

beforeEach(async () => {
  ({ id: project } = await makeProject(harness.db));
});

test('stores the debt budget as a project setting and records its changes', async () => {
  const { body } = await setBudget(5);

  expect(body.debtBudget).toBe(5);
  expect((await call(harness.app, 'GET', path('/health'))).body.debtBudget).toEqual({
    limit: 5,
    used: 0,
    exceeded: false,
  });
  const { events } = (
    await call(harness.app, 'GET', `/api/admin/search/events?project=IS:${project}&type=IS:project-updated`)
  ).body;
  expect(events).toMatchObject([{ data: { debtBudget: 5 }, preData: { debtBudget: null } }]);
});

test('rejects new features while a project is over its debt budget, and lists what to clean up', async () => {
  for (const name of ['b-marked', 'a-marked', 'old', 'young']) await create(`${project}-${name}`);
  await markStale(`${project}-b-marked`, `${project}-a-marked`);
  await backdate(`${project}-old`);
  await setBudget(3);
  expect((await create()).status).toBe(201);

  await setBudget(2);
  const rejection = await create(`${project}-rejected`);

  expect(rejection).toMatchObject({ status: 403, body: { name: 'InvalidOperationError' } });
  for (const name of ['a-marked', 'b-marked', 'old'])
    expect(rejection.body.message).toContain(`${project}-${name}`);
  expect(rejection.body.message).not.toContain('young');

  await call(harness.app, 'POST', path('/archive'), { body: { features: [`${project}-old`] } });
  expect((await create(`${project}-rejected`)).status).toBe(201);
});

test('names at most 10 features to clean up', async () => {
  const names = Array.from({ length: 15 }, (_, n) => `${project}-${n}`);
  for (const name of names) await create(name);
  await markStale(...names);
  await setBudget(0);

  const { message } = (await create()).body;

  expect(message).toMatch(/and 5 more\.$/);
  expect(names.filter(name => message.includes(`${name},`) || message.includes(`${name} and`))).toHaveLength(
    10,
  );
});

test('setting the budget to null removes it, so that the project accepts new features with any debt', async () => {
  await create(`${project}-one`);
  await markStale(`${project}-one`);
  await setBudget(0);
  expect((await create()).status).toBe(403);

  await setBudget(null);

  expect((await create()).status).toBe(201);
});

test('creating a feature waits for a concurrent change of the budget and obeys the new budget', async () => {
  await create(`${project}-one`);
  await markStale(`${project}-one`);
  let pendingCreation: ReturnType<typeof create> | undefined;
  let hasResponse = false;

  await harness.db.transaction().execute(async tx => {
    await sql`update projects set debt_budget = 0 where id = ${project}`.execute(tx);
    pendingCreation = create();
    void pendingCreation.then(() => {
      hasResponse = true;
    });
    await waitForLockWaiters(harness.db);
    expect(hasResponse).toBe(false);
  });

  expect((await pendingCreation)?.status).toBe(403);
});

test('rejects a budget below 0', async () => {
  expect((await setBudget(-1)).status).toBe(400);
});
