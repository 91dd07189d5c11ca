import { setImmediate } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { batchRows } from '../../../server/src/reporting/metrics/batches.ts';
import { type IsKnown, MERGE_LIMITS, type MergeLimits } from './merged.ts';
import { OTHER_APPLICATIONS, OTHER_FLAGS, OTHER_INSTANCES, OTHER_VARIANTS } from './quotas.ts';
import { makeUsage, type Usage } from './usage.ts';

const token = { id: 1, type: 'backend', environment: 'production', projects: undefined };
const HOUR_MS = 3_600_000;

function usageWith(
  limits: Partial<MergeLimits> = {},
  isKnown: IsKnown = () => true,
): {
  usage: Usage;
  getDroppedCount: (reason: string) => Promise<number>;
} {
  const registry = new Registry();
  const usage = makeUsage(registry, isKnown, limits);
  const getDroppedCount = async (reason: string) => {
    const metric = await registry.getSingleMetric('halyard_metrics_dropped_total')?.get();
    return metric?.values.find(({ labels }) => labels.reason === reason)?.value ?? 0;
  };
  return { usage, getDroppedCount };
}

const body = (toggles: object, fields: object = {}) => ({
  appName: 'shop',
  instanceId: 'i1',
  bucket: { start: new Date().toISOString(), stop: new Date().toISOString(), toggles },
  ...fields,
});

/** The rows that would be written, abbreviated as `feature/variant yes:no`. */
const rows = (usage: Usage): string[] =>
  [...batchRows(usage.merged.take().buckets, 1_000)]
    .flat()
    .map(({ feature, variant, yes, no }) => `${feature}${variant && `/${variant}`} ${yes}:${no}`);

describe('merging', () => {
  test('adds up the counts of all instances of an application', async () => {
    const { usage } = usageWith();

    await usage.report(token, {}, body({ a: { yes: 3, no: 1, variants: { blue: 3 } } }));
    await usage.report(
      token,
      {},
      body({ a: { yes: 2, no: 0, variants: { blue: 1, red: 1 } } }, { instanceId: 'i2' }),
    );
    await usage.report({ ...token, id: 2 }, {}, body({ b: { yes: 0, no: 7 } }));

    expect(rows(usage)).toEqual(['a 5:1', 'a/blue 4:0', 'a/red 1:0', 'b 0:7']);
    expect(rows(usage)).toEqual([]);
  });

  test('keeps environments, applications and hours apart', async () => {
    const { usage } = usageWith();
    const hourAgo = new Date(Date.now() - HOUR_MS).toISOString();

    await usage.report(token, {}, body({ a: { yes: 1, no: 0 } }));
    await usage.report({ ...token, environment: 'development' }, {}, body({ a: { yes: 1, no: 0 } }));
    await usage.report(token, {}, body({ a: { yes: 1, no: 0 } }, { appName: 'other' }));
    await usage.report(token, {}, body({}, { bucket: { stop: hourAgo, toggles: { a: { yes: 1, no: 0 } } } }));

    expect(usage.merged.take().buckets).toHaveLength(4);
  });

  test('splits the counts into lists of limited length', async () => {
    const { usage } = usageWith();
    const toggles = Object.fromEntries(Array.from({ length: 25 }, (_, n) => [`f${n}`, { yes: 1, no: 0 }]));

    await usage.report(token, {}, body(toggles));

    const lists = [...batchRows(usage.merged.take().buckets, 10)];
    expect(lists.map(list => list.length)).toEqual([10, 10, 5]);
  });
});

