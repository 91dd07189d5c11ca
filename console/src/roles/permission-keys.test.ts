import { expect, test } from 'vitest';
import { groupByArea, listOperations } from './areas.ts';
import {
  findDifference,
  hasPermission,
  listPermissionKeys,
  togglePermission,
  toInputs,
} from './permission-keys.ts';

const ALL = ['development', 'production'];
const TOGGLE = 'UPDATE_FEATURE_ENVIRONMENT';

test('adds and removes a permission', () => {
  expect(togglePermission(['UPDATE_FEATURE'], 'CREATE_FEATURE', undefined, ALL)).toEqual([
    'CREATE_FEATURE',
    'UPDATE_FEATURE',
  ]);
  expect(togglePermission(['CREATE_FEATURE', 'UPDATE_FEATURE'], 'CREATE_FEATURE', undefined, ALL)).toEqual([
    'UPDATE_FEATURE',
  ]);
});

test('toggles a permission in one environment, and replaces it with the permission in all environments', () => {
  const inProduction = togglePermission([], TOGGLE, 'production', ALL);

  expect(inProduction).toEqual([`${TOGGLE} in production`]);
  expect(togglePermission(inProduction, TOGGLE, undefined, ALL)).toEqual([TOGGLE]);
  expect(togglePermission(inProduction, TOGGLE, 'production', ALL)).toEqual([]);
});

test('removes one environment from a permission in all environments', () => {
  expect(togglePermission([TOGGLE], TOGGLE, 'production', ALL)).toEqual([`${TOGGLE} in development`]);
});

test('keeps a different permission whose name begins with the name of the toggled one', () => {
  const other = 'UPDATE_FEATURE_ENVIRONMENT_VARIANTS in production';

  expect(togglePermission([other], TOGGLE, 'production', ALL)).toEqual([`${TOGGLE} in production`, other]);
});

test('converts the permissions of a role for the API, without those that apply to one project', () => {
  const heldKeys = listPermissionKeys({
    permissions: [
      { id: 1, name: TOGGLE, displayName: '', type: 'environment', environment: 'production' },
      { id: 2, name: 'CREATE_FEATURE', displayName: '', type: 'project' },
      { id: 3, name: 'DELETE_FEATURE', displayName: '', type: 'project', project: 'default' },
    ],
  });

  expect(toInputs(heldKeys)).toEqual([
    { name: 'CREATE_FEATURE' },
    { name: TOGGLE, environment: 'production' },
  ]);
});

test('ADMIN includes everything, and a permission without an environment includes all environments', () => {
  expect(hasPermission(new Set(['ADMIN']), 'CREATE_FEATURE')).toBe(true);
  expect(hasPermission(new Set([TOGGLE]), TOGGLE, 'production')).toBe(true);
  expect(hasPermission(new Set([`${TOGGLE} in development`]), TOGGLE, 'production')).toBe(false);
});

test('compares what two roles permit rather than how the permissions are written', () => {
  const inAll = new Set([TOGGLE]);
  const inProduction = new Set([`${TOGGLE} in production`]);

  expect(findDifference(inAll, inProduction, TOGGLE, 'production')).toBeUndefined();
  expect(findDifference(inAll, inProduction, TOGGLE, 'development')).toBe('added');
  expect(findDifference(inProduction, inAll, TOGGLE, 'development')).toBe('removed');
  expect(findDifference(inProduction, undefined, TOGGLE, 'development')).toBeUndefined();
});

test('groups permissions by area, including those that this version does not know', () => {
  expect(groupByArea(['CREATE_FEATURE', 'MOVE_FEATURE_TOGGLE', 'PAINT_FEATURE'])).toEqual([
    {
      area: 'Flags',
      columns: { Create: 'CREATE_FEATURE' },
      more: [{ name: 'MOVE_FEATURE_TOGGLE', label: 'Move' }],
    },
    { area: 'More', columns: {}, more: [{ name: 'PAINT_FEATURE', label: 'Paint feature' }] },
  ]);
});

test('lists the operations that a permission allows', () => {
  expect(listOperations('CREATE_PROJECT')).toContain('create project');
  expect(listOperations('UPDATE_PROJECT_SEGMENT')).toContain('create segment');
});
