import { expect, test } from 'vitest';
import { parsePermissions, parseProject } from './words.ts';

test.each([
  ['This operation requires the permission UPDATE_ADDON.', ['UPDATE_ADDON']],
  ['This operation requires the permission ADMIN or READ_ADDON.', ['ADMIN', 'READ_ADDON']],
  [
    'This operation requires the permission A_B, C_D or E_F in environment "PROD" of project "PAY".',
    ['A_B', 'C_D', 'E_F'],
  ],
  ['No user with the Admin role would remain.', []],
])('finds the permissions named in the message "%s"', (message, permissions) => {
  expect(parsePermissions(message)).toEqual(permissions);
});

test('finds the project named in the message', () => {
  expect(
    parseProject('This operation requires the permission A_B in environment "PROD" of project "PAY".'),
  ).toBe('PAY');
  expect(parseProject('This operation requires the permission A_B.')).toBeUndefined();
});
