import { readFileSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { useHarness } from '../../../test/harness.ts';
import { version } from '../../command-line.ts';
import { shareCollections } from './metrics.ts';

const harness = useHarness();

test('the metrics contain the versions of Halyard and Node.js', async () => {
  const { body } = await harness.app.inject('/internal-backstage/prometheus');

  expect(body).toContain(`halyard_build_info{version="${version()}",node="${process.versions.node}"} 1`);
});

test.each(['/internal-backstage/prometheus', '/internal-backstage/impact/metrics'])(
  '%s requires the configured token, and other public routes do not',
  async url => {
    const metricsToken = 'a-token-for-prometheus';
    const app = await harness.secondServer({ metricsToken });
    const statusWith = async (authorization?: string) =>
      (await app.inject({ url, headers: authorization ? { authorization } : {} })).statusCode;

    expect(await statusWith()).toBe(401);
    expect(await statusWith(`Bearer ${metricsToken}x`)).toBe(401);
    expect(await statusWith(`Bearer ${metricsToken}`)).toBe(200);
    expect((await app.inject('/health')).statusCode).toBe(200);
    expect((await harness.app.inject(url)).statusCode).toBe(200);
  },
);

test('requests that arrive during a collection share the next one', async () => {
  const collections: PromiseWithResolvers<number>[] = [];
  const collect = shareCollections(async () => {
    const collection = Promise.withResolvers<number>();
    collections.push(collection);
    return await collection.promise;
  }, 0);
  const first = collect();
  await expect.poll(() => collections.length).toBe(1);

  const otherCollections = Promise.all([collect(), collect(), collect()]);
  collections[0]?.resolve(1);
  await expect.poll(() => collections.length).toBe(2);
  collections[1]?.resolve(2);

  expect(await first).toBe(1);
  expect(await otherCollections).toEqual([2, 2, 2]);
});

test('requests that share a collection continue in separate turns of the event loop', async () => {
  const collection = Promise.withResolvers<void>();
  const collect = shareCollections(() => collection.promise, 0);
  let doneCount = 0;
  const allCollections = Promise.all(Array.from({ length: 50 }, () => collect().then(() => doneCount++)));
  await nextTurn();

  collection.resolve();
  const inTurn: number[] = [];
  while (doneCount < 50) {
    const doneBefore = doneCount;
    await nextTurn();
    inTurn.push(doneCount - doneBefore);
  }

  expect(Math.max(...inTurn)).toBe(1);
  await allCollections;
});

test('a collection that fails does not stop the next one', async () => {
  let isFirst = true;
  const collect = shareCollections(async () => {
    if (!isFirst) return 'collected';
    isFirst = false;
    throw new Error('no database');
  }, 0);

  await expect(collect()).rejects.toThrow('no database');
  expect(await collect()).toBe('collected');
});

test('the production guide describes every kind of caller share', async () => {
  const page = readFileSync(
    new URL('../../../../../docs/how-to/run-in-production.md', import.meta.url),
    'utf8',
  );
  const [, section = ''] = page.split('### Caller shares');
  const describedShares = [...(section.split('\n#')[0] ?? '').matchAll(/^\| `([a-z-]+)`/gm)].map(
    ([, kind]) => kind,
  );

  const { body } = await harness.app.inject('/internal-backstage/prometheus');

  const kinds = [...body.matchAll(/^halyard_admission_waiting\{kind="([^"]+)"\}/gm)].map(([, kind]) => kind);
  expect(describedShares.slice(1).toSorted()).toEqual(kinds.toSorted());
});

test('two applications in one process each report the process metrics once', async () => {
  const otherServer = await harness.secondServer();

  for (const app of [harness.app, otherServer]) {
    const { body } = await app.inject('/internal-backstage/prometheus');
    expect(body.match(/^process_cpu_seconds_total \d/gm)).toHaveLength(1);
    expect(body.match(/^# TYPE nodejs_gc_duration_seconds histogram$/gm)).toHaveLength(1);
  }
});
