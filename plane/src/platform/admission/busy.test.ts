import { expect, test } from 'vitest';
import { makeBusyCheck } from './busy.ts';

test('the event loop is busy while it computes, and not while it waits', async () => {
  const isBusy = makeBusyCheck();
  await expect.poll(isBusy).toBe(false);

  const end = performance.now() + 300;
  while (performance.now() < end);
  expect(isBusy()).toBe(true);

  await expect.poll(isBusy).toBe(false);
});