describe('bodies from SDKs', () => {
  test.each<[string, object]>([
    ['no bucket', { bucket: undefined }],
    ['a bucket that is null', { bucket: null }],
    ['no toggles', { bucket: { stop: 1 } }],
    ['toggles in a list', { bucket: { toggles: [1, 2] } }],
    ['counts that are not an object', { bucket: { toggles: { a: 3, b: null, c: 'x', d: [1] } } }],
    ['an empty name', { bucket: { toggles: { '': { yes: 1, no: 1 } } } }],
    [
      'malformed impact metrics',
      { impactMetrics: [null, 3, { name: 'x' }, { name: 'x', type: 'counter', samples: [null] }] },
    ],
    ['a different environment without a bucket', { environment: 'other', bucket: null }],
  ])('skips %s', async (_case, fields) => {
    const { usage } = usageWith();

    await usage.report(token, {}, body({}, fields));

    expect(rows(usage)).toEqual([]);
  });

  test.each<[unknown, number]>([
    [3, 3],
    [2.9, 2],
    [-4, 0],
    [Number.NaN, 0],
    [Number.POSITIVE_INFINITY, 1_000_000_000],
    [1e300, 1_000_000_000],
    ['7', 0],
    [null, 0],
    [undefined, 0],
  ])('reads the count %s as %i', async (sentCount, count) => {
    const { usage } = usageWith();

    await usage.report(token, {}, body({ a: { yes: sentCount, no: 1, variants: null } }));

    expect(rows(usage)).toEqual([`a ${count}:1`]);
  });

  test.each<[string, unknown, number]>([
    ['a time two days ago', Date.now() - 48 * HOUR_MS, -24],
    ['a time in the future', new Date(Date.now() + 24 * HOUR_MS).toISOString(), 0],
    ['an invalid time', 'soon', 0],
    ['no time', undefined, 0],
  ])('corrects the time of a report with %s', async (_case, stop, hours) => {
    const { usage } = usageWith();

    await usage.report(token, {}, body({}, { bucket: { stop, toggles: { a: { yes: 1, no: 0 } } } }));

    const [bucket] = usage.merged.take().buckets;
    const expected = Math.floor((Date.now() + hours * HOUR_MS) / HOUR_MS);
    // A time may be up to five minutes ahead, which can be in the next hour.
    expect([expected, expected + 1]).toContain(bucket?.hour);
    expect(bucket?.features.get('a')?.seenAt).toBeLessThanOrEqual(Date.now());
  });

  test('takes the application name from a header, and stores no NUL', async () => {
    const { usage } = usageWith();

    await usage.report(
      token,
      { 'unleash-appname': 'from\0header' },
      { bucket: { toggles: { 'a\0b': { yes: 1, no: 0 } } } },
    );

    const { buckets } = usage.merged.take();
    expect(buckets.map(({ application, features }) => [application, ...features.keys()])).toEqual([
      ['from\ufffdheader', 'a\ufffdb'],
    ]);
  });

  test('keeps the version and strategies from the registration', async () => {
    const { usage } = usageWith();

    usage.register(
      token,
      {},
      { appName: 'shop', instanceId: 'i1', sdkVersion: 'node:1', strategies: ['default', 3] },
    );
    await usage.report(token, {}, body({}));

    expect(usage.merged.take().instances).toMatchObject([
      { application: 'shop', instanceId: 'i1', sdkVersion: 'node:1', strategies: ['default'] },
    ]);
  });
});

