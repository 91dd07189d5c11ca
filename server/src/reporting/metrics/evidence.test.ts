import { makeUsage } from '@halyard/plane/counting/usage.ts';
import { sql } from 'kysely';
import { Registry } from 'prom-client';
import { beforeEach, expect, test } from 'vitest';
import { makeFeature, makeProject } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { makeFlusher } from './flush.ts';

const harness = useHarness();
const usage = makeUsage(new Registry(), () => true);
let project: string;
let count = 0;

type Counts = { yes: number; no: number; variants?: Record<string, number> };

const flush = () => makeFlusher(harness.db, usage).flush();
const report = (environment: string, toggles: Record<string, Counts>, appName = 'shop') =>
  void usage.report(
    { id: 1, type: 'backend', environment, projects: undefined },
    {},
    { appName, instanceId: 'i', bucket: { stop: Date.now(), toggles } },
  );

async function evaluate(environment: string, toggles: Record<string, Counts>, appName?: string) {
  report(environment, toggles, appName);
  await flush();
}

/** Moves everything that SDKs have reported so far into the past. */
async function moveIntoPast(days: number): Promise<void> {
  await sql`
    update feature_last_seen set seen_at = seen_at - ${days} * interval '1 day', first_seen_on = first_seen_on - ${days}::integer,
      enabled_on = enabled_on - ${days}::integer, disabled_on = disabled_on - ${days}::integer,
      variant_changed_on = variant_changed_on - ${days}::integer`.execute(harness.db);
  await sql`update application_features set seen_at = seen_at - ${days} * interval '1 day'`.execute(
    harness.db,
  );
}

async function createFlag(fields: { type?: string; age?: number } = {}): Promise<string> {
  const name = `flag-${++count}`;
  await makeFeature(harness.db, project, { name, type: fields.type ?? 'release' });
  await sql`update features set created_at = now() - ${fields.age ?? 100} * interval '1 day' where name = ${name}`.execute(
    harness.db,
  );
  return name;
}

type Finding = { feature: string; evidence: Record<string, unknown> };
const path = (rest: string) => `/api/admin/projects/${project}${rest}`;
const readHealth = async (rule: string): Promise<{ findings: Finding[]; conclusive: boolean }> => {
  const { body } = await call(harness.app, 'GET', path(`/health?rule=IS:${rule}`));
  const summary = body.rules.find((entry: { rule: string }) => entry.rule === rule);
  expect(summary.findings).toBe(body.total);
  return { findings: body.findings, conclusive: summary.conclusive };
};
const findNames = async (rule: string) => (await readHealth(rule)).findings.map(({ feature }) => feature);

beforeEach(async () => {
  ({ id: project } = await makeProject(harness.db));
});

test('finds flags that SDKs request only outside production, once an SDK was seen in production', async () => {
  const [outside, inside, young, unused] = [
    await createFlag(),
    await createFlag(),
    await createFlag({ age: 29 }),
    await createFlag(),
  ];
  await evaluate('development', {
    [outside]: { yes: 1, no: 0 },
    [inside]: { yes: 1, no: 0 },
    [young]: { yes: 1, no: 0 },
  });
  expect(await readHealth('outside-production')).toEqual({ findings: [], conclusive: false });

  await evaluate('production', { [inside]: { yes: 1, no: 0 } });

  expect(await findNames('outside-production')).toEqual([outside]);
  expect((await readHealth('outside-production')).conclusive).toBe(true);
  expect(await findNames('never-seen')).toEqual([unused]);

  await evaluate('production', { [outside]: { yes: 0, no: 1 } });
  expect(await findNames('outside-production')).toEqual([]);
});

test('finds flags whose result in production was the same for 30 days', async () => {
  const enabledFlag = await createFlag();
  const disabledFlag = await createFlag();
  const mixedFlag = await createFlag();
  const permanent = await createFlag({ type: 'kill-switch' });
  const silent = await createFlag();
  const counts = {
    [enabledFlag]: { yes: 5, no: 0 },
    [disabledFlag]: { yes: 0, no: 5 },
    [mixedFlag]: { yes: 3, no: 2 },
    [permanent]: { yes: 5, no: 0 },
  };
  await evaluate('production', { ...counts, [silent]: { yes: 1, no: 0 } });
  expect(await readHealth('constant-result')).toEqual({ findings: [], conclusive: false });
  await moveIntoPast(30);
  await evaluate('production', counts);
  // Results in development do not matter.
  await evaluate('development', { [enabledFlag]: { yes: 0, no: 7 } });

  const { findings, conclusive } = await readHealth('constant-result');

  expect(conclusive).toBe(true);
  expect(findings).toMatchObject([
    { feature: enabledFlag, points: 0, evidence: { result: 'enabled', variant: null } },
    { feature: disabledFlag, evidence: { result: 'disabled', variant: null } },
  ]);
  const since = new Date(Date.now() - 30 * 86_400_000).toISOString().slice(0, 10);
  expect(findings[0]?.evidence.since).toBe(`${since}T00:00:00.000Z`);

  await evaluate('production', { [enabledFlag]: { yes: 9, no: 1 }, [disabledFlag]: { yes: 1, no: 0 } });
  expect(await findNames('constant-result')).toEqual([]);

  await moveIntoPast(31);
  await evaluate('production', { [enabledFlag]: { yes: 5, no: 0 }, [disabledFlag]: { yes: 0, no: 1 } });
  expect(await findNames('constant-result')).toEqual([enabledFlag, disabledFlag]);
});

