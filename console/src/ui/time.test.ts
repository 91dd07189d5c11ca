import { expect, test } from 'vitest';
import { ago, dayWords, lasting } from './time.ts';

const NOW = Date.parse('2026-11-15T14:00:00Z');

test.each([
  [44, '44 ms'],
  [3100, '3.1 s'],
  [40_000, '40 s'],
  [240_000, '4 min'],
  [7_200_000, '2 h'],
  [1_036_800_000, '12 days'],
])('writes %d ms as %s', (ms, words) => {
  expect(lasting(ms)).toBe(words);
});

test.each([
  ['2026-11-15T13:59:55Z', 'just now'],
  ['2026-11-15T12:00:00Z', '2 h ago'],
  ['2026-11-12T12:00:00Z', '12 Nov'],
  ['2025-11-12T12:00:00Z', '12 Nov 2025'],
])('writes %s as %s', (at, words) => {
  expect(ago(at, NOW)).toBe(words);
});

test.each([
  ['2026-11-15', 'Today · Sunday 15 November'],
  ['2026-11-14', 'Yesterday · Saturday 14 November'],
  ['2026-11-13', 'Friday 13 November'],
])('names the day %s', (day, words) => {
  expect(dayWords(day, NOW)).toBe(words);
});