describe('limits', () => {
  test('adds no new keys for a token that has used up its share, but keeps counting existing ones', async () => {
    const { usage, getDroppedCount } = usageWith({ keysPerToken: 3 });

    await usage.report(token, {}, body({ a: { yes: 1, no: 0 }, b: { yes: 1, no: 0 }, c: { yes: 1, no: 0 } }));
    await usage.report(token, {}, body({ a: { yes: 1, no: 0, variants: { blue: 1 } } }));
    await usage.report({ ...token, id: 2 }, {}, body({ c: { yes: 1, no: 0 } }));

    expect(rows(usage)).toEqual(['a 2:0', 'b 1:0', 'c 1:0']);
    expect(await getDroppedCount('limit')).toBe(2);
  });

  test('limits the keys of all tokens together until a flush makes room', async () => {
    const { usage, getDroppedCount } = usageWith({ keys: 4 });

    await usage.report(token, {}, body({ a: { yes: 1, no: 0 } }));
    await usage.report({ ...token, id: 2 }, {}, body({ b: { yes: 1, no: 0 } }));
    await usage.report({ ...token, id: 2 }, {}, body({ b: { yes: 1, no: 0 } }, { appName: 'other' }));
    expect(await getDroppedCount('limit')).toBe(2);
    usage.merged.take();
    await usage.report({ ...token, id: 2 }, {}, body({ b: { yes: 1, no: 0 } }));

    expect(rows(usage)).toEqual(['b 1:0']);
  });

  test('limits the number of instances and the length of names', async () => {
    const { usage, getDroppedCount } = usageWith({ instances: 1 });

    await usage.report(token, {}, body({}));
    await usage.report(token, {}, body({ ['x'.repeat(101)]: { yes: 1, no: 0 } }, { instanceId: 'i2' }));
    await usage.report(token, {}, body({}, { appName: 'x'.repeat(1_000) }));

    expect(usage.merged.take().instances).toHaveLength(1);
    expect(await getDroppedCount('limit')).toBe(2);
    expect(await getDroppedCount('name')).toBe(1);
  });

  test('the default limits match the documentation', () => {
    expect(MERGE_LIMITS).toEqual({
      keysPerToken: 100_000,
      keys: 200_000,
      applicationsPerToken: 1_000,
      unknownFlagsPerToken: 1_000,
      unknownVariantsPerToken: 200,
      instancesPerToken: 2_000,
      instances: 20_000,
    });
  });

  test("above a token's limit, counts its unknown flags under one shared name and known flags under their own names", async () => {
    const { usage } = usageWith({ unknownFlagsPerToken: 2 }, (_, name) => name === 'known');
    const once = { yes: 1, no: 0 };

    await usage.report(token, {}, body({ x1: once, x2: once, x3: once, x4: once, x1b: once, known: once }));
    await usage.report(token, {}, body({ x1: once, known: once }));
    await usage.report({ ...token, id: 2 }, {}, body({ x5: once }));

    expect(rows(usage)).toEqual(['x1 2:0', 'x2 1:0', `${OTHER_FLAGS} 3:0`, 'known 2:0', 'x5 1:0']);
    await usage.report(token, {}, body({ x6: once }));
    expect(rows(usage)).toEqual(['x6 1:0']);
  });

  test("above a token's hourly limit, counts its unknown variants under one shared name and known variants under their own names", async () => {
    const { usage } = usageWith(
      { unknownVariantsPerToken: 2 },
      (_, __, variant) => variant === undefined || variant === 'known',
    );
    const toggles = (...names: string[]) => ({
      a: { yes: 9, no: 0, variants: Object.fromEntries(names.map(name => [name, 1])) },
    });

    await usage.report(token, {}, body(toggles('v1', 'v2', 'v3', 'v4', 'known')));
    await usage.report(token, {}, body(toggles('v2', 'v3')));
    const others = `a/${OTHER_VARIANTS}`;
    expect(rows(usage)).toEqual(['a 18:0', 'a/v1 1:0', 'a/v2 2:0', `${others} 3:0`, 'a/known 1:0']);

    await usage.report(token, {}, body(toggles('v1', 'v5')));
    await usage.report({ ...token, id: 2 }, {}, body(toggles('v6')));
    const batch = usage.merged.take();
    expect(batch.buckets.map(({ features }) => [...(features.get('a')?.variants?.keys() ?? [])])).toEqual([
      ['v1', OTHER_VARIANTS],
      ['v6'],
    ]);
    expect(batch.tokensAboveVariantQuota).toEqual([1]);
  });

  test("above a token's limit, counts its applications under one shared name", async () => {
    const { usage } = usageWith({ applicationsPerToken: 1 });
    const toggles = { a: { yes: 1, no: 0 } };

    for (const appName of ['one', 'two', 'three', 'one'])
      await usage.report(token, {}, body(toggles, { appName }));
    await usage.report({ ...token, id: 2 }, {}, body(toggles, { appName: 'four' }));

    const { buckets, instances } = usage.merged.take();
    const names = ['one', OTHER_APPLICATIONS, 'four'];
    expect(buckets.map(({ application }) => application)).toEqual(names);
    expect(buckets[1]?.features.get('a')?.yes).toBe(2);
    expect(instances.map(({ application }) => application)).toEqual(names);
  });

  test("above a token's limit, counts its instances as one", async () => {
    const { usage } = usageWith({ instancesPerToken: 2 });

    for (const instanceId of ['i1', 'i2', 'i3', 'i4', 'i1'])
      usage.register(token, {}, { appName: 'shop', instanceId });
    usage.register({ ...token, id: 2 }, {}, { appName: 'shop', instanceId: 'i5' });

    expect(usage.merged.take().instances.map(({ instanceId }) => instanceId)).toEqual([
      'i1',
      'i2',
      OTHER_INSTANCES,
      'i5',
    ]);
  });
});

