import { expect, test } from 'vitest';
import { describeMissingPermissions } from './permission-words.ts';

test('names the owners of the project, unless the owner is the system', () => {
  const ada = { ownerType: 'user', name: 'Ada' };
  const describeWith = (...owners: { ownerType: string; name?: string }[]) =>
    describeMissingPermissions(['CREATE_FEATURE'], { name: 'Payments', owners });

  expect(describeWith(ada)).toBe(
    'Requires the permission "Create flag". Ask Ada (owner of Payments) or an admin',
  );
  expect(
    describeWith(ada, { ownerType: 'group', name: 'platform' }, { ownerType: 'user', name: 'Ben' }),
  ).toBe('Requires the permission "Create flag". Ask Ada or group platform (owners of Payments) or an admin');
  expect(describeWith({ ownerType: 'system' })).toBe(
    'Requires the permission "Create flag", which an admin can grant',
  );
});

test('describes a missing permission by what it allows', () => {
  expect(describeMissingPermissions(['CREATE_FEATURE'])).toBe(
    'Requires the permission "Create flag", which an admin can grant',
  );
  expect(describeMissingPermissions(['ADMIN', 'UPDATE_FEATURE_ENVIRONMENT'])).toBe(
    'Requires the permission "Enable and disable flags", which an admin can grant',
  );
  expect(describeMissingPermissions(['READ_PROJECT_API_TOKEN', 'READ_CLIENT_API_TOKEN'])).toBe(
    'Requires the permission "Read project API token" or "Read client API token", which an admin can grant',
  );
});

test('names the Admin role for an operation that only admins may call', () => {
  expect(describeMissingPermissions(['ADMIN'])).toBe('Requires the Admin role');
});
