import { expect, test } from 'vitest';
import { makeAsks } from './ask-streams.ts';

const client = { revision: 1 };

/** The seconds at which a client is asked while a caller waits for it all the time. */
function secondsOf(length: number): number[] {
  const asks = makeAsks();
  const found: number[] = [];
  for (let second = 0; second < length; second += 0.5)
    while (asks.take(client, second * 1_000, 0)) found.push(second);
  return found;
}

test('a client is asked for three changes in a row, and less than 5 times within a minute', () => {
  const found = secondsOf(600);

  expect(found.slice(0, 4)).toEqual([0, 0, 0, 35]);
  for (const start of found)
    expect(found.filter(at => at >= start && at <= start + 60).length).toBeLessThan(5);
});

test('while no caller waits, a client is asked only if it has not been asked for some time', () => {
  const asks = makeAsks();

  expect(asks.take(client, 0, 0)).toBe(true);
  expect(asks.take(client, 299_000, 300_000)).toBe(false);
  expect(asks.take(client, 300_000, 300_000)).toBe(true);
});
