import { afterEach, expect, test } from 'vitest';
import { setTimeZone } from './preferences.ts';
import { formatFullTime, toLocalDay } from './time.ts';
import { formatInput, parseInput } from './zone.ts';

// Preferences are in the browser's storage, which Node.js lacks.
const storageItems = new Map<string, string>();
globalThis.localStorage ??= {
  getItem: (name: string) => storageItems.get(name) ?? null,
  setItem: (name: string, value: string) => void storageItems.set(name, value),
  removeItem: (name: string) => void storageItems.delete(name),
} as Storage;

afterEach(() => setTimeZone(undefined));

test.each([
  ['America/New_York', '2026-11-15T14:30:00.000Z', '2026-11-15T09:30'],
  ['Asia/Kathmandu', '2026-11-15T23:30:00.000Z', '2026-11-16T05:15'],
  ['UTC', '2026-11-15T00:00:00.000Z', '2026-11-15T00:00'],
  // Around the end (October) and the start (March) of daylight saving time.
  ['Europe/Berlin', '2026-10-24T23:30:00.000Z', '2026-10-25T01:30'],
  ['Europe/Berlin', '2026-10-25T02:30:00.000Z', '2026-10-25T03:30'],
  ['Europe/Berlin', '2026-03-29T01:30:00.000Z', '2026-03-29T03:30'],
])('in %s, formats %s as %s and parses it back', (zone, instant, input) => {
  setTimeZone(zone);

  expect(formatInput(instant)).toBe(input);
  expect(parseInput(input)).toBe(instant);
});

test('formats and parses an invalid time as an empty string', () => {
  expect([formatInput('yesterday'), formatInput(undefined), parseInput('')]).toEqual(['', '', '']);
});

test('parses a month as its first day', () => {
  setTimeZone('UTC');

  expect(parseInput('2026-11')).toBe('2026-11-01T00:00:00.000Z');
});

test('formats days and full times in the chosen time zone, and adds the zone to full times', () => {
  setTimeZone('America/New_York');

  expect(toLocalDay('2026-11-15T03:00:00Z')).toBe('2026-11-14');
  expect(formatFullTime('2026-11-15T03:00:08Z')).toBe('14 Nov 2026, 22:00:08 GMT-5');
});
