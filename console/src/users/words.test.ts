import { expect, test } from 'vitest';
import {
  describeReactivation,
  describeSignIn,
  getDisplayName,
  getLogin,
  isInactive,
  isInvited,
} from './words.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const user = {
  id: 7,
  name: 'Dora Weiss',
  username: 'dora',
  email: 'dora@example.com',
  rootRole: 2,
  isAPI: false,
  imageUrl: '',
  accountType: 'User',
  createdAt: '2026-01-01T00:00:00Z',
  seenAt: null,
  deactivatedAt: null,
  hasPassword: false,
  hasSingleSignOn: false,
  invitedUntil: null,
  groups: [],
};

test.each([
  [{}, 'Dora Weiss', 'dora@example.com'],
  [{ name: null }, 'dora', 'dora@example.com'],
  [{ name: '', username: null }, 'dora@example.com', ''],
  [{ name: null, email: null }, 'dora', ''],
  [{ email: null }, 'Dora Weiss', 'dora'],
  [{ name: 'a\u202Eb' }, 'a\\u202Eb', 'dora@example.com'],
])('shows a user with %j as "%s", with the login %j', (fields, name, login) => {
  expect(getDisplayName({ ...user, ...fields })).toBe(name);
  expect(getLogin({ ...user, ...fields })).toBe(login);
});

test.each([
  [{ hasPassword: true }, 'Password'],
  [{ hasSingleSignOn: true }, 'Single sign-on'],
  [{ hasPassword: true, hasSingleSignOn: true }, 'Password, SSO'],
  [{ invitedUntil: '2026-11-22T12:00:00Z' }, 'Link expires 22 Nov'],
  [{}, 'No password yet'],
])('describes how a user with %j logs in', (fields, words) => {
  expect(describeSignIn({ ...user, ...fields })).toMatch(new RegExp(`^${words}`));
});

test('treats a user as inactive 90 days after the last request, or after creation if there was none', () => {
  expect(isInactive(user, NOW)).toBe(true);
  expect(isInactive({ ...user, createdAt: '2026-11-01T00:00:00Z' }, NOW)).toBe(false);
  expect(isInactive({ ...user, seenAt: '2026-11-01T00:00:00Z' }, NOW)).toBe(false);
  expect(isInactive({ ...user, seenAt: '2026-08-01T00:00:00Z' }, NOW)).toBe(true);
  expect(isInactive({ ...user, deactivatedAt: '2026-08-01T00:00:00Z' }, NOW)).toBe(false);
});

test('treats a user as invited until the first login', () => {
  const invited = { ...user, invitedUntil: '2026-11-22T12:00:00Z' };

  expect(isInvited(user)).toBe(false);
  expect(isInvited(invited)).toBe(true);
  expect(isInvited({ ...invited, seenAt: '2026-11-15T12:00:00Z' })).toBe(false);
});

test.each([
  [{ hasPassword: true, hasSingleSignOn: false }, 'Dora can log in again.'],
  [{ hasPassword: false, hasSingleSignOn: true }, 'Dora can log in again.'],
  [
    { hasPassword: false, hasSingleSignOn: false },
    'Dora is active again but has no password. Create a new link, unless Dora uses single sign-on.',
  ],
])('says whether a reactivated user with %j needs a link', (signIn, sentence) => {
  expect(describeReactivation('Dora', { ...signIn, invitedUntil: null })).toBe(sentence);
});