test('different variants count as different results, until one of them has been the only result for 30 days', async () => {
  const [steadyFlag, mixedFlag, changingFlag] = [await createFlag(), await createFlag(), await createFlag()];
  const countsWith = (variants: Record<string, number>) => ({ yes: 2, no: 0, variants });
  await evaluate('production', {
    [steadyFlag]: countsWith({ blue: 2 }),
    [mixedFlag]: countsWith({ blue: 1, red: 1 }),
    [changingFlag]: countsWith({ blue: 2 }),
  });
  await moveIntoPast(30);
  await evaluate('production', {
    [steadyFlag]: countsWith({ blue: 2 }),
    [mixedFlag]: countsWith({ blue: 1, red: 1 }),
    [changingFlag]: countsWith({ red: 2 }),
  });

  expect((await readHealth('constant-result')).findings).toMatchObject([
    { feature: steadyFlag, evidence: { result: 'enabled', variant: 'blue' } },
  ]);

  await moveIntoPast(31);
  await evaluate('production', { [changingFlag]: countsWith({ red: 2 }) });
  expect((await readHealth('constant-result')).findings).toMatchObject([
    { feature: changingFlag, evidence: { variant: 'red' } },
  ]);
});

test('lists the applications that still request an archived flag', async () => {
  const [requestedFlag, forgotten] = [await createFlag(), await createFlag()];
  await evaluate(
    'production',
    { [requestedFlag]: { yes: 1, no: 0 }, [forgotten]: { yes: 1, no: 0 } },
    'before',
  );
  await call(harness.app, 'POST', path('/archive'), { body: { features: [requestedFlag, forgotten] } });
  expect(await findNames('archived-in-use')).toEqual([]);

  await evaluate('production', { [requestedFlag]: { yes: 0, no: 1 } }, 'shop');
  await evaluate('development', { [requestedFlag]: { yes: 0, no: 1 } }, 'shop');
  await evaluate('production', { [requestedFlag]: { yes: 0, no: 1 } }, 'basket');

  expect((await readHealth('archived-in-use')).findings).toMatchObject([
    {
      feature: requestedFlag,
      points: 0,
      evidence: {
        type: 'release',
        ageDays: 100,
        applications: [
          { name: 'basket', environments: ['production'] },
          { name: 'shop', environments: ['development', 'production'] },
        ],
      },
    },
  ]);
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
  const snooze = await call(
    harness.app,
    'PUT',
    path(`/health/findings/archived-in-use/${requestedFlag}/snooze`),
    {
      body: { reason: 'The next release removes it', until: tomorrow },
    },
  );
  expect(snooze.status).toBe(200);
  expect(await call(harness.app, 'GET', path('/health'))).toMatchObject({
    body: { health: 100, counts: { features: 0 }, total: 0 },
  });

  await call(harness.app, 'DELETE', path(`/health/findings/archived-in-use/${requestedFlag}/snooze`));
  await moveIntoPast(8);
  expect(await findNames('archived-in-use')).toEqual([]);
});

test('a feature search returns the counts of the current and the previous hour', async () => {
  const name = await createFlag();
  await evaluate('production', { [name]: { yes: 3, no: 1, variants: { blue: 2 } } });
  await evaluate('production', { [name]: { yes: 2, no: 0 } }, 'basket');
  const readCounts = async () => {
    const { body } = await call(harness.app, 'GET', `/api/admin/search/features?query=${name}`);
    return body.features[0].environments.map((environment: Record<string, unknown>) => [
      environment.name,
      environment.yes,
      environment.no,
    ]);
  };

  expect(await readCounts()).toEqual([
    ['development', 0, 0],
    ['production', 5, 1],
  ]);

  await sql`update metric_hours set hour = hour - interval '2 hours'`.execute(harness.db);
  expect(await readCounts()).toEqual([
    ['development', 0, 0],
    ['production', 0, 0],
  ]);
});
