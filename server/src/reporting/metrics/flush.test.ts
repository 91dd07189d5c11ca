import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { makeUsage, type Usage } from '@halyard/plane/counting/usage.ts';
import { sql } from 'kysely';
import { Registry } from 'prom-client';
import { beforeAll, describe, expect, test } from 'vitest';
import { openDb } from '../../platform/db/database.ts';
import { makeApiToken, makeFeature, makeProject } from '../../test/factories.ts';
import { useHarness } from '../../test/harness.ts';
import { call } from '../../test/request.ts';
import { startTcpProxy } from '../../test/tcp-proxy.ts';
import { waitForLockWaiters } from '../../test/waiting.ts';
import { cleanUpMetrics } from './clean-up.ts';
import { makeFlusher } from './flush.ts';
import { startFlushLoop } from './flush-loop.ts';
import { createMetricPartitions, dropMetricPartitions } from './partitions.ts';
import { writeBatch } from './write-batch.ts';

const harness = useHarness();
const HOUR_MS = 3_600_000;
const SOURCE = '00000000-0000-4000-8000-000000000001';
const reporter = { id: 1, type: 'backend', environment: 'production', projects: undefined };

beforeAll(async () => {
  for (const name of ['counted', 'b', 'c', 'sighted'])
    await makeFeature(harness.db, 'default', { name, type: 'release' });
});

const report = (usage: Usage, toggles: object, appName = 'shop', environment = 'production') =>
  void usage.report(
    { ...reporter, environment },
    {},
    { appName, instanceId: 'i', bucket: { stop: Date.now(), toggles } },
  );

const readSums = async (name: string) => {
  const { rows } = await sql<{ hours: string; days: string }>`
    select
      (select sum(yes)::text || ':' || sum(no) from metric_hours where feature_id = metric_features.id) as hours,
      (select sum(yes)::text || ':' || sum(no) from metric_days where feature_id = metric_features.id) as days
    from metric_features where name = ${name}`.execute(harness.db);
  return rows[0];
};

const listEvents = async (query: string) =>
  (await call(harness.app, 'GET', `/api/admin/search/events?${query}`)).body.events;

