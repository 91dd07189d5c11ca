import { expect, test } from 'vitest';
import { getState } from './states.ts';

const NOW = Date.parse('2026-11-15T09:30:00.000Z');
const flag = { stale: false, createdAt: '2026-10-06T09:30:00.000Z' };

test('a flag is potentially stale once it is older than the lifetime of its type', () => {
  expect(getState(flag, 41, NOW)).toBe('active');
  expect(getState(flag, 40, NOW)).toBe('potentially-stale');
  expect(getState(flag, null, NOW)).toBe('active');
  expect(getState(flag, undefined, NOW)).toBe('active');
  expect(getState({ ...flag, stale: true }, 40, NOW)).toBe('stale');
  expect(getState({ ...flag, archivedAt: '2026-11-01T00:00:00.000Z' }, 40, NOW)).toBe('archived');
});