describe('bulk metrics', () => {
  const count = {
    featureName: 'a',
    appName: 'shop',
    environment: 'production',
    yes: 2,
    no: 1,
    variants: { blue: 2 },
  };
  const application = { appName: 'shop', instanceId: 'i1', environment: 'production', sdkType: 'frontend' };

  test("counts only entries for the token's environment", async () => {
    const { usage } = usageWith();

    await usage.reportBulk(token, {
      applications: [application],
      metrics: [count, { ...count, environment: 'other' }],
    });

    expect(usage.merged.take()).toMatchObject({
      instances: [{ application: 'shop', isFrontend: true }],
      buckets: [{ application: 'shop', environment: 'production' }],
    });
  });

  test('omits entries with an empty name, and counts the rest', async () => {
    const { usage } = usageWith();

    await usage.reportBulk(token, {
      applications: [{ ...application, appName: '' }, application],
      metrics: [{ ...count, appName: '' }, { ...count, featureName: '' }, count],
    });

    const { instances, buckets } = usage.merged.take();
    expect(instances).toMatchObject([{ application: 'shop' }]);
    expect(buckets).toMatchObject([{ application: 'shop', environment: 'production' }]);
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['no lists', {}, '/body/applications'],
    ['a list of strings', { applications: ['x'], metrics: [] }, '/body/applications'],
    [
      'an application without a name',
      { applications: [{}], metrics: [count] },
      '/body/applications/0/appName',
    ],
    [
      'a count without a feature',
      { applications: [], metrics: [count, { appName: 'x' }] },
      '/body/metrics/1/featureName',
    ],
  ])('rejects %s and counts nothing', (_case, bulk, path) => {
    const { usage } = usageWith();

    expect(() => usage.reportBulk(token, bulk)).toThrow(
      expect.objectContaining({
        name: 'BadDataError',
        details: expect.arrayContaining([expect.objectContaining({ path })]),
      }),
    );
    expect(usage.merged.take()).toEqual({ buckets: [], instances: [], tokensAboveVariantQuota: [] });
  });
});

