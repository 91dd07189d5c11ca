import { expect, test } from 'vitest';
import { makeAskCounter } from './ask-streams.ts';

const client = { revision: 1 };

/** Returns the seconds at which a client is asked while a caller constantly waits for it. */
function askedSeconds(length: number): number[] {
  const asks = makeAskCounter();
  const seconds: number[] = [];
  for (let second = 0; second < length; second += 0.5)
    while (asks.take(client, second * 1_000, 0)) seconds.push(second);
  return seconds;
}

test('asks a client at most three times in a row, and less than 5 times within a minute', () => {
  const seconds = askedSeconds(600);

  expect(seconds.slice(0, 4)).toEqual([0, 0, 0, 35]);
  for (const start of seconds)
    expect(seconds.filter(second => second >= start && second <= start + 60).length).toBeLessThan(5);
});

test('while no caller waits, a client is asked only if it has not been asked for some time', () => {
  const asks = makeAskCounter();

  expect(asks.take(client, 0, 0)).toBe(true);
  expect(asks.take(client, 299_000, 300_000)).toBe(false);
  expect(asks.take(client, 300_000, 300_000)).toBe(true);
});