describe('counts', () => {
  test('adds to the hours and the days, with separate rows for variants', async () => {
    const usage = makeUsage(new Registry(), () => true);
    const flusher = makeFlusher(harness.db, usage);

    report(usage, { counted: { yes: 3, no: 1, variants: { blue: 2 } } });
    await flusher.flush();
    report(usage, { counted: { yes: 4, no: 0, variants: { blue: 1 } } });
    await flusher.flush();
    await flusher.flush();

    // The variant is a separate row, with its count in `yes`.
    expect(await readSums('counted')).toEqual({ hours: '10:1', days: '10:1' });
    const { body } = await call(harness.app, 'GET', '/api/admin/client-metrics/features/counted/raw');
    expect(body.data).toMatchObject([
      {
        featureName: 'counted',
        appName: 'shop',
        environment: 'production',
        yes: 7,
        no: 1,
        variants: { blue: 3 },
      },
    ]);
  });

  test('counts only evaluations of features in the projects of the token', async () => {
    const { id: secret } = await makeProject(harness.db, { mode: 'private' });
    await makeFeature(harness.db, secret, { name: 'secret-flag', type: 'release' });
    await makeFeature(harness.db, 'default', { name: 'own-flag', type: 'release' });
    const registry = new Registry();
    const usage = makeUsage(registry, () => true);
    const send = (projects: string[] | undefined) =>
      void usage.report(
        { ...reporter, projects },
        {},
        {
          appName: 'scoped',
          bucket: { stop: Date.now(), toggles: { 'own-flag': { yes: 1 }, 'secret-flag': { yes: 1 } } },
        },
      );

    send(['default']);
    await makeFlusher(harness.db, usage).flush();

    expect(await readSums('own-flag')).toEqual({ hours: '1:0', days: '1:0' });
    expect(await readSums('secret-flag')).toEqual({ hours: null, days: null });
    expect(await listEvents('feature=IS:secret-flag&type=IS:feature-stage-entered')).toEqual([]);
    expect(await registry.getSingleMetricAsString('halyard_metrics_dropped_total')).toContain(
      'reason="project"} 1',
    );
    // Tokens of several projects report the same feature within one batch.
    send(['default']);
    send(['default', secret]);
    send(undefined);
    await makeFlusher(harness.db, usage).flush();

    expect(await readSums('own-flag')).toEqual({ hours: '4:0', days: '4:0' });
    expect(await readSums('secret-flag')).toEqual({ hours: '2:0', days: '2:0' });
  });

  test('a batch that is written again counts once, even while its first transaction is open', async () => {
    await makeFeature(harness.db, 'default', { name: 'repeated', type: 'release' });
    const hour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
    const row = {
      feature: 'repeated',
      environment: 'production',
      application: 'shop',
      projects: undefined,
      token: 1,
      variant: '',
      yes: 5,
      no: 0,
    };
    const batch = { number: 1, rows: [{ ...row, hour, seenAt: Date.now() }] };

    const flushes = await Promise.all([
      writeBatch(harness.db, SOURCE, batch),
      writeBatch(harness.db, SOURCE, batch),
    ]);
    await writeBatch(harness.db, SOURCE, batch);
    await writeBatch(harness.db, SOURCE, { ...batch, number: 2 });

    expect(flushes).toHaveLength(2);
    expect(await readSums('repeated')).toEqual({ hours: '10:0', days: '10:0' });
  });

  test('a connection that is cut at the commit neither loses nor duplicates counts', async () => {
    await makeFeature(harness.db, 'default', { name: 'cut', type: 'release' });
    const { hostname, port } = new URL(harness.databaseUrl);
    const proxy = await startTcpProxy(hostname, Number(port || 5432));
    const url = new URL(harness.databaseUrl);
    url.host = `127.0.0.1:${proxy.port}`;
    const db = openDb({ url: url.href, poolSize: 1, onError: () => {}, preparedStatements: false });
    const usage = makeUsage(new Registry(), () => true);
    const flusher = makeFlusher(db, usage);
    let failureCount = 0;

    for (let round = 0; round < 10; round++) {
      report(usage, { cut: { yes: 1, no: 2 } });
      if (round % 2 === 0) proxy.closeAfter('commit');
      await flusher.flush().catch(() => failureCount++);
    }
    await flusher.flush();

    expect(proxy.closedCount).toBe(5);
    expect(failureCount).toBe(5);
    expect(await readSums('cut')).toEqual({ hours: '10:20', days: '10:20' });
    await db.destroy();
    await proxy.close();
  });

  test('keeps and merges counts while the database is down', async () => {
    await makeFeature(harness.db, 'default', { name: 'outage', type: 'release' });
    const brokenDb = openDb({ url: 'postgres://postgres@127.0.0.1:1/none', poolSize: 1, onError: () => {} });
    const usage = makeUsage(new Registry(), () => true);
    const failingFlusher = makeFlusher(brokenDb, usage);

    report(usage, { outage: { yes: 1, no: 0 } });
    await expect(failingFlusher.flush()).rejects.toThrow();
    report(usage, { outage: { yes: 1, no: 0 } });
    await expect(failingFlusher.flush()).rejects.toThrow();

    expect(usage.merged.keys).toBe(2);
    await makeFlusher(harness.db, usage).flush();
    expect(await readSums('outage')).toEqual({ hours: '2:0', days: '2:0' });
    await brokenDb.destroy();
  });

  test('drops a batch that PostgreSQL rejects three times, and continues', async () => {
    const registry = new Registry();
    const usage = makeUsage(registry, () => true);
    const flusher = makeFlusher(harness.db, usage);
    await flusher.flush();
    await sql`alter table metric_days add constraint broken check (yes <> 4711) not valid`.execute(
      harness.db,
    );

    report(usage, { b: { yes: 4711, no: 0 } });
    await expect(flusher.flush()).rejects.toThrow();
    await expect(flusher.flush()).rejects.toThrow();
    report(usage, { c: { yes: 8, no: 0 } });
    await flusher.flush();
    await sql`alter table metric_days drop constraint broken`.execute(harness.db);

    expect(await readSums('b')).toEqual({ hours: null, days: null });
    expect(await readSums('c')).toEqual({ hours: '8:0', days: '8:0' });
    expect(await registry.metrics()).toContain('halyard_metrics_dropped_total{reason="rejected"} 1');
  });

  test('does not count a written batch as dropped if PostgreSQL rejects a lifecycle stage', async () => {
    const registry = new Registry();
    const usage = makeUsage(registry, () => true);
    const flusher = makeFlusher(harness.db, usage);
    await makeFeature(harness.db, 'default', { name: 'stuck' });
    await sql`alter table feature_lifecycles add constraint broken check (feature_name <> 'stuck' or stage = 'initial') not valid`.execute(
      harness.db,
    );

    report(usage, { stuck: { yes: 3, no: 0 } });
    await expect(flusher.flush()).rejects.toThrow();
    await expect(flusher.flush()).rejects.toThrow();
    await flusher.flush();
    await sql`alter table feature_lifecycles drop constraint broken`.execute(harness.db);

    expect(await readSums('stuck')).toEqual({ hours: '3:0', days: '3:0' });
    expect(await registry.metrics()).not.toContain('halyard_metrics_dropped_total{reason="rejected"} 1');
  });

  test('stores strings with unpaired surrogates, NUL, and pairs split by truncation', async () => {
    const usage = makeUsage(new Registry(), () => true);
    const oddText = '\ud800\0';
    const cut = `${'x'.repeat(199)}😀`;
    usage.register(
      reporter,
      {},
      { appName: oddText, instanceId: oddText, sdkVersion: oddText, strategies: [oddText, cut] },
    );
    usage.register(reporter, {}, { appName: cut, instanceId: cut, sdkVersion: cut });
    report(
      usage,
      { [oddText]: { yes: 1, no: 0 }, c: { yes: 1, no: 0, variants: { [oddText]: 1, [cut]: 1 } } },
      oddText,
    );
    await usage.reportBulk(reporter, {
      applications: [{ appName: `${oddText}2`, instanceId: oddText, strategies: [oddText] }],
      metrics: [
        { appName: `${oddText}2`, featureName: `${oddText}2`, yes: 1, no: 0, variants: { [oddText]: 1 } },
      ],
    });

    await makeFlusher(harness.db, usage).flush();
    await sql`delete from unknown_flags`.execute(harness.db);

    const { body } = await call(harness.app, 'GET', '/api/admin/metrics/applications');
    const names = body.applications.map(({ appName }: { appName: string }) => appName);
    expect(names).toEqual(
      expect.arrayContaining(['\ufffd\ufffd', '\ufffd\ufffd2', `${'x'.repeat(199)}\ufffd`]),
    );
  });

  test('drops an instance that PostgreSQL rejects, and writes the others', async () => {
    const registry = new Registry();
    const usage = makeUsage(registry, () => true);
    const flusher = makeFlusher(harness.db, usage);
    await sql`alter table application_instances add constraint broken check (instance_id <> 'i4') not valid`.execute(
      harness.db,
    );

    for (const n of [1, 2, 3, 4, 5])
      usage.register(reporter, {}, { appName: 'partly', instanceId: `i${n}`, strategies: [] });
    await flusher.flush();
    await sql`alter table application_instances drop constraint broken`.execute(harness.db);

    const { body } = await call(harness.app, 'GET', '/api/admin/metrics/applications/partly');
    const ids = body.instances.map(({ instanceId }: { instanceId: string }) => instanceId);
    expect(ids.toSorted()).toEqual(['i1', 'i2', 'i3', 'i5']);
    expect(await registry.metrics()).toContain('halyard_metrics_dropped_total{reason="rejected"} 1');
  });

  test('the warning about a failed write does not quote SDK data', async () => {
    const usage = makeUsage(new Registry(), () => true);
    const lines: object[] = [];
    const log = { warn: (fields: object) => void lines.push(fields) };
    const flushLoop = startFlushLoop(usage, harness.db, log, new Registry());
    await sql`alter table applications add constraint broken check (name not like 'private%') not valid`.execute(
      harness.db,
    );

    report(usage, { c: { yes: 1, no: 0 } }, 'private text');
    await flushLoop.flush();
    await sql`alter table applications drop constraint broken`.execute(harness.db);
    await flushLoop.stop();

    expect(lines[0]).toMatchObject({ error: { code: '23514', message: expect.stringContaining('broken') } });
    expect(inspect(lines, { depth: 10 })).not.toContain('private text');
  });
});