describe('impact metrics', () => {
  const labels = { appName: 'shop', 'odd-name': 'a "b"\n' };

  test('adds up counters and histograms, and replaces gauges', async () => {
    const { usage } = usageWith();
    const metrics = [
      { name: 'purchases', help: 'Sold', type: 'counter', samples: [{ value: 2, labels }] },
      { name: 'queue', help: 'Waiting', type: 'gauge', samples: [{ value: 5 }] },
      {
        name: 'latency',
        help: 'ms',
        type: 'histogram',
        samples: [
          {
            count: 2,
            sum: 3.5,
            buckets: [
              { le: 1, count: 1 },
              { le: '+Inf', count: 2 },
            ],
          },
        ],
      },
    ];

    await usage.report(token, {}, body({}, { impactMetrics: metrics }));
    await usage.report(token, {}, body({}, { impactMetrics: metrics }));

    expect(usage.impact.text()).toBe(`# HELP unleash_counter_purchases Sold
# TYPE unleash_counter_purchases counter
unleash_counter_purchases{appName="shop",odd_name="a \\"b\\"\\n"} 4
# HELP unleash_gauge_queue Waiting
# TYPE unleash_gauge_queue gauge
unleash_gauge_queue 5
# HELP unleash_histogram_latency ms
# TYPE unleash_histogram_latency histogram
unleash_histogram_latency_bucket{le="1"} 2
unleash_histogram_latency_bucket{le="+Inf"} 4
unleash_histogram_latency_sum 7
unleash_histogram_latency_count 4
`);
  });

  test('writes each label once, and reserves le for histograms', async () => {
    const { usage } = usageWith();
    const samples = [{ value: 1, labels: { 'a-b': 'first', a_b: 'second', le: '1', '2nd': 'c' } }];

    await usage.report(token, {}, body({}, { impactMetrics: [{ name: 'x', type: 'counter', samples }] }));

    expect(usage.impact.text()).toContain('unleash_counter_x{_2nd="c",a_b="first"} 1\n');
  });

  const userMetrics = (count: number, name = 'x') => [
    {
      name,
      type: 'counter',
      samples: Array.from({ length: count }, (_, n) => ({ value: 1, labels: { user: String(n) } })),
    },
  ];
  const add = (usage: Usage, id: number, list: object[], now: number) => {
    for (const _ of usage.impact.add(id, list, now));
  };
  const seriesIn = (usage: Usage, now?: number) =>
    usage.impact
      .text(now)
      .split('\n')
      .filter(line => line.startsWith('unleash_')).length;

  test('limits the label combinations of each token, and of all tokens together', async () => {
    const { usage, getDroppedCount } = usageWith();

    await usage.report(token, {}, body({}, { impactMetrics: userMetrics(600) }));
    expect(seriesIn(usage)).toBe(500);
    expect(await getDroppedCount('limit')).toBe(100);
    for (const id of [2, 3, 4, 5])
      await usage.report({ ...token, id }, {}, body({}, { impactMetrics: userMetrics(500, `by_${id}`) }));

    expect(seriesIn(usage)).toBe(2_000);
  });

  test('forgets series that were not updated for an hour, which makes room', () => {
    const { usage } = usageWith();

    add(usage, 1, userMetrics(500), 0);
    add(usage, 1, userMetrics(1), HOUR_MS / 2);
    expect(seriesIn(usage, HOUR_MS - 1)).toBe(500);
    add(usage, 1, userMetrics(400, 'y'), HOUR_MS + 60_001);

    expect(seriesIn(usage, HOUR_MS + 60_001)).toBe(401);
    expect(usage.impact.text(HOUR_MS + 60_001)).toContain('unleash_counter_x{user="0"} 2\n');
    expect(usage.impact.text(3 * HOUR_MS)).toBe('');
  });

  test('accepts only strings, numbers and booleans as labels', async () => {
    const { usage } = usageWith();
    const labels = { a: { toString: 1, valueOf: 2 }, b: ['x'], c: null, d: 4, e: true, f: '\ud800' };

    await usage.report(
      token,
      {},
      body({}, { impactMetrics: [{ name: 'x', type: 'counter', samples: [{ value: 1, labels }] }] }),
    );

    expect(usage.impact.text()).toContain('unleash_counter_x{d="4",e="true",f="\ufffd"} 1\n');
  });
});

