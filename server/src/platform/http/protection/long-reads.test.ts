import { expect, test } from 'vitest';
import { useHarness } from '../../../test/harness.ts';
import { makeLongReads } from './long-reads.ts';

const harness = useHarness();
const CALLERS = ['a', 'b', 'c'].flatMap(caller => [caller, caller]);

test("a fourth caller's search runs while three callers occupy all their read and search slots", async () => {
  const longReads = makeLongReads(harness.db);
  const { promise: end, resolve } = Promise.withResolvers<void>();
  const runningReads = CALLERS.flatMap(caller => [
    longReads.run({ caller }, () => end),
    longReads.runSearch({ caller }, () => end),
  ]);

  expect(await longReads.runSearch({ caller: 'd' }, async () => 'found')).toBe('found');

  resolve();
  await Promise.all(runningReads);
});
