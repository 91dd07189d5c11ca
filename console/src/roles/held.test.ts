import { expect, test } from 'vitest';
import { areasOf, operationsOf } from './areas.ts';
import { differenceOf, has, heldBy, inputsOf, toggled } from './held.ts';

const ALL = ['development', 'production'];
const TOGGLE = 'UPDATE_FEATURE_ENVIRONMENT';

test('adds and removes a permission', () => {
  expect(toggled(['UPDATE_FEATURE'], 'CREATE_FEATURE', undefined, ALL)).toEqual([
    'CREATE_FEATURE',
    'UPDATE_FEATURE',
  ]);
  expect(toggled(['CREATE_FEATURE', 'UPDATE_FEATURE'], 'CREATE_FEATURE', undefined, ALL)).toEqual([
    'UPDATE_FEATURE',
  ]);
});

test('adds a permission in one environment, and all environments replace it', () => {
  const one = toggled([], TOGGLE, 'production', ALL);

  expect(one).toEqual([`${TOGGLE} in production`]);
  expect(toggled(one, TOGGLE, undefined, ALL)).toEqual([TOGGLE]);
  expect(toggled(one, TOGGLE, 'production', ALL)).toEqual([]);
});

test('removing one environment from all leaves the others', () => {
  expect(toggled([TOGGLE], TOGGLE, 'production', ALL)).toEqual([`${TOGGLE} in development`]);
});

test('a permission whose name begins like another one stays', () => {
  const other = 'UPDATE_FEATURE_ENVIRONMENT_VARIANTS in production';

  expect(toggled([other], TOGGLE, 'production', ALL)).toEqual([`${TOGGLE} in production`, other]);
});

test('reads the permissions of a role and writes them as the API takes them', () => {
  const held = heldBy({
    permissions: [
      { id: 1, name: TOGGLE, displayName: '', type: 'environment', environment: 'production' },
      { id: 2, name: 'CREATE_FEATURE', displayName: '', type: 'project' },
      { id: 3, name: 'DELETE_FEATURE', displayName: '', type: 'project', project: 'default' },
    ],
  });

  expect(inputsOf(held)).toEqual([{ name: 'CREATE_FEATURE' }, { name: TOGGLE, environment: 'production' }]);
});

test('ADMIN has everything, and a permission without an environment is in all of them', () => {
  expect(has(new Set(['ADMIN']), 'CREATE_FEATURE')).toBe(true);
  expect(has(new Set([TOGGLE]), TOGGLE, 'production')).toBe(true);
  expect(has(new Set([`${TOGGLE} in development`]), TOGGLE, 'production')).toBe(false);
});

test('compares what two roles may do, not how it is expressed', () => {
  const all = new Set([TOGGLE]);
  const some = new Set([`${TOGGLE} in production`]);

  expect(differenceOf(all, some, TOGGLE, 'production')).toBeUndefined();
  expect(differenceOf(all, some, TOGGLE, 'development')).toBe('added');
  expect(differenceOf(some, all, TOGGLE, 'development')).toBe('removed');
  expect(differenceOf(some, undefined, TOGGLE, 'development')).toBeUndefined();
});

test('groups permissions by area, and keeps those it does not know', () => {
  expect(areasOf(['CREATE_FEATURE', 'MOVE_FEATURE_TOGGLE', 'PAINT_FEATURE'])).toEqual([
    {
      area: 'Flags',
      columns: { Create: 'CREATE_FEATURE' },
      more: [{ name: 'MOVE_FEATURE_TOGGLE', label: 'Move' }],
    },
    { area: 'More', columns: {}, more: [{ name: 'PAINT_FEATURE', label: 'Paint feature' }] },
  ]);
});

test('names the operations that a permission allows', () => {
  expect(operationsOf('CREATE_PROJECT')).toContain('create project');
});