describe('concurrent transactions', () => {
  test('a flush does not wait for a change that has locked the flag', async () => {
    const usage = makeUsage(new Registry(), () => true);
    report(usage, { sighted: { yes: 1, no: 0 } });
    const lock = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const holder = harness.db.transaction().execute(async tx => {
      await sql`select from features where name = 'sighted' for update`.execute(tx);
      lock.resolve();
      await release.promise;
    });
    await lock.promise;

    await makeFlusher(harness.db, usage).flush();
    const { body } = await call(harness.app, 'GET', '/api/admin/projects/default/features/sighted');
    release.resolve();
    await holder;

    expect(body.lastSeenAt).toEqual(expect.any(String));
    // Entering a stage requires the lock, so the job moves the flag later.
    expect(body.lifecycle.stage).toBe('initial');
  });

  test('two overlapping flushes do not deadlock, and both count', async () => {
    for (const name of ['z-first', 'a-last'])
      await makeFeature(harness.db, 'default', { name, type: 'release' });
    const usages = [makeUsage(new Registry(), () => true), makeUsage(new Registry(), () => true)] as const;
    report(usages[0], { 'z-first': { yes: 1, no: 0 }, 'a-last': { yes: 1, no: 0 } });
    report(usages[1], { 'a-last': { yes: 1, no: 0 }, 'z-first': { yes: 1, no: 0 } });
    const earlierUsage = makeUsage(new Registry(), () => true);
    report(earlierUsage, { 'z-first': { yes: 1, no: 0 }, 'a-last': { yes: 1, no: 0 } });
    await makeFlusher(harness.db, earlierUsage).flush();
    const lock = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const holder = harness.db.transaction().execute(async tx => {
      await sql`select from metric_hours for update`.execute(tx);
      lock.resolve();
      await release.promise;
    });
    await lock.promise;

    const flushes = usages.map(usage => makeFlusher(harness.db, usage).flush());
    await waitForLockWaiters(harness.db, 2);
    release.resolve();
    await holder;
    await Promise.all(flushes);

    expect(await readSums('z-first')).toEqual({ hours: '3:0', days: '3:0' });
    expect(await readSums('a-last')).toEqual({ hours: '3:0', days: '3:0' });
  });
});

