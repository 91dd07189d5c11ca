import { expect, test } from 'vitest';
import { makeReconnectCounter } from './reconnect-clients.ts';

const client = { revision: 1 };

/** Returns the seconds at which a client has to reconnect while a caller constantly waits for it. */
function reconnectSeconds(length: number): number[] {
  const counter = makeReconnectCounter();
  const seconds: number[] = [];
  for (let second = 0; second < length; second += 0.5)
    while (counter.take(client, second * 1_000, 0)) seconds.push(second);
  return seconds;
}

test('reconnects a client at most 3 times in a row, and fewer than 5 times within a minute', () => {
  const seconds = reconnectSeconds(600);

  expect(seconds.slice(0, 4)).toEqual([0, 0, 0, 35]);
  for (const start of seconds)
    expect(seconds.filter(second => second >= start && second <= start + 60).length).toBeLessThan(5);
});

test('while no caller waits, reconnects a client only if it has not reconnected for some time', () => {
  const counter = makeReconnectCounter();

  expect(counter.take(client, 0, 0)).toBe(true);
  expect(counter.take(client, 299_000, 300_000)).toBe(false);
  expect(counter.take(client, 300_000, 300_000)).toBe(true);
});
