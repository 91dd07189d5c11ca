import { expect, test } from 'vitest';
import { makeArrivals } from './arrivals.ts';

const nextTurn = () => new Promise<void>(resolve => setImmediate(resolve));

test('starts a few requests of a network in each turn of the event loop, in the order of their arrival', async () => {
  const { arrive } = makeArrivals(2);
  const begun: number[] = [];
  for (let n = 0; n < 5; n++) arrive('a', () => begun.push(n));

  expect(begun).toEqual([0, 1]);
  await nextTurn();
  expect(begun).toEqual([0, 1, 2, 3]);
  await nextTurn();
  expect(begun).toEqual([0, 1, 2, 3, 4]);
});

test('a request of a different network does not wait for them', () => {
  const { arrive } = makeArrivals(2);
  const begun: string[] = [];
  for (let n = 0; n < 500; n++) arrive('a', () => begun.push('a'));
  arrive('b', () => begun.push('b'));

  expect(begun).toEqual(['a', 'a', 'b']);
});

test('a request that arrives while others wait goes behind them', async () => {
  const { arrive } = makeArrivals(2);
  const begun: number[] = [];
  for (let n = 0; n < 5; n++) arrive('a', () => begun.push(n));
  await nextTurn();
  arrive('a', () => begun.push(5));

  expect(begun).toEqual([0, 1, 2, 3]);
  await nextTurn();
  expect(begun).toEqual([0, 1, 2, 3, 4, 5]);
});

test('rejects a request that would wait behind too many requests of its network', async () => {
  const arrivals = makeArrivals(2, 3);
  const ignore = () => {};
  for (let n = 0; n < 5; n++) arrivals.arrive('a', ignore);

  expect(arrivals.waiting).toBe(3);
  expect(() => arrivals.arrive('a', ignore)).toThrow('3 from this network are already waiting');
  expect(arrivals.rejected).toEqual({ caller: 1, others: 0 });
  arrivals.arrive('b', ignore);
  await nextTurn();
  await nextTurn();
  expect(arrivals.waiting).toBe(0);
  arrivals.arrive('a', ignore);
});
