import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { ApiError } from '../errors.ts';
import { makeShares, type Release, type ShareLimits } from './shares.ts';

const LIMITS = { capacity: 10, share: 0.6, waiting: 100, waitingPerCaller: 50, waitMs: 60_000 };
const make = (limits: Partial<ShareLimits> = {}) =>
  makeShares(
    { ...LIMITS, ...limits },
    holder => new ApiError('ServiceUnavailableError', `held by ${holder}`),
  );

/** Counts the requests that run after a turn of the event loop. */
async function countRunning(requests: Promise<Release>[]): Promise<number> {
  const running = new Set<number>();
  for (const [n, request] of requests.entries())
    request.then(
      () => running.add(n),
      () => {},
    );
  await sleep(5);
  return running.size;
}

const acquireMany = (shares: ReturnType<typeof make>, caller: string, count: number) =>
  Array.from({ length: count }, () => shares.acquire(caller));

test('a caller gets a share of what other callers have left', async () => {
  const shares = make();

  expect(await countRunning(acquireMany(shares, 'a', 20))).toBe(6);
  expect(await countRunning(acquireMany(shares, 'b', 20))).toBe(2);
  expect(await countRunning(acquireMany(shares, 'c', 20))).toBe(1);
  expect(await countRunning(acquireMany(shares, 'd', 20))).toBe(1);
  expect(await countRunning(acquireMany(shares, 'e', 1))).toBe(0);
  expect(shares.heldUnits).toBe(10);
});

test('free units go to the waiting callers in turn', async () => {
  const shares = make({ capacity: 1 });
  const release = await shares.acquire('a');
  const order: string[] = [];
  const run = async (caller: string) => {
    const done = await shares.acquire(caller);
    order.push(caller);
    done();
  };
  const runs = ['a', 'a', 'a', 'b', 'c', 'b'].map(run);

  release();
  await Promise.all(runs);

  expect(order).toEqual(['a', 'b', 'c', 'a', 'b', 'a']);
});

test("a request that is larger than its caller's share runs alone", async () => {
  const shares = make();

  const release = await shares.acquire('a', { cost: 10 });

  expect(await countRunning([shares.acquire('a'), shares.acquire('b')])).toBe(0);
  release();
  await sleep(5);
  expect(shares.heldUnits).toBe(2);
});

test('a request that can never run is rejected', async () => {
  await expect(make().acquire('a', { cost: 11 })).rejects.toThrow('held by others');
});

test('releasing twice returns the units only once', async () => {
  const shares = make();
  const [first] = await Promise.all([shares.acquire('a'), shares.acquire('a')]);

  first?.();
  first?.();

  expect(shares.heldUnits).toBe(1);
});

test("rejects a request that exceeds its caller's queue, but not the requests of others", async () => {
  const shares = make({ waitingPerCaller: 2 });
  const requests = acquireMany(shares, 'a', 8);
  expect(await countRunning(requests)).toBe(6);

  await expect(shares.acquire('a')).rejects.toThrow('held by caller');
  expect(await countRunning([shares.acquire('b')])).toBe(1);
});

test('rejects a request that exceeds the queue of all callers', async () => {
  const shares = make({ capacity: 1, waiting: 2 });
  const release = await shares.acquire('a');
  const waiting = [shares.acquire('b'), shares.acquire('c')];

  await expect(shares.acquire('d')).rejects.toThrow('held by others');
  expect(shares.rejected).toEqual({ caller: 0, others: 1 });
  release();
  for (const next of waiting) (await next)();
});

test('rejects a request that waited too long', async () => {
  const shares = make({ capacity: 1, waitMs: 20 });
  const release = await shares.acquire('a');

  await expect(shares.acquire('a')).rejects.toThrow('held by caller');
  await expect(shares.acquire('b')).rejects.toThrow('held by others');
  release();
  expect([shares.heldUnits, shares.waiting]).toEqual([0, 0]);
});