describe('applications and unknown flags', () => {
  test('two servers that see an application at the same time create it once, with one event', async () => {
    const usages = [makeUsage(new Registry(), () => true), makeUsage(new Registry(), () => true)];
    for (const usage of usages) {
      usage.register(reporter, {}, { appName: 'new-app', instanceId: 'i', strategies: ['default', 'mine'] });
      report(usage, { counted: { yes: 1, no: 0 } }, 'new-app');
    }

    await Promise.all(usages.map(usage => makeFlusher(harness.db, usage).flush()));

    const events = await listEvents('type=IS:application-created');
    const ownEvents = events.filter(
      (event: { data: { appName: string } }) => event.data.appName === 'new-app',
    );
    expect(ownEvents).toHaveLength(1);
    expect(ownEvents[0].summary).toContain('new-app');
  });

  test('the creation time of an application and an instance is when they were first seen', async () => {
    const usage = makeUsage(new Registry(), () => true);
    report(usage, { counted: { yes: 1, no: 0 } }, 'seen-early');
    await sleep(50);
    await makeFlusher(harness.db, usage).flush();

    const { body } = await call(harness.app, 'GET', '/api/admin/metrics/applications/seen-early');

    expect(body.createdAt).toBe(body.lastSeenAt);
    expect(body.instances[0].createdAt).toBe(body.lastSeenAt);
  });

  test('records unknown flag names, with application and environment', async () => {
    const usage = makeUsage(new Registry(), () => true);

    report(usage, { 'no-such-flag': { yes: 0, no: 9 } }, 'asking');
    await makeFlusher(harness.db, usage).flush();

    const { body } = await call(harness.app, 'GET', '/api/admin/metrics/unknown-flags');
    expect(body.unknownFlags).toMatchObject([
      {
        name: 'no-such-flag',
        reports: [{ appName: 'asking', environments: [{ environment: 'production' }] }],
      },
    ]);
  });
});

