import { expect, test } from 'vitest';
import { CUSTOM_EXPIRY, daysFromNow, isIncomplete, toExpiresAt } from './expiry.ts';

const NOW = Date.parse('2026-11-15T09:30:00.000Z');

test("expires a token after a number of days, or at the start of a date in the user's time zone", () => {
  expect(daysFromNow(30, NOW)).toBe('2026-12-15T09:30:00.000Z');
  expect(toExpiresAt({ days: '7', date: '2027-01-31' }, NOW)).toBe('2026-11-22T09:30:00.000Z');
  expect(toExpiresAt({ days: CUSTOM_EXPIRY, date: '2027-01-31' }, NOW)).toBe(
    new Date(2027, 0, 31).toISOString(),
  );
});

test('an expiry is incomplete only while its custom date is missing', () => {
  expect(isIncomplete({ days: CUSTOM_EXPIRY, date: '' })).toBe(true);
  expect(isIncomplete({ days: CUSTOM_EXPIRY, date: '2027-01-31' })).toBe(false);
  expect(isIncomplete({ days: '30', date: '' })).toBe(false);
});
