import { expect, test } from 'vitest';
import { listChangedNames, STORED_SECRET, toDraft, toInput } from './draft.ts';
import { findLockout } from './lockout.ts';
import type { AdminLogins, OidcSettings } from './queries.ts';

const SETTINGS: OidcSettings = {
  enabled: true,
  discoverUrl: 'https://login.example.com',
  clientId: 'halyard',
  secret: STORED_SECRET,
  autoCreate: false,
  emailDomains: '',
  defaultRootRoleId: 3,
  enableSingleSignOut: false,
  enableGroupSyncing: false,
  groupJsonPath: null,
  addGroupsScope: false,
  acrValues: null,
  idTokenSigningAlgorithm: null,
};

test('an unchanged form produces the same settings, and keeps the stored secret', () => {
  expect(toInput(toDraft(SETTINGS))).toEqual(SETTINGS);
});

test('lists changed fields without their values', () => {
  const draft = toDraft(SETTINGS);

  expect(listChangedNames(draft, { ...draft, secret: 'hush', emailDomains: 'example.com' })).toEqual([
    'client secret',
    'email domains',
  ]);
});

const admin = (username: string, password: boolean, singleSignOn: boolean) => ({
  ...{ id: 1, name: null, email: null, username, password, singleSignOn },
});
const logins = (...admins: AdminLogins['admins']): AdminLogins => ({
  admins,
  total: admins.length,
  password: admins.filter(candidate => candidate.password).length,
  singleSignOn: admins.filter(candidate => candidate.singleSignOn).length,
});
const adminsOfBothMethods = logins(admin('ada', true, false), admin('kavya', false, true));

test.each([
  ['both methods', { password: true, singleSignOn: true }, undefined],
  ['single sign-on only', { password: false, singleSignOn: true }, false],
  ['passwords only', { password: true, singleSignOn: false }, false],
  ['neither', { password: false, singleSignOn: false }, true],
])(
  'given %s, allows the change, warns or blocks it, depending on how many admins could still log in',
  (_, methods, isBlocked) => {
    expect(findLockout(adminsOfBothMethods, methods)?.isBlocked).toBe(isBlocked);
  },
);

test('blocks disabling passwords while no admin has logged in with single sign-on', () => {
  const lockout = findLockout(logins(admin('ada', true, false)), { password: false, singleSignOn: true });

  expect(lockout).toMatchObject({ isBlocked: true, message: expect.stringContaining('Keep passwords') });
});

test('names at most three admins', () => {
  const admins = ['a', 'b', 'c', 'd', 'e'].map(name => admin(name, true, false));

  expect(
    findLockout(logins(...admins, admin('z', false, true)), { password: false, singleSignOn: true })?.message,
  ).toContain('Of 6 admins, a, b, c and 2 more have not logged in');
});
