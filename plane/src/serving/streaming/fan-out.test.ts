import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { makeFanOut } from './fan-out.ts';
import { type Group, makeGroup, type Stream } from './stream.ts';

// The fan-out only passes streams on, so a group of plain numbers is enough.
const buildGroup = (...numbers: number[]): Group => {
  const group = makeGroup({} as Group['scope']);
  for (const number of numbers) group.streams.add(number as unknown as Stream);
  return group;
};
const cpuUs = () => {
  const { user, system } = process.threadCpuUsage();
  return user + system;
};
const toNumber = (stream: Stream) => stream as unknown as number;

test('visits every stream of a changed group once, then reports the group as complete', async () => {
  const visitedStreams: number[] = [];
  const complete: Group[] = [];
  const fanOut = makeFanOut(
    stream => visitedStreams.push(toNumber(stream)),
    group => complete.push(group),
  );
  const [firstGroup, secondGroup] = [buildGroup(1, 2, 3), buildGroup(4)];

  fanOut.add(firstGroup);
  fanOut.add(secondGroup);
  fanOut.add(firstGroup);
  await expect.poll(() => complete).toEqual([firstGroup, secondGroup]);

  expect(visitedStreams).toEqual([1, 2, 3, 4]);
});

test('after a change during a round, visits every open stream again', async () => {
  const group = buildGroup(1, 2, 3);
  const visitedStreams: number[] = [];
  let completedGroupCount = 0;
  const fanOut = makeFanOut(
    stream => {
      visitedStreams.push(toNumber(stream));
      if (visitedStreams.length === 2) {
        group.streams.delete(1 as unknown as Stream);
        fanOut.add(group);
      }
    },
    () => completedGroupCount++,
  );

  fanOut.add(group);
  await expect.poll(() => completedGroupCount).toBe(1);

  expect(visitedStreams).toEqual([1, 2, 3, 2, 3]);
});

test('a long fan-out lets other work run in between, and pauses when its CPU share is used up', async () => {
  const group = buildGroup(...Array.from({ length: 600 }, (_, number) => number));
  let visitCount = 0;
  let isComplete = false;
  const turns: number[] = [];
  const fanOut = makeFanOut(
    () => {
      visitCount++;
      const deadlineUs = cpuUs() + 1_000;
      while (cpuUs() < deadlineUs);
    },
    () => {
      isComplete = true;
    },
  );
  const startedAt = performance.now();

  fanOut.add(group);
  while (!isComplete) {
    turns.push(visitCount);
    await sleep(1);
  }

  expect(new Set(turns).size).toBeGreaterThan(10);
  // Of 600 ms of work, the first 400 ms run immediately, and the rest at a fifth of the speed.
  expect(performance.now() - startedAt).toBeGreaterThan(1_000);
});

test('visits no stream after the fan-out is stopped', async () => {
  let visitCount = 0;
  const fanOut = makeFanOut(
    () => visitCount++,
    () => {},
  );
  fanOut.add(buildGroup(1, 2));

  fanOut.stop();
  await nextTurn();
  await nextTurn();

  expect(visitCount).toBe(0);
});
