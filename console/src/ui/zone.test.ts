import { afterEach, expect, test } from 'vitest';
import { setTimeZone } from './preferences.ts';
import { fullOf, localDayOf } from './time.ts';
import { fromInput, toInput } from './zone.ts';

// Preferences are in the storage of the browser.
const stored = new Map<string, string>();
globalThis.localStorage ??= {
  getItem: (name: string) => stored.get(name) ?? null,
  setItem: (name: string, value: string) => void stored.set(name, value),
  removeItem: (name: string) => void stored.delete(name),
} as Storage;

afterEach(() => setTimeZone(undefined));

test.each([
  ['America/New_York', '2026-11-15T14:30:00.000Z', '2026-11-15T09:30'],
  ['Asia/Kathmandu', '2026-11-15T23:30:00.000Z', '2026-11-16T05:15'],
  ['UTC', '2026-11-15T00:00:00.000Z', '2026-11-15T00:00'],
  // The hour before and the hour after summer time ends.
  ['Europe/Berlin', '2026-10-24T23:30:00.000Z', '2026-10-25T01:30'],
  ['Europe/Berlin', '2026-10-25T02:30:00.000Z', '2026-10-25T03:30'],
  ['Europe/Berlin', '2026-03-29T01:30:00.000Z', '2026-03-29T03:30'],
])('in %s, %s is entered as %s', (zone, instant, input) => {
  setTimeZone(zone);

  expect(toInput(instant)).toBe(input);
  expect(fromInput(input)).toBe(instant);
});

test('a value that is not a time is empty', () => {
  expect([toInput('yesterday'), toInput(undefined), fromInput(''), fromInput('2026-11')]).toEqual([
    '',
    '',
    '',
    '2026-11-01T00:00:00.000Z',
  ]);
});

test('a day and a full time are those of the zone, which the time names', () => {
  setTimeZone('America/New_York');

  expect(localDayOf('2026-11-15T03:00:00Z')).toBe('2026-11-14');
  expect(fullOf('2026-11-15T03:00:08Z')).toBe('14 Nov 2026, 22:00:08 GMT-5');
});
