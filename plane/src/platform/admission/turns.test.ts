import { expect, test } from 'vitest';
import { makeTurns } from './turns.ts';

const waitForNextTurn = () => new Promise<void>(resolve => setImmediate(resolve));

test('callers alternate, and each step has its own turn of the event loop', async () => {
  const run = makeTurns();
  const order: string[] = [];
  const work = async (caller: string, steps: number) => {
    for (let step = 0; step < steps; step++) await run(caller, () => order.push(caller));
  };
  const allWork = Promise.all([work('a', 3), work('a', 3), work('a', 3), work('b', 3)]);
  let longestTurn = 0;
  for (let lengthBefore = 0; order.length < 12; lengthBefore = order.length) {
    await waitForNextTurn();
    longestTurn = Math.max(longestTurn, order.length - lengthBefore);
  }
  await allWork;

  expect(longestTurn).toBe(1);
  // Three bodies of one caller get as many turns as the single body of the other.
  expect(order.slice(0, 6).filter(caller => caller === 'b')).toHaveLength(3);
});

test('a step that throws rejects its promise without stopping the next step', async () => {
  const run = makeTurns();
  const failing = run('a', () => {
    throw new Error('broken');
  });

  await expect(failing).rejects.toThrow('broken');
  expect(await run('a', () => 1)).toBe(1);
});
