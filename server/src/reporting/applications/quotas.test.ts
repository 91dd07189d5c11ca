import type { IsKnown } from '@halyard/plane/counting/merged.ts';
import {
  OTHER_APPLICATIONS,
  OTHER_FLAGS,
  OTHER_INSTANCES,
  OTHER_VARIANTS,
  type ReachedQuota,
} from '@halyard/plane/counting/quotas.ts';
import { makeUsage } from '@halyard/plane/counting/usage.ts';
import { sql } from 'kysely';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { makeApiToken, makeFeature } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { makeFlusher } from '../metrics/flush.ts';
import { startFlushLoop } from '../metrics/flush-loop.ts';
import { countUnknownFlags } from '../metrics/store.ts';
import { expireApplications } from './expire.ts';

const harness = useHarness();
const token = (id: number) => ({ id, type: 'frontend', environment: 'production', projects: undefined });
const get = async (path: string) => (await call(harness.app, 'GET', `/api/admin/${path}`)).body;

/** Reports as SDKs do, and flushes. Returns the quotas that were reached. */
async function report(
  id: number,
  bodies: { appName: string; instanceId?: string; toggles?: object }[],
  isKnown: IsKnown = () => true,
) {
  const usage = makeUsage(new Registry(), isKnown);
  for (const { toggles = {}, ...body } of bodies)
    await usage.report(token(id), {}, { ...body, bucket: { stop: Date.now(), toggles } });
  const reachedQuotas: ReachedQuota[] = [];
  await makeFlusher(harness.db, usage, quotas => reachedQuotas.push(...quotas)).flush();
  return [...new Set(reachedQuotas.map(quota => `${quota.token} ${quota.kind}`))];
}

const makeReports = (prefix: string, count: number, fields: object = {}) =>
  Array.from({ length: count }, (_, number) => ({ appName: `${prefix}-${number}`, ...fields }));

const countCreationEvents = async () =>
  (await get('search/events?type=IS:application-created&limit=1')).total as number;

test('a token can create 100 applications per hour; further applications are counted together without affecting other tokens', async () => {
  await makeFeature(harness.db, 'default', { name: 'counted', type: 'release' });
  const toggles = { counted: { yes: 1, no: 0 } };

  const reachedQuotas = [
    await report(1, makeReports('squat', 120, { toggles })),
    // The next report arrives at a different server.
    await report(1, makeReports('again', 30, { toggles })),
    await report(2, makeReports('honest', 1, { toggles })),
  ];

  expect(reachedQuotas).toEqual([['1 applications'], ['1 applications'], []]);
  expect((await get('metrics/applications?limit=1')).total).toBe(102);
  expect(await countCreationEvents()).toBe(102);
  const raw: { appName: string; yes: number }[] = (await get('client-metrics/features/counted/raw')).data;
  const counts = new Map(raw.map(({ appName, yes }) => [appName, yes]));
  expect([counts.get('honest-0'), counts.get(OTHER_APPLICATIONS)]).toEqual([1, 50]);
});

test('a token that has 1,000 applications cannot create more', async () => {
  await sql`insert into applications (name, token_id, created_at)
    select 'old-' || n, 7, now() - interval '2 hours' from generate_series(1, 999) as n`.execute(harness.db);

  expect(await report(7, makeReports('last', 2))).toEqual(['7 applications']);

  const { applications } = await get('metrics/applications?query=last-');
  expect(applications).toHaveLength(1);
});

test('an existing application does not count toward the quota', async () => {
  await report(3, makeReports('known', 100));

  expect(await report(3, makeReports('known', 100))).toEqual([]);
});

test('a token can add 200 unknown flags per hour; further flags are counted under one name', async () => {
  const names = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`unknown-${n}`, { yes: 0, no: 1 }]));

  const reachedQuotas = await report(4, [{ appName: 'asks', toggles: names(250) }]);

  expect(reachedQuotas).toEqual(['4 unknownFlags']);
  const { rows } = await sql<{ count: number; others: number }>`
    select count(*), count(*) filter (where name = ${OTHER_FLAGS}) as others
    from unknown_flags where application = 'asks'`.execute(harness.db);
  expect(rows).toEqual([{ count: 201, others: 1 }]);
  expect(await report(4, [{ appName: 'asks', toggles: names(200) }])).toEqual([]);
});

