import { expect, test } from 'vitest';
import { getOwnerLabel } from './owner-labels.ts';

test('shows the login of an owner only if a different owner has the same name', () => {
  const [ben, otherBen, team] = [
    { type: 'user', id: 1, name: 'Ben', login: 'ben' },
    { type: 'user', id: 2, name: 'Ben', login: 'b.weber' },
    { type: 'group', id: 1, name: 'Ben', login: null },
  ] as const;

  expect(getOwnerLabel(ben, [ben])).toBe('Ben');
  expect(getOwnerLabel(otherBen, [ben, otherBen])).toBe('Ben (b.weber)');
  expect(getOwnerLabel(team, [ben, team])).toBe('Ben (group)');
});