describe('large bodies', () => {
  const makeToggles = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, { yes: 1, no: 0 }]));
  /** Records the number of keys in memory after each turn of the event loop. */
  const keysByTurn = async (usage: Usage, work: Promise<void> | undefined) => {
    const keys = [usage.merged.keys];
    let isDone = false;
    void work?.then(() => {
      isDone = true;
    });
    while (work && !isDone) {
      await setImmediate();
      keys.push(usage.merged.keys);
    }
    return keys;
  };
  const largestStep = (keys: number[]) =>
    Math.max(...keys.map((now, index) => now - (keys[index - 1] ?? now)));

  test('are counted completely, in turns', async () => {
    const { usage } = usageWith();

    const keys = await keysByTurn(usage, usage.report(token, {}, body(makeToggles(20_000))));

    expect(keys[0]).toBeLessThan(3_500);
    expect(largestStep(keys)).toBeLessThan(3_500);
    expect(keys.at(-1)).toBe(20_001);
  });

  test('from two tokens are counted completely, in turns', async () => {
    const { usage } = usageWith();

    const reports = [token, { ...token, id: 2 }].map(reporter =>
      usage.report(reporter, {}, body(makeToggles(10_000), { appName: `of ${reporter.id}` })),
    );
    const keys = await keysByTurn(
      usage,
      Promise.all(reports).then(() => {}),
    );

    expect(largestStep(keys)).toBeLessThan(3_500);
    expect(keys.at(-1)).toBe(20_002);
  });

  test('a flush between two turns neither loses nor repeats counts', async () => {
    const { usage } = usageWith();

    const work = usage.report(token, {}, body(makeToggles(5_000)));
    const firstRows = rows(usage);
    await work;

    expect(firstRows).toHaveLength(2_000);
    expect(new Set([...firstRows, ...rows(usage)]).size).toBe(5_000);
  });

  test('from a proxy are counted in turns', async () => {
    const { usage } = usageWith({ applicationsPerToken: 10_001, instancesPerToken: 10_000 });
    const names = Array.from({ length: 10_000 }, (_, n) => `n${n}`);

    const work = usage.reportBulk(token, {
      applications: names.map(appName => ({ appName })),
      metrics: names.map(featureName => ({ featureName, appName: 'shop', yes: 1, no: 0 })),
    });
    const keys = await keysByTurn(usage, work);

    expect(keys[0]).toBe(0);
    expect(largestStep(keys)).toBeLessThan(3_500);
    expect(usage.merged.take().instances).toHaveLength(10_000);
    expect(keys.at(-1)).toBe(10_001);
  });

  test('with impact metrics are added in turns', async () => {
    const { usage } = usageWith();
    const samples = Array.from({ length: 5_000 }, () => ({ value: 1 }));
    const impactMetrics = [{ name: 'x', type: 'counter', samples }];

    const work = usage.report(token, {}, body({}, { impactMetrics }));
    const earlyText = usage.impact.text();
    await work;

    expect(earlyText).toContain('unleash_counter_x 500\n');
    expect(usage.impact.text()).toContain('unleash_counter_x 5000\n');
  });

  test('are counted with at most 1,000 variants per feature', async () => {
    const { usage, getDroppedCount } = usageWith();
    const variants = Object.fromEntries(Array.from({ length: 1_200 }, (_, n) => [`v${n}`, 1]));

    await usage.report(token, {}, body({ a: { yes: 1, no: 0, variants } }));

    expect(rows(usage)).toHaveLength(1_001);
    expect(await getDroppedCount('limit')).toBe(200);
  });

  test('with many violations are rejected with a list of the first 100', () => {
    const { usage } = usageWith();
    const bulk = {
      applications: Array.from({ length: 50_000 }, () => ({})),
      metrics: Array.from({ length: 45_000 }, () => ({})),
    };

    expect(() => usage.reportBulk(token, bulk)).toThrow(
      expect.objectContaining({
        message: expect.stringContaining('140000 violations'),
        details: expect.toSatisfy((details: object[]) => details.length === 101),
      }),
    );
  });
});