describe('lifecycle', () => {
  const readStage = async (name: string) =>
    (await call(harness.app, 'GET', `/api/admin/projects/default/features/${name}`)).body.lifecycle.stage;
  const create = async (name: string) => {
    await makeFeature(harness.db, 'default', { name, type: 'release' });
    return `/api/admin/projects/default/features/${name}`;
  };
  const flushSeen = async (name: string, environment: string) => {
    const usage = makeUsage(new Registry(), () => true);
    report(usage, { [name]: { yes: 1, no: 0 } }, 'shop', environment);
    await sql`delete from feature_last_seen where feature_name = ${name}`.execute(harness.db);
    await makeFlusher(harness.db, usage).flush();
  };

  test('a feature moves to pre-live when it is first seen, and to live when it is seen enabled in production', async () => {
    const path = await create('moving');

    await flushSeen('moving', 'development');
    const stages = [await readStage('moving')];
    await flushSeen('moving', 'production');
    stages.push(await readStage('moving'));
    await call(harness.app, 'POST', `${path}/environments/production/on`);
    await flushSeen('moving', 'production');
    await flushSeen('moving', 'production');
    stages.push(await readStage('moving'));

    expect(stages).toEqual(['pre-live', 'pre-live', 'live']);
    const events = await listEvents('type=IS:feature-stage-entered&feature=IS:moving');
    expect(events.map((event: { preData: object; data: object }) => [event.preData, event.data])).toEqual([
      [{ stage: 'pre-live' }, { stage: 'live' }],
      [{ stage: 'initial' }, { stage: 'pre-live' }],
    ]);
  });

  test('a completed feature stays completed', async () => {
    const path = await create('finished');
    await call(harness.app, 'POST', `${path}/lifecycle/complete`, { body: { status: 'kept' } });

    await flushSeen('finished', 'production');

    expect(await readStage('finished')).toBe('completed');
    expect(await listEvents('type=IS:feature-stage-entered&feature=IS:finished')).toEqual([]);
  });

  test('the job moves a feature to pre-live if it was locked when it was seen', async () => {
    const { advanceAll } = await import('../../flags/lifecycle/advance.ts');

    expect(await readStage('sighted')).toBe('initial');
    expect(await advanceAll(harness.db)).toBeGreaterThan(0);

    expect(await readStage('sighted')).toBe('pre-live');
    expect(await advanceAll(harness.db)).toBe(0);
  });
});

