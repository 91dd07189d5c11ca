import { expect, test } from 'vitest';
import { getPathAfterLogin } from './path.ts';

test.each([
  ['/flags?query=checkout', '/flags?query=checkout'],
  ['/logins', '/logins'],
  ['/login', '/'],
  ['/login?to=/login', '/'],
  ['//example.com', '/'],
  ['/\\example.com', '/'],
  ['https://example.com', '/'],
  [undefined, '/'],
])('if the login page should return to %s, the console opens %s', (target, path) => {
  expect(getPathAfterLogin(target)).toBe(path);
});
