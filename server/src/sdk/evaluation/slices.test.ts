import { expect, test } from 'vitest';
import { makeSlices } from './slices.ts';

/** Work of so many steps, each of which keeps the processor busy for a while. */
function* busyWork(steps: number, stepMs: number, log: string[] = [], name = ''): Generator<void, string> {
  for (let step = 0; step < steps; step++) {
    const end = performance.now() + stepMs;
    while (performance.now() < end);
    log.push(name);
    yield;
  }
  return `done ${name}`;
}

const turnOfLoop = () => new Promise<void>(resolve => setImmediate(resolve));

test('finishes small work before the caller continues', async () => {
  const log: string[] = [];
  const slices = makeSlices({ sliceMs: 5, waitingFlags: 1_000 });

  const result = slices.run(busyWork(3, 0, log), 3);

  expect(log).toHaveLength(3);
  expect(slices.waitingFlags).toBe(0);
  expect(await result).toBe('done ');
});

test('all work of one turn of the event loop shares one slice', async () => {
  const slices = makeSlices({ sliceMs: 5, waitingFlags: 100_000 });
  const log: string[] = [];
  let isDone = false;
  const all = Promise.all(Array.from({ length: 20 }, () => slices.run(busyWork(10, 1, log), 10))).then(() => {
    isDone = true;
  });

  let most = log.length;
  while (!isDone) {
    const before = log.length;
    await turnOfLoop();
    most = Math.max(most, log.length - before);
  }
  await all;

  expect(log).toHaveLength(200);
  // A step takes at least 1 ms, so a slice of 5 ms has no place for more.
  expect(most).toBeLessThanOrEqual(5);
});

test('long work does not delay short work that comes later', async () => {
  const order: string[] = [];
  const slices = makeSlices({ sliceMs: 2, waitingFlags: 100_000 });
  const long = slices.run(busyWork(40, 1), 40).then(() => order.push('long'));
  const short = slices.run(busyWork(1, 0), 1).then(() => order.push('short'));

  await Promise.all([long, short]);

  expect(order).toEqual(['short', 'long']);
});

test('rejects work with 503 while too many flags wait, and accepts it again afterwards', async () => {
  const slices = makeSlices({ sliceMs: 1, waitingFlags: 1_000 });
  const first = slices.run(busyWork(3, 2), 500);
  const second = slices.run(busyWork(3, 2), 500);

  await expect(slices.run(busyWork(1, 0), 1)).rejects.toMatchObject({
    name: 'ServiceUnavailableError',
    retryAfter: 2,
  });
  await Promise.all([first, second]);

  expect(slices.waitingFlags).toBe(0);
  expect(await slices.run(busyWork(1, 0), 1)).toBe('done ');
});

test('drops work whose client has gone', async () => {
  const log: string[] = [];
  let isWanted = true;
  const slices = makeSlices({ sliceMs: 1, waitingFlags: 1_000 });
  const result = slices.run(busyWork(100, 2, log), 100, () => isWanted);
  isWanted = false;

  expect(await result).toBeUndefined();
  expect(log).toHaveLength(1);
  expect(slices.waitingFlags).toBe(0);
});

test('work that throws rejects, and the queue goes on', async () => {
  const slices = makeSlices({ sliceMs: 1, waitingFlags: 1_000 });
  const slow = slices.run(busyWork(2, 2), 100);
  const failing = function* (): Generator<void, string> {
    yield;
    throw new Error('broken');
  };
  const broken = slices.run(failing(), 100);

  await expect(broken).rejects.toThrow('broken');
  expect(await slow).toBe('done ');
  expect(slices.waitingFlags).toBe(0);
});
