import { expect, test } from 'vitest';
import { makeSlices } from './slices.ts';

/** Creates work with this many steps, each of which keeps the processor busy for a while. */
function* busyWork(steps: number, stepMs: number, log: string[] = [], name = ''): Generator<void, string> {
  for (let step = 0; step < steps; step++) {
    const end = performance.now() + stepMs;
    while (performance.now() < end);
    log.push(name);
    yield;
  }
  return `done ${name}`;
}

const waitForNextTurn = () => new Promise<void>(resolve => setImmediate(resolve));

test('finishes small work before the caller continues', async () => {
  const log: string[] = [];
  const slices = makeSlices({ sliceMs: 5, maxWaitingFlags: 1_000 });

  const result = slices.run('a', busyWork(3, 0, log), 3);

  expect(log).toHaveLength(3);
  expect(slices.waiting.heldUnits).toBe(0);
  expect(await result).toBe('done ');
});

test('all work in one turn of the event loop shares one slice', async () => {
  const slices = makeSlices({ sliceMs: 5, maxWaitingFlags: 100_000 });
  const log: string[] = [];
  let isDone = false;
  const allWork = Promise.all(
    Array.from({ length: 20 }, () => slices.run('a', busyWork(10, 1, log), 10)),
  ).then(() => {
    isDone = true;
  });

  let longestTurn = log.length;
  while (!isDone) {
    const lengthBefore = log.length;
    await waitForNextTurn();
    longestTurn = Math.max(longestTurn, log.length - lengthBefore);
  }
  await allWork;

  expect(log).toHaveLength(200);
  // A step takes at least 1 ms, so a slice of 5 ms has no room for more.
  expect(longestTurn).toBeLessThanOrEqual(5);
});

test('long work does not delay short work that comes later', async () => {
  const order: string[] = [];
  const slices = makeSlices({ sliceMs: 2, maxWaitingFlags: 100_000 });
  const longWork = slices.run('a', busyWork(40, 1), 40).then(() => order.push('long'));
  const shortWork = slices.run('a', busyWork(1, 0), 1).then(() => order.push('short'));

  await Promise.all([longWork, shortWork]);

  expect(order).toEqual(['short', 'long']);
});

test('callers take turns, no matter how much work they have', async () => {
  const log: string[] = [];
  // A step takes longer than a slice, so each turn of the event loop has one step.
  const slices = makeSlices({ sliceMs: 0.5, maxWaitingFlags: 1_000_000 });
  const flood = Array.from({ length: 50 }, () => slices.run('a', busyWork(2, 1, log, 'a'), 2));
  const other = slices.run('b', busyWork(3, 1, log, 'b'), 3);

  await other;

  // The first step of the flood runs before the other caller arrives.
  expect(log.slice(0, 7)).toEqual(['a', 'a', 'b', 'a', 'b', 'a', 'b']);
  await Promise.all(flood);
});

test('rejects with 429 only the work of a caller that has used up its share', async () => {
  const slices = makeSlices({ sliceMs: 1, maxWaitingFlags: 1_000 });
  const flood = Array.from({ length: 500 }, () => slices.run('a', busyWork(3, 2), 100));
  const other = slices.run('b', busyWork(1, 0), 1);

  const results = await Promise.allSettled([...flood, other]);

  const rejections = results.filter(({ status }) => status === 'rejected');
  expect([results.length - rejections.length, results.at(-1)?.status]).toEqual([7, 'fulfilled']);
  expect(rejections[0]).toMatchObject({ reason: { name: 'RateLimitError', retryAfter: 2 } });
  expect(slices.waiting.heldUnits).toBe(0);
});

test('rejects work with 503 while others have too many flags, and accepts it again afterwards', async () => {
  const slices = makeSlices({ sliceMs: 1, maxWaitingFlags: 1_000 });
  const firstWork = slices.run('a', busyWork(3, 2), 500);
  const secondWork = slices.run('b', busyWork(3, 2), 500);

  await expect(slices.run('c', busyWork(1, 0), 1)).rejects.toMatchObject({
    name: 'ServiceUnavailableError',
    retryAfter: 2,
  });
  await Promise.all([firstWork, secondWork]);

  expect(slices.waiting.heldUnits).toBe(0);
  expect(await slices.run('a', busyWork(1, 0), 1)).toBe('done ');
});

test('drops work if its client has disconnected', async () => {
  const log: string[] = [];
  let isWanted = true;
  const slices = makeSlices({ sliceMs: 1, maxWaitingFlags: 1_000 });
  const result = slices.run('a', busyWork(100, 2, log), 100, () => isWanted);
  isWanted = false;

  expect(await result).toBeUndefined();
  expect(log).toHaveLength(1);
  expect(slices.waiting.heldUnits).toBe(0);
});

test('work that throws rejects its promise without stopping the queue', async () => {
  const slices = makeSlices({ sliceMs: 1, maxWaitingFlags: 1_000 });
  const slow = slices.run('a', busyWork(2, 2), 100);
  const failing = function* (): Generator<void, string> {
    yield;
    throw new Error('broken');
  };
  const broken = slices.run('a', failing(), 100);

  await expect(broken).rejects.toThrow('broken');
  expect(await slow).toBe('done ');
  expect(slices.waiting.heldUnits).toBe(0);
});