test('skips a request whose client disconnected', async () => {
  const shares = make({ capacity: 1 });
  const release = await shares.acquire('a');
  const abandonedRequest = shares.acquire('b', { isGone: () => true });
  const next = shares.acquire('b');

  release();

  await expect(abandonedRequest).rejects.toThrow('The client disconnected');
  await expect(next).resolves.toBeTypeOf('function');
});

test("tryAcquire takes units only up to the caller's share", () => {
  const shares = make({ capacity: 4 });

  const releases = [1, 2, 3].map(() => shares.tryAcquire('a'));

  expect(releases.map(release => release !== undefined)).toEqual([true, true, false]);
  expect(shares.tryAcquire('b')).toBeTypeOf('function');
});

test('take throws while the units are not free, and names the holder', () => {
  const shares = make({ capacity: 3 });
  shares.take('a', 2);

  expect(() => shares.take('a')).toThrow('held by caller');
  expect(() => shares.take('b', 2)).toThrow('held by others');
  expect(shares.take('b')).toBeTypeOf('function');
});

test('a request that does not wait counts as rejected if the units are not free', () => {
  const shares = make({ capacity: 2, share: 0.5 });
  shares.take('a');

  expect(shares.tryAcquire('a')).toBeUndefined();
  shares.take('b');
  expect(() => shares.take('c')).toThrow('held by others');

  expect(shares.rejected).toEqual({ caller: 1, others: 1 });
});

test('on a busy server, a caller pauses between its requests without delaying other callers', async () => {
  // Fakes the clock for the pauses of callers. countRunning keeps using the real one.
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
  let isBusy = false;
  const shares = make({ isBusy: () => isBusy });
  const requests = acquireMany(shares, 'a', 20);
  expect(await countRunning(requests)).toBe(6);

  isBusy = true;
  vi.advanceTimersByTime(500);
  for (const request of requests.slice(0, 6)) (await request)();

  expect(await countRunning(requests)).toBe(6);
  expect(await countRunning(acquireMany(shares, 'b', 2))).toBe(1);
  vi.advanceTimersByTime(499);
  expect(await countRunning(requests)).toBe(6);
  vi.advanceTimersByTime(1);
  expect(await countRunning(requests)).toBe(7);

  isBusy = false;
  vi.advanceTimersByTime(100);
  expect(await countRunning(requests)).toBeGreaterThan(7);
  vi.useRealTimers();
});

test('a caller whose queue is full is rejected after a delay, while others run', async () => {
  const shares = make({ capacity: 2, waitingPerCaller: 1, rejectAfterMs: 100 });
  const [, queued] = acquireMany(shares, 'a', 2);
  queued?.catch(() => {});
  const start = performance.now();
  const rejected = shares.acquire('a');

  (await shares.acquire('b'))();

  await expect(rejected).rejects.toThrow('held by caller');
  // A timer can be a millisecond early.
  expect(performance.now() - start).toBeGreaterThan(95);
  expect(shares.waiting).toBe(1);
});

test('delayed rejections do not take up slots in which other callers wait', async () => {
  const shares = make({ capacity: 1, waiting: 2, waitingPerCaller: 1, rejectAfterMs: 500 });
  const [first, queued, ...late] = acquireMany(shares, 'a', 4);
  const rejections = Promise.allSettled(late);

  const other = shares.acquire('b');
  (await first)?.();
  (await queued)?.();

  (await other)();
  expect((await rejections).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

test('names the caller as the holder if only its own requests run or wait, or if it pauses', async () => {
  let isBusy = true;
  const shares = make({ waitingPerCaller: 1, isBusy: () => isBusy });
  const release = await shares.acquire('a');
  const waiting = shares.acquire('a');
  await expect(shares.acquire('a'), 'one runs, and one waits').rejects.toThrow('held by caller');

  // The pause lasts as long as the request did.
  await sleep(500);
  release();
  await expect(shares.acquire('a'), 'pauses').rejects.toThrow('held by caller');

  isBusy = false;
  (await waiting)();
  const large = await shares.acquire('b', { cost: 10 });
  const next = shares.acquire('a');
  await expect(shares.acquire('a'), 'another caller has all units').rejects.toThrow('held by others');
  large();
  (await next)();
});
