import { expect, test } from 'vitest';
import { formatAge, formatDay, formatDuration, formatSince } from './time.ts';

const NOW = Date.parse('2026-11-15T14:00:00Z');

test.each([
  [44, '44 ms'],
  [3100, '3.1 s'],
  [40_000, '40 s'],
  [240_000, '4 min'],
  [7_200_000, '2 h'],
  [1_036_800_000, '12 days'],
])('formats %d ms as %s', (ms, expected) => {
  expect(formatDuration(ms)).toBe(expected);
});

test.each([
  ['2026-11-15T13:59:55Z', 'just now'],
  ['2026-11-15T12:00:00Z', '2 h ago'],
  ['2026-11-12T12:00:00Z', '12 Nov'],
  ['2025-11-12T12:00:00Z', '12 Nov 2025'],
])('formats the age of %s as %s', (time, expected) => {
  expect(formatAge(time, NOW)).toBe(expected);
});

test.each([
  ['2026-11-15T14:00:01Z', 'for 0 ms'],
  ['2026-11-15T13:23:00Z', 'for 37 min'],
  ['2026-11-15T12:00:00Z', 'for 2 h'],
  ['2026-11-12T12:00:00Z', 'since 12 Nov'],
])('formats how long something has lasted since %s', (time, expected) => {
  expect(formatSince(time, NOW)).toBe(expected);
});

test.each([
  ['2026-11-15', 'Today · Sunday 15 November'],
  ['2026-11-14', 'Yesterday · Saturday 14 November'],
  ['2026-11-13', 'Friday 13 November'],
])('formats the day %s', (day, expected) => {
  expect(formatDay(day, NOW)).toBe(expected);
});
