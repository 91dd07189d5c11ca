import { expect, test } from 'vitest';
import {
  addDays,
  endOfDay,
  formatProjects,
  getReplacementAppName,
  getReplacementExpiry,
  getReplacementName,
  getTypeLabel,
  isExpired,
  isExpiringSoon,
  isUnused,
} from './words.ts';

const NOW = Date.parse('2026-11-15T09:30:00.000Z');
const daysAgo = (days: number): string => new Date(NOW - days * 86_400_000).toISOString();

test('treats a token as unused after 30 days without use', () => {
  expect(isUnused({ seenAt: daysAgo(31), createdAt: daysAgo(90) }, NOW)).toBe(true);
  expect(isUnused({ seenAt: daysAgo(29), createdAt: daysAgo(90) }, NOW)).toBe(false);
});

test('does not treat a token as unused before it is 30 days old', () => {
  expect(isUnused({ seenAt: null, createdAt: daysAgo(29) }, NOW)).toBe(false);
  expect(isUnused({ seenAt: null, createdAt: daysAgo(31) }, NOW)).toBe(true);
});

test("lists a token's projects by name", () => {
  const projectNames = new Map([['payments', 'Payments']]);

  expect(formatProjects({ projects: ['payments', 'hidden'] }, projectNames)).toBe('Payments, hidden');
  expect(formatProjects({ projects: ['*'] }, projectNames)).toBe('All projects');
});

test('gives client and backend tokens the same label', () => {
  expect(getTypeLabel({ type: 'client' })).toBe(getTypeLabel({ type: 'backend' }));
});

test('expires a token at the end of the chosen day', () => {
  const expiresAt = endOfDay('2026-11-15');

  expect(isExpired({ expiresAt }, NOW)).toBe(false);
  expect(isExpired({ expiresAt }, NOW + 86_400_000)).toBe(true);
  expect(isExpired({ expiresAt: null }, NOW)).toBe(false);
});

test.each([
  [null, false],
  [daysAgo(1), false],
  [daysAgo(-1), true],
  [daysAgo(-30), true],
  [daysAgo(-31), false],
])('a token that expires at %s is expiring soon: %s', (expiresAt, expected) => {
  expect(isExpiringSoon({ expiresAt }, NOW)).toBe(expected);
});

test('a replacement token has the same last valid day as the old token', () => {
  const createdAt = '2026-11-15T08:00:00.000Z';

  expect(getReplacementExpiry({ createdAt, expiresAt: endOfDay('2027-11-15') }, NOW)).toBe('2027-11-15');
  expect(getReplacementExpiry({ createdAt, expiresAt: null }, NOW)).toBeUndefined();
});

test('the replacement of a token that expires soon is valid for as many days as the old token was', () => {
  const createdAt = daysAgo(80);

  expect(getReplacementExpiry({ createdAt, expiresAt: endOfDay('2026-11-25') }, NOW)).toBe('2027-02-13');
  expect(getReplacementExpiry({ createdAt, expiresAt: endOfDay('2026-11-14') }, NOW)).toBe('2027-02-02');
});

test('a replacement token keeps the name of the application', () => {
  expect(getReplacementAppName('shop', [])).toBe('shop');
  expect(getReplacementAppName('shop 2', [])).toBe('shop');
  expect(getReplacementAppName('shop 2', [{ appName: 'web-shop' }])).toBe('web-shop');
});

test('proposes a name for a replacement token', () => {
  expect(['shop', 'shop 2', 'shop 2026', 'v2'].map(getReplacementName)).toEqual([
    'shop 2',
    'shop 3',
    'shop 2026 2',
    'v2 2',
  ]);
});

test('adds days to the current UTC day', () => {
  expect(addDays(30, Date.parse('2026-11-15T23:30:00.000Z'))).toBe('2026-12-15');
  expect(addDays(365, Date.parse('2027-03-01T00:00:00.000Z'))).toBe('2028-02-29');
});
