import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCircuitBreaker } from './circuit-breaker.ts';
import { decideNextState, type Outcome, parseRetryAfter } from './schedule.ts';

const SCHEDULE = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

test('a delivery is exhausted after 10 failures over about 75 hours, with each delay within 20 % of the schedule', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 10, maxLength: 10 }),
      randoms => {
        let elapsedMs = 0;
        for (const [failures, random] of randoms.entries()) {
          const next = decideNextState('rejected', failures, SCHEDULE, undefined, random);
          if (failures === 9) {
            expect(next).toEqual({ state: 'failed' });
            continue;
          }
          if (next.state !== 'retrying') throw new Error(`exhausted after ${failures + 1} failures`);
          const delay = (SCHEDULE[failures + 1] ?? 0) * 1_000;
          expect(next.delayMs).toBeGreaterThanOrEqual(0.8 * delay - 1);
          expect(next.delayMs).toBeLessThanOrEqual(Math.min(1.2 * delay, 86_400_000) + 1);
          elapsedMs += next.delayMs;
        }
        expect(elapsedMs / 3_600_000).toBeGreaterThan(60);
        expect(elapsedMs / 3_600_000).toBeLessThan(91);
      },
    ),
  );
});

test.each<[Outcome, string]>([
  ['success', 'success'],
  ['partial', 'successWithErrors'],
  ['gone', 'failed'],
  ['disallowed', 'failed'],
  ['configuration', 'failed'],
  ['rejected', 'retrying'],
  ['timeout', 'retrying'],
  ['dns', 'retrying'],
  ['tls', 'retrying'],
  ['connection', 'retrying'],
])('the outcome %s makes the delivery %s', (outcome, state) => {
  expect(decideNextState(outcome, 0, SCHEDULE, undefined, 0.5).state).toBe(state);
});

test.each([
  [1, 5_000],
  [8_000, 8_000],
  [3_600_000, 10_000],
])(
  'if the receiver asks for a wait of %d ms, the next attempt follows after %d ms',
  (requestedMs, expected) => {
    expect(decideNextState('rejected', 0, SCHEDULE, requestedMs, 0.5)).toEqual({
      state: 'retrying',
      delayMs: expected,
    });
  },
);

test('never delays an attempt by more than a day', () => {
  expect(decideNextState('rejected', 8, SCHEDULE, 999_999_999, 1)).toEqual({
    state: 'retrying',
    delayMs: 86_400_000,
  });
});

test('parses Retry-After as seconds or a date', () => {
  const now = new Date('2026-11-15T10:00:00Z');
  expect(parseRetryAfter('120', now)).toBe(120_000);
  expect(parseRetryAfter('Sun, 15 Nov 2026 10:01:00 GMT', now)).toBe(60_000);
  expect(parseRetryAfter('Sun, 15 Nov 2026 09:00:00 GMT', now)).toBe(0);
  expect(parseRetryAfter('soon', now)).toBeUndefined();
  expect(parseRetryAfter(null, now)).toBeUndefined();
});

test('the circuit breaker opens after 14 of 20 attempts have failed, probes once after a pause, and closes after a success', () => {
  const breaker = createCircuitBreaker();
  for (let n = 0; n < 6; n++) breaker.record(1, false, n);
  for (let n = 6; n < 19; n++) breaker.record(1, true, n);
  expect(breaker.listOpenCircuits(19, () => 0)).toEqual([]);

  breaker.record(1, true, 20);

  expect(breaker.listOpenCircuits(30, () => 0)).toEqual([1]);
  expect(breaker.getAllowance(1, 30)).toBe(0);
  expect(breaker.getAllowance(2, 30)).toBe(Number.POSITIVE_INFINITY);
  // Attempts that were in flight when the circuit opened change nothing.
  breaker.record(1, true, 4_000);
  expect(breaker.listOpenCircuits(5_021, () => 0)).toEqual([]);
  expect(breaker.getAllowance(1, 5_021)).toBe(1);
  expect(breaker.listOpenCircuits(5_021, () => 1)).toEqual([1]);
  breaker.record(1, true, 5_030);
  expect(breaker.listOpenCircuits(15_029, () => 0)).toEqual([1]);
  expect(breaker.listOpenCircuits(15_031, () => 0)).toEqual([]);
  breaker.record(1, false, 15_040);
  expect(breaker.getAllowance(1, 15_041)).toBe(Number.POSITIVE_INFINITY);
});

test('the pause doubles with every failed probe, up to 1 minute', () => {
  const breaker = createCircuitBreaker();
  for (let n = 0; n < 20; n++) breaker.record(1, true, 0);
  let now = 0;
  const pauses: number[] = [];
  for (let n = 0; n < 6; n++) {
    const openedAt = now;
    while (breaker.listOpenCircuits(now, () => 0).length > 0) now += 1_000;
    pauses.push(now - openedAt);
    breaker.record(1, true, now);
  }
  expect(pauses).toEqual([5_000, 10_000, 20_000, 40_000, 60_000, 60_000]);
});

test('failures spread over more than 5 minutes do not open the circuit', () => {
  const breaker = createCircuitBreaker();
  for (let n = 0; n < 40; n++) breaker.record(1, true, n * 20_000);
  expect(breaker.listOpenCircuits(40 * 20_000, () => 0)).toEqual([]);
});

test('after a failure rate of 50 %, 20 failures in a row do not open the circuit', () => {
  const breaker = createCircuitBreaker();
  for (let n = 0; n < 100; n++) breaker.record(1, n % 2 === 0, n * 100);
  for (let n = 0; n < 20; n++) breaker.record(1, true, 10_000 + n);
  expect(breaker.listOpenCircuits(10_100, () => 0)).toEqual([]);
});
