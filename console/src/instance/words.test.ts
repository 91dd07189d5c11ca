import { expect, test } from 'vitest';
import { formatBytes, getLimitUsage } from './words.ts';

test.each([
  [0, '0 bytes'],
  [999, '999 bytes'],
  [1_500, '1.5 KB'],
  [2_000_000, '2 MB'],
  [48_230_000, '48 MB'],
  [1_240_000_000, '1.2 GB'],
  [9e15, '9,000 TB'],
])('formats %d bytes as %s', (bytes, expected) => {
  expect(formatBytes(bytes)).toBe(expected);
});

test.each([
  [0, 500, { percent: 0, tone: 'on' }],
  [399, 500, { percent: 79, tone: 'on' }],
  [400, 500, { percent: 80, tone: 'warn' }],
  [499, 500, { percent: 99, tone: 'warn' }],
  [500, 500, { percent: 100, tone: 'bad' }],
  [600, 500, { percent: 100, tone: 'bad' }],
])('returns the percentage and color for %d of %d: %j', (used, limit, expected) => {
  expect(getLimitUsage(used, limit)).toEqual(expected);
});
