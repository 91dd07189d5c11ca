import { expect, test } from 'vitest';
import { makeNetworkQueues } from './network-queues.ts';

const nextTurn = () => new Promise<void>(resolve => setImmediate(resolve));

test('starts a few requests from a network in each turn of the event loop, in the order of their arrival', async () => {
  const { enqueue } = makeNetworkQueues(2);
  const started: number[] = [];
  for (let n = 0; n < 5; n++) enqueue('a', () => started.push(n));

  expect(started).toEqual([0, 1]);
  await nextTurn();
  expect(started).toEqual([0, 1, 2, 3]);
  await nextTurn();
  expect(started).toEqual([0, 1, 2, 3, 4]);
});

test('a request from a different network does not wait', () => {
  const { enqueue } = makeNetworkQueues(2);
  const started: string[] = [];
  for (let n = 0; n < 500; n++) enqueue('a', () => started.push('a'));
  enqueue('b', () => started.push('b'));

  expect(started).toEqual(['a', 'a', 'b']);
});

test('a request that arrives while others wait is queued last', async () => {
  const { enqueue } = makeNetworkQueues(2);
  const started: number[] = [];
  for (let n = 0; n < 5; n++) enqueue('a', () => started.push(n));
  await nextTurn();
  enqueue('a', () => started.push(5));

  expect(started).toEqual([0, 1, 2, 3]);
  await nextTurn();
  expect(started).toEqual([0, 1, 2, 3, 4, 5]);
});

test('rejects a request that would wait behind too many requests from its network', async () => {
  const networkQueues = makeNetworkQueues(2, 3);
  const ignore = () => {};
  for (let n = 0; n < 5; n++) networkQueues.enqueue('a', ignore);

  expect(networkQueues.waiting).toBe(3);
  expect(() => networkQueues.enqueue('a', ignore)).toThrow('3 from this network are already waiting');
  expect(networkQueues.rejected).toEqual({ caller: 1, others: 0 });
  networkQueues.enqueue('b', ignore);
  await nextTurn();
  await nextTurn();
  expect(networkQueues.waiting).toBe(0);
  networkQueues.enqueue('a', ignore);
});
