import { expect, test } from 'vitest';
import {
  CUSTOM_EXPIRY,
  daysFromNow,
  isIncomplete,
  toExpiresAt,
  toExpiry,
  toReplacementExpiry,
} from './expiry.ts';

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

test.each([[new Date(2027, 0, 31)], [new Date(2027, 6, 31, 23, 59)]])(
  "returns the date of the expiry %s in the user's time zone",
  expiresAt => {
    const date = expiresAt.getMonth() === 0 ? '2027-01-31' : '2027-07-31';

    expect(toExpiry(expiresAt.toISOString())).toEqual({ days: CUSTOM_EXPIRY, date });
  },
);

test('a replacement token expires with the old token, or if that is within 30 days, lives as long as the old token', () => {
  const createdAt = '2026-09-01T12:00:00.000Z';
  const replace = (expiresAt: string) => toReplacementExpiry({ createdAt, expiresAt }, NOW).date;

  expect(replace('2027-01-31T12:00:00.000Z')).toBe('2027-01-31');
  expect(replace('2026-11-30T12:00:00.000Z')).toBe('2027-02-13');
  expect(replace('2026-10-01T12:00:00.000Z')).toBe('2026-12-15');
});
