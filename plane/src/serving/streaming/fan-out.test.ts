import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { makeFanOut } from './fan-out.ts';
import { type Group, makeGroup, type Stream } from './stream.ts';

// The fan-out only passes streams on, so a group of plain numbers is enough.
const groupOf = (...numbers: number[]): Group => {
  const group = makeGroup({} as Group['scope']);
  for (const number of numbers) group.streams.add(number as unknown as Stream);
  return group;
};
const cpuUs = () => {
  const { user, system } = process.threadCpuUsage();
  return user + system;
};
const numbered = (stream: Stream) => stream as unknown as number;

test('every stream of a changed group is visited once, and the group is reported when it is complete', async () => {
  const visited: number[] = [];
  const complete: Group[] = [];
  const fanOut = makeFanOut(
    stream => visited.push(numbered(stream)),
    group => complete.push(group),
  );
  const [one, two] = [groupOf(1, 2, 3), groupOf(4)];

  fanOut.add(one);
  fanOut.add(two);
  fanOut.add(one);
  await expect.poll(() => complete).toEqual([one, two]);

  expect(visited).toEqual([1, 2, 3, 4]);
});

test('a change during a round makes it visit streams again that were already visited, but not those that left', async () => {
  const group = groupOf(1, 2, 3);
  const visited: number[] = [];
  let completed = 0;
  const fanOut = makeFanOut(
    stream => {
      visited.push(numbered(stream));
      if (visited.length === 2) {
        group.streams.delete(1 as unknown as Stream);
        fanOut.add(group);
      }
    },
    () => completed++,
  );

  fanOut.add(group);
  await expect.poll(() => completed).toBe(1);

  expect(visited).toEqual([1, 2, 3, 2, 3]);
});

test('a long fan-out lets other work run in between, and pauses when it has used its share', async () => {
  const group = groupOf(...Array.from({ length: 600 }, (_, number) => number));
  let visits = 0;
  let isComplete = false;
  const turns: number[] = [];
  const fanOut = makeFanOut(
    () => {
      visits++;
      const until = cpuUs() + 1_000;
      while (cpuUs() < until);
    },
    () => {
      isComplete = true;
    },
  );
  const started = performance.now();

  fanOut.add(group);
  while (!isComplete) {
    turns.push(visits);
    await sleep(1);
  }

  expect(new Set(turns).size).toBeGreaterThan(10);
  // 600 ms of work: 400 ms immediately, and the rest at a fifth of the speed.
  expect(performance.now() - started).toBeGreaterThan(1_000);
});

test('after a stop no stream is visited', async () => {
  let visits = 0;
  const fanOut = makeFanOut(
    () => visits++,
    () => {},
  );
  fanOut.add(groupOf(1, 2));

  fanOut.stop();
  await nextTurn();
  await nextTurn();

  expect(visits).toBe(0);
});
