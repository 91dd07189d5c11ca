import { expect, test } from 'vitest';
import { pathAfterLogin } from './path.ts';

test.each([
  ['/flags?query=checkout', '/flags?query=checkout'],
  ['/logins', '/logins'],
  ['/login', '/'],
  ['/login?to=/login', '/'],
  ['//example.com', '/'],
  ['/\\example.com', '/'],
  ['https://example.com', '/'],
  [undefined, '/'],
])('after a login for %s the console opens %s', (target, path) => {
  expect(pathAfterLogin(target)).toBe(path);
});
