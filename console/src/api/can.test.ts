import { expect, test } from 'vitest';
import { can, EVERYWHERE, type Me, missingPermissions } from './can.ts';

const caller = (...permissions: Me['permissions']): Me => ({
  user: { id: 1, name: 'Ada', username: 'ada', email: null, isAPI: false },
  permissions,
  feedback: [],
  splash: {},
});

test('an admin may call every operation', () => {
  expect(can(caller({ permission: 'ADMIN' }), 'enableFeature', { project: 'payments' })).toBe(true);
});

test('a permission in a project applies to that project', () => {
  const me = caller({ permission: 'CREATE_FEATURE', project: 'payments' });

  expect(can(me, 'createFeature', { project: 'payments' })).toBe(true);
  expect(can(me, 'createFeature', { project: 'search' })).toBe(false);
  expect(can(me, 'createFeature')).toBe(true);
});

test('a permission in an environment applies to that environment', () => {
  const me = caller({
    permission: 'UPDATE_FEATURE_ENVIRONMENT',
    project: 'payments',
    environment: 'development',
  });

  expect(can(me, 'enableFeature', { project: 'payments', environment: 'development' })).toBe(true);
  expect(can(me, 'enableFeature', { project: 'payments', environment: 'production' })).toBe(false);
});

test('one of several permissions is enough', () => {
  expect(
    can(caller({ permission: 'UPDATE_PROJECT', project: 'a' }), 'updateProjectSettings', { project: 'a' }),
  ).toBe(true);
  expect(missingPermissions(caller(), 'updateProjectSettings', { project: 'a' })).toEqual([
    'UPDATE_PROJECT',
    'PROJECT_SETTINGS_WRITE',
  ]);
});

test('an instance operation requires the permission for the whole instance', () => {
  const projectMember = caller({ permission: 'UPDATE_FEATURE', project: 'payments' });

  expect(can(projectMember, 'deleteTag', { project: EVERYWHERE })).toBe(false);
  expect(can(caller({ permission: 'UPDATE_FEATURE' }), 'deleteTag', { project: EVERYWHERE })).toBe(true);
});
