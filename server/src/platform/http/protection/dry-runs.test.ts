import type { App } from '@halyard/plane/platform/http/app.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildApp } from '../../../app.ts';
import { makeFeature, makeUser, type TestUser } from '../../../test/factories.ts';
import { ADMIN_TOKEN, APP_SETTINGS, useHarness } from '../../../test/harness.ts';
import { insertRichFeature } from '../../../test/rich-feature.ts';
import { strictSerializer } from '../../../test/strict-serializer.ts';
import { countLockWaiters, waitForLockWaiters } from '../../../test/waiting.ts';

const WAITING_PER_CALLER = 3;
const PATIENT_TIMEOUT_MS = 120_000;

const harness = useHarness();
let app: App;
let editor: TestUser;

beforeAll(async () => {
  app = await buildApp(harness.db, APP_SETTINGS, {
    ...strictSerializer,
    requests: { waitMs: PATIENT_TIMEOUT_MS },
    dryRuns: { waitMs: PATIENT_TIMEOUT_MS, waitingPerCaller: WAITING_PER_CALLER },
  });
  await app.ready();
  editor = await makeUser(harness.db, 'Editor');
});
afterAll(async () => await app.close());

const post = (url: string, token: string, payload: object) =>
  app.inject({
    method: 'POST',
    url,
    headers: { authorization: token, accept: 'application/json, text/event-stream' },
    payload,
  });

/** Plans 20 changes to the flag. */
const plan = (flag: string, token: string) =>
  post('/mcp', token, {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: 'plan_change',
      arguments: {
        changes: Array.from({ length: 20 }, (_, index) => ({
          do: 'describe',
          flag,
          description: `${index}`,
        })),
        reason: 'A test',
      },
    },
  });
const previewClone = (flag: string, token: string) =>
  post(`/api/admin/projects/default/features/${flag}/clone?dryRun=true`, token, { name: `${flag}-copy` });
const toggle = (flag: string) =>
  post(`/api/admin/projects/default/features/${flag}/environments/development/on`, ADMIN_TOKEN, {});

const countWaitingDryRuns = async (): Promise<number> => {
  const { body } = await app.inject({
    url: '/internal-backstage/prometheus',
    headers: { authorization: ADMIN_TOKEN },
  });
  return Number(/^halyard_admission_waiting\{kind="dry-runs"\} (\d+)$/m.exec(body)?.[1]);
};

test.for([
  ['plans', plan],
  ['dry runs of clones', previewClone],
] as const)(
  '%s of one caller lock a flag one after the other, so a toggle waits for only one of them',
  async ([name, dryRun]) => {
    const flag = `locked-by-${name.replaceAll(' ', '-')}`;
    await makeFeature(harness.db, 'default', { name: flag });

    let finishedDryRuns = 0;

    const [dryRuns, toggled] = await harness.db.transaction().execute(async tx => {
      await sql`select from features where name = ${flag} for update`.execute(tx);
      const dryRuns = Array.from({ length: 1 + WAITING_PER_CALLER }, async () => {
        const response = await dryRun(flag, editor.token);
        finishedDryRuns++;
        return response;
      });
      // Every dry run waits either for its turn or for the lock.
      const countAll = async () => (await countWaitingDryRuns()) + (await countLockWaiters(harness.db));
      await expect.poll(countAll, { timeout: PATIENT_TIMEOUT_MS }).toBe(dryRuns.length);
      expect(await countLockWaiters(harness.db)).toBe(1);
      const toggled = toggle(flag);
      await waitForLockWaiters(harness.db, 2);
      return [dryRuns, toggled];
    });

    expect((await toggled).statusCode).toBe(200);
    // The toggle gets the lock after the first dry run. The second one can finish before the response to the toggle.
    expect(finishedDryRuns).toBeLessThanOrEqual(2);
    const responses = await Promise.all(dryRuns);
    expect(responses.map(({ statusCode }) => statusCode)).toEqual(dryRuns.map(() => 200));
    expect(responses.filter(({ body }) => body.includes('isError'))).toEqual([]);
  },
);

test("rejects a dry run with 429 while the maximum number of the caller's dry runs wait", async () => {
  const flag = 'locked-for-long';
  await makeFeature(harness.db, 'default', { name: flag });

  const dryRuns = await harness.db.transaction().execute(async tx => {
    await sql`select from features where name = ${flag} for update`.execute(tx);
    const dryRuns = Array.from({ length: 1 + WAITING_PER_CALLER }, () => plan(flag, editor.token));
    await expect.poll(countWaitingDryRuns, { timeout: PATIENT_TIMEOUT_MS }).toBe(WAITING_PER_CALLER);

    const rejectedClone = await previewClone(flag, editor.token);
    expect([rejectedClone.statusCode, rejectedClone.headers['retry-after']]).toEqual([429, '2']);
    expect(rejectedClone.json().name).toBe('RateLimitError');
    const rejectedPlan = await plan(flag, editor.token);
    expect(JSON.parse(/^data: (.+)$/m.exec(rejectedPlan.body)?.[1] ?? '').result).toMatchObject({
      isError: true,
      structuredContent: { code: 'RateLimitError', retryable: true, retryAfterSeconds: 2 },
    });
    return dryRuns;
  });

  expect((await Promise.all(dryRuns)).map(({ statusCode }) => statusCode)).toEqual(dryRuns.map(() => 200));
});

test('measures the flags of a plan only when it is the turn of the plan', async () => {
  const flag = 'locked-before-measuring';
  await makeFeature(harness.db, 'default', { name: flag });
  const parameters = { note: 'x'.repeat(1024 * 1024) };
  await insertRichFeature(harness.db, {
    name: 'large',
    environments: { development: { strategies: [{ parameters }] } },
  });

  const [first, large] = await harness.db.transaction().execute(async tx => {
    await sql`select from features where name = ${flag} for update`.execute(tx);
    const first = plan(flag, editor.token);
    await waitForLockWaiters(harness.db);
    const large = plan('large', editor.token);
    await expect.poll(countWaitingDryRuns, { timeout: PATIENT_TIMEOUT_MS }).toBe(1);
    return [first, large];
  });

  expect((await first).body).not.toContain('isError');
  expect((await large).body).toContain('exceed 8 MiB in total');
});
