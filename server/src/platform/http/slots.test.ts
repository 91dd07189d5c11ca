import { expect, test } from 'vitest';
import { makeSlots } from './slots.ts';

const SETTINGS = { running: 3, runningPerCaller: 2, waitingPerCaller: 2, waitMs: 60_000 };
const settled = async (promise: Promise<unknown>) =>
  await Promise.race([promise.then(() => true), new Promise(resolve => setImmediate(() => resolve(false)))]);

test('one caller leaves slots to others', async () => {
  const slots = makeSlots(SETTINGS);
  await slots.take('a');
  await slots.take('a');

  expect(await settled(slots.take('a'))).toBe(false);
  expect(await settled(slots.take('b'))).toBe(true);
  expect(await settled(slots.take('b'))).toBe(false);
});

test('rejects a request beyond the queue of its caller at once, with the time to retry', async () => {
  const slots = makeSlots(SETTINGS);
  for (let n = 0; n < 4; n++) void slots.take('a');

  await expect(slots.take('a')).rejects.toMatchObject({ name: 'ServiceUnavailableError', retryAfter: 5 });
  expect(await settled(slots.take('b'))).toBe(true);
});

test('rejects a request that waited too long', async () => {
  const slots = makeSlots({ ...SETTINGS, waitMs: 20 });
  await slots.take('a');
  await slots.take('a');

  await expect(slots.take('a')).rejects.toMatchObject({ name: 'ServiceUnavailableError' });
});

test('a free slot goes to the first request whose caller may run', async () => {
  const slots = makeSlots(SETTINGS);
  const first = await slots.take('a');
  await slots.take('a');
  const other = await slots.take('b');
  const [waitingA, waitingB] = [slots.take('a'), slots.take('b')];

  other();
  expect([await settled(waitingA), await settled(waitingB)]).toEqual([false, true]);

  first();
  first();
  expect(await settled(waitingA)).toBe(true);
  expect(await settled(slots.take('c'))).toBe(false);
});

test('a request that waited too long gets the reason: its own caller, or other callers', async () => {
  const slots = makeSlots({ ...SETTINGS, waitMs: 20 });
  await slots.take('a');
  await slots.take('a');
  await slots.take('b');

  await expect(slots.take('a')).rejects.toThrow(/^Too many large reads: this server runs 2 at once for one/);
  await expect(slots.take('c')).rejects.toThrow('The server is busy with large reads of other callers.');
});

test('a free slot goes to the caller with the fewest running requests', async () => {
  const slots = makeSlots(SETTINGS);
  const [release] = [await slots.take('a'), await slots.take('a'), await slots.take('b')];
  const [waitingB, waitingC] = [slots.take('b'), slots.take('c')];

  release?.();

  expect([await settled(waitingB), await settled(waitingC)]).toEqual([false, true]);
});