describe('storage', () => {
  const listPartitions = async () => {
    const { rows } = await sql<{ name: string }>`
      select inhrelid::regclass::text as name from pg_inherits where inhparent = 'metric_hours'::regclass
      order by name`.execute(harness.db);
    return rows.map(({ name }) => name);
  };

  test('creates partitions in advance, and drops those past their retention', async () => {
    const later = Date.parse('2031-05-30T12:00:00Z');
    const retention = { hourlyDays: 7, dailyDays: 400 };

    const addedNames = await createMetricPartitions(harness.db, later);
    const secondRun = await createMetricPartitions(harness.db, later);
    const droppedNames = await dropMetricPartitions(harness.db, retention, later);

    expect(addedNames).toContain('metric_hours_20310529');
    expect(addedNames).toContain('metric_hours_20310602');
    expect(addedNames).toContain('metric_days_203106');
    expect(secondRun).toEqual([]);
    expect(droppedNames.length).toBeGreaterThan(0);
    expect(await listPartitions()).toEqual([
      'metric_hours_20310529',
      'metric_hours_20310530',
      'metric_hours_20310531',
      'metric_hours_20310601',
      'metric_hours_20310602',
    ]);
    await createMetricPartitions(harness.db);
  });

  test('two servers create the partitions of a day once', async () => {
    const later = Date.parse('2032-01-31T12:00:00Z');

    const [firstNames = [], secondNames = []] = await Promise.all([
      createMetricPartitions(harness.db, later),
      createMetricPartitions(harness.db, later),
    ]);

    expect([...firstNames, ...secondNames].toSorted()).toEqual([
      'metric_days_203201',
      'metric_days_203202',
      'metric_hours_20320130',
      'metric_hours_20320131',
      'metric_hours_20320201',
      'metric_hours_20320202',
      'metric_hours_20320203',
    ]);
  });

  test('deletes only outdated rows', async () => {
    await sql`
      insert into unknown_flags (name, application, environment, seen_at) values
        ('old', 'a', 'production', now() - interval '8 days'), ('new', 'a', 'production', now())`.execute(
      harness.db,
    );
    await sql`insert into feature_last_seen values ('deleted-feature', 'production', now())`.execute(
      harness.db,
    );

    expect(await cleanUpMetrics(harness.db)).toBe(2);
    expect(await cleanUpMetrics(harness.db)).toBe(0);

    const { rows } = await sql<{ name: string }>`
      select name from unknown_flags where application = 'a'`.execute(harness.db);
    expect(rows).toEqual([{ name: 'new' }]);
  });

  test('deletes the last-seen times of a deleted feature', async () => {
    await makeFeature(harness.db, 'default', { name: 'gone', type: 'release' });
    const usage = makeUsage(new Registry(), () => true);
    report(usage, { gone: { yes: 1, no: 0 } });
    await makeFlusher(harness.db, usage).flush();

    await call(harness.app, 'DELETE', '/api/admin/projects/default/features/gone');
    await call(harness.app, 'DELETE', '/api/admin/archive/gone');

    const { rows } = await sql`select from feature_last_seen where feature_name = 'gone'`.execute(harness.db);
    expect(rows).toEqual([]);
  });
});

test('the SDK routes record what SDKs report', async () => {
  const { secret } = await makeApiToken(harness.db, {
    tokenName: 'sdk',
    type: 'backend',
    environment: 'development',
  });
  await makeFeature(harness.db, 'default', { name: 'routed', type: 'release' });
  const bucket = { start: 1, stop: Date.now(), toggles: { routed: { yes: 2, no: 1 } } };
  const count = { featureName: 'routed', appName: 'edge-app', environment: 'development', yes: 3, no: 0 };

  const statuses = [];
  for (const [path, body] of [
    ['register', { appName: 'sdk-app', instanceId: 'x', strategies: [] }],
    ['metrics', { appName: 'sdk-app', instanceId: 'x', bucket }],
    ['metrics/bulk', { applications: [{ appName: 'edge-app' }], metrics: [count] }],
    ['metrics/edge', { identifier: 'edge' }],
    ['metrics/bulk', { metrics: [count] }],
  ] as const) {
    const { status } = await call(harness.app, 'POST', `/api/client/${path}`, { token: secret, body });
    statuses.push(status);
  }
  await makeFlusher(harness.db, harness.app.usage).flush();

  expect(statuses).toEqual([202, 202, 202, 202, 400]);
  expect(await readSums('routed')).toEqual({ hours: '5:1', days: '5:1' });
});
