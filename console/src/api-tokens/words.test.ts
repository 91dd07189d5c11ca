import { expect, test } from 'vitest';
import { endOfDay, formatProjects, isExpired, isUnused, replacementName, typeLabel } from './words.ts';

const NOW = Date.parse('2026-11-15T09:30:00.000Z');
const daysAgo = (days: number): string => new Date(NOW - days * 86_400_000).toISOString();

test('marks a token that nobody has used for more than 30 days', () => {
  expect(isUnused({ seenAt: daysAgo(31), createdAt: daysAgo(90) }, NOW)).toBe(true);
  expect(isUnused({ seenAt: daysAgo(29), createdAt: daysAgo(90) }, NOW)).toBe(false);
});

test('does not mark a token before it is 30 days old', () => {
  expect(isUnused({ seenAt: null, createdAt: daysAgo(29) }, NOW)).toBe(false);
  expect(isUnused({ seenAt: null, createdAt: daysAgo(31) }, NOW)).toBe(true);
});

test('names the projects of a token', () => {
  const projectNames = new Map([['payments', 'Payments']]);

  expect(formatProjects({ projects: ['payments', 'hidden'] }, projectNames)).toBe('Payments, hidden');
  expect(formatProjects({ projects: ['*'] }, projectNames)).toBe('All projects');
});

test('gives client and backend tokens the same name', () => {
  expect(typeLabel({ type: 'client' })).toBe(typeLabel({ type: 'backend' }));
});

test('lets a token expire at the end of the chosen day', () => {
  const expiresAt = endOfDay('2026-11-15');

  expect(isExpired({ expiresAt }, NOW)).toBe(false);
  expect(isExpired({ expiresAt }, NOW + 86_400_000)).toBe(true);
  expect(isExpired({ expiresAt: null }, NOW)).toBe(false);
});

test('proposes a name for the replacement of a token', () => {
  expect(['shop', 'shop 2', 'shop 2026', 'v2'].map(replacementName)).toEqual([
    'shop 2',
    'shop 3',
    'shop 2026 2',
    'v2 2',
  ]);
});
