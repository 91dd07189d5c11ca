/** Only a path of this server: another address could imitate this page. The login page itself is no place to go to. */
export const pathAfterLogin = (to: unknown): string =>
  typeof to === 'string' && /^\/(?![/\\])(?!login([?#/]|$))/.test(to) ? to : '/';
