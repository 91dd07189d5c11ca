import { expect, test } from 'vitest';
import { requirement } from './permission-words.ts';

test('names up to two owners of the project', () => {
  const ada = { ownerType: 'user', name: 'Ada' };
  const requirementWith = (...owners: { ownerType: string; name?: string }[]) =>
    requirement(['CREATE_FEATURE'], { name: 'Payments', owners });

  expect(requirementWith(ada)).toBe(
    'Requires the permission "Create flag". Ask Ada (owner of Payments) or an admin',
  );
  expect(
    requirementWith(ada, { ownerType: 'group', name: 'platform' }, { ownerType: 'user', name: 'Ben' }),
  ).toBe('Requires the permission "Create flag". Ask Ada or group platform (owners of Payments) or an admin');
  expect(requirementWith({ ownerType: 'system' })).toBe(
    'Requires the permission "Create flag", which an admin can grant',
  );
});

test('a missing permission is described by what it allows', () => {
  expect(requirement(['CREATE_FEATURE'])).toBe(
    'Requires the permission "Create flag", which an admin can grant',
  );
  expect(requirement(['ADMIN', 'UPDATE_FEATURE_ENVIRONMENT'])).toBe(
    'Requires the permission "Enable and disable flags", which an admin can grant',
  );
  expect(requirement(['READ_PROJECT_API_TOKEN', 'READ_CLIENT_API_TOKEN'])).toBe(
    'Requires the permission "Read project API token" or "Read client API token", which an admin can grant',
  );
});

test('an operation that only admins may call names their role', () => {
  expect(requirement(['ADMIN'])).toBe('Requires the Admin role');
});