test('a token can add 1,000 instances per hour on one server; further instances count as one', async () => {
  const instances = (appName: string, count: number) =>
    Array.from({ length: count }, (_, n) => ({ appName, instanceId: `i${n}` }));

  const reachedQuotas = await report(5, [...instances('one', 900), ...instances('two', 200)]);

  expect(reachedQuotas).toEqual(['5 instances']);
  const { rows } = await sql<{ name: string; count: number; others: number }>`
    select name, count(*), count(*) filter (where instance_id = ${OTHER_INSTANCES}) as others
    from application_instances join applications on applications.id = application_id
    where name in ('one', 'two') group by name order by name`.execute(harness.db);
  expect(rows).toEqual([
    { name: 'one', count: 900, others: 0 },
    { name: 'two', count: 101, others: 1 },
  ]);
});

test("a token leaves room in memory for other tokens' instances", async () => {
  const usage = makeUsage(new Registry(), () => true, { instances: 10 });
  for (const body of makeReports('many', 20)) usage.register(token(1), {}, body);
  usage.register(token(2), {}, { appName: 'other' });

  const { instances } = usage.merged.take();

  expect(instances.map(instance => instance.token)).toEqual([1, 1, 1, 1, 1, 2]);
});

test('logs once which token reached a quota', async () => {
  const { id } = await makeApiToken(harness.db, {
    tokenName: 'public-page',
    type: 'frontend',
    environment: 'production',
  });
  const usage = makeUsage(new Registry(), () => true);
  const lines: [object, string][] = [];
  const log = { warn: (fields: object, message: string) => void lines.push([fields, message]) };
  const flushLoop = startFlushLoop(usage, harness.db, log, new Registry());
  for (const prefix of ['first', 'second']) {
    for (const body of makeReports(prefix, 110)) usage.register(token(id), {}, body);
    await flushLoop.flush();
  }

  await expect
    .poll(() => lines)
    .toEqual([
      [
        { kind: 'applications', tokenId: id, tokenName: 'public-page', perHour: 100, inAll: 1_000 },
        'usage quota reached',
      ],
    ]);
  await flushLoop.stop();
});

test('deletes applications that were not seen for 30 days, with an event, and keeps described applications', async () => {
  await report(6, makeReports('idle', 3));
  await sql`update applications set reported_at = now() - interval '31 days' where name like 'idle-%'`.execute(
    harness.db,
  );
  await sql`update applications set description = 'the shop' where name = 'idle-1'`.execute(harness.db);
  // This application reports again, so it is in use.
  await report(6, [{ appName: 'idle-2' }]);

  expect(await expireApplications(harness.db)).toBe(1);

  const { applications } = await get('metrics/applications?query=idle-');
  expect(applications.map((application: { appName: string }) => application.appName)).toEqual([
    'idle-1',
    'idle-2',
  ]);
  const { events } = await get('search/events?type=IS:application-deleted');
  expect(events).toMatchObject([{ preData: { appName: 'idle-0' } }]);
});

test('a token can add 200 unknown variants per hour; further variants are counted under one name, but known variants keep their names', async () => {
  const base = 'projects/default/features';
  const post = (path: string, body: object) => call(harness.app, 'POST', `/api/admin/${path}`, { body });
  const variant = (name: string) => ({ name, weight: 500, weightType: 'variable', stickiness: 'default' });
  await post(base, { name: 'varied' });
  await post(`${base}/varied/environments/production/strategies`, {
    name: 'flexibleRollout',
    parameters: { rollout: '100', stickiness: 'default', groupId: 'varied' },
    variants: [variant('blue'), variant('red')],
  });
  await post(`${base}/varied/environments/production/on`, {});
  await harness.app.serving.load('production');
  const inventedVariants = Array.from({ length: 250 }, (_, n) => [`invented-${n}`, 1]);
  const variants = Object.fromEntries([...inventedVariants, ['blue', 1], ['disabled', 1]]);

  const reachedQuotas = await report(
    9,
    [{ appName: 'varies', toggles: { varied: { yes: 252, no: 0, variants } } }],
    harness.app.serving.hasFeature,
  );

  expect(reachedQuotas).toEqual(['9 unknownVariants']);
  const { data } = await get('client-metrics/features/varied/raw');
  const { blue, disabled, [OTHER_VARIANTS]: others, ...rest } = data[0].variants;
  expect({ blue, disabled, others }).toEqual({ blue: 1, disabled: 1, others: 50 });
  expect(Object.keys(rest)).toHaveLength(200);
});

test('counts the unknown flags that a token has added', async () => {
  await sql`
    insert into unknown_flags (name, application, environment, token_id, created_at, seen_at)
    values ('new', 'app', 'production', 77, now(), now()), ('old', 'app', 'production', 77, now() - interval '2 hours', now())`.execute(
    harness.db,
  );

  expect(await countUnknownFlags(harness.db, [77, 78])).toEqual([{ token: 77, inAll: 2, lastHour: 1 }]);
});
